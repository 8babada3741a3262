// Package judge carries the judge of the default classifier inside the binary: a
// small multilingual encoder that reads what the gate (models/default) does not clear.
//
// It owns the files of one model directory (tokenizer.json, config.json, model.onnx,
// sallyport.json) and nothing else: it never parses or runs them. Programs that want
// the default cascade import it and hand FS to the inference package; an embedder who
// brings a model, or lets the gate decide alone, leaves the import out and 23 MB with it.
package judge

import (
	"embed"
	"io/fs"
)

//go:embed tokenizer.json config.json model.onnx sallyport.json
var files embed.FS

// FS returns the model directory, with its files at the root. It is read-only and safe
// for concurrent use.
func FS() fs.FS { return files }
