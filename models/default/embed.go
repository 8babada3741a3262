// Package defaultmodel carries the default classifier inside the binary.
//
// It owns the files of one model directory (tokenizer.json, config.json, model.onnx, sallyport.json)
// and nothing else: it never parses or runs them. Programs that want the default import it and hand
// FS to the inference package; an embedder who brings a model leaves the import out and the weights
// with it.
package defaultmodel

import (
	"embed"
	"io/fs"
)

//go:embed tokenizer.json config.json model.onnx sallyport.json
var files embed.FS

// FS returns the model directory, with its files at the root. It is read-only and safe for
// concurrent use.
func FS() fs.FS { return files }
