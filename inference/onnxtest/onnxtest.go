// Package onnxtest gives tests the ONNX Runtime library and small models that
// run through it for real.
//
// It owns the test models and the rule for finding the library in a working
// copy. Nothing but tests imports it, and it never skips a test: a missing
// library is a failure that says how to get it.
package onnxtest

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/sallyport-mcp/sallyport/inference/onnx"
)

//go:embed testdata/*.onnx testdata/*.json testdata/*.data
var files embed.FS

// Words of the test vocabulary that make something happen.
const (
	// NaNWord is a word whose score is not a number.
	NaNWord = "qnan"
	// SlowWord keeps the model Slow computing until it is terminated.
	SlowWord = "qslow"
)

// Models that Files knows, besides the good one, "model".
const (
	Good           = "model"
	Flat           = "flat"            // scores everything near 0.5
	Reversed       = "reversed"        // scores benign text high
	NoMask         = "no-mask"         // lacks the input attention_mask
	TokenTypes     = "token-types"     // has the input token_type_ids
	ExtraInput     = "extra-input"     // wants an input we cannot give
	Opset99        = "opset-99"        // needs operators that do not exist
	Rank3          = "rank-3"          // answers [batch, 1, labels]
	Int32IDs       = "int32-ids"       // takes 32-bit ids
	SmallEmbedding = "small-embedding" // fewer rows than the tokenizer has ids
	BatchBound     = "batch-bound"     // a score depends on the batch
	Slow           = "slow"            // see SlowWord
	External       = "external"        // weights in a file of their own
	Deberta        = "deberta"         // a DeBERTa-v2 of two layers, random weights: scores mean nothing
)

// Library returns the path of the runtime library: $ONNXRUNTIME_LIB, else
// bin/lib of the module. It fails the test when there is none.
func Library(tb testing.TB) string {
	tb.Helper()
	if path := os.Getenv(onnx.LibraryEnv); path != "" {
		return path
	}
	root, err := os.Getwd()
	if err != nil {
		tb.Fatalf("find the module: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			tb.Fatal("find the module: no go.mod above the test's directory")
		}
		root = parent
	}
	path := filepath.Join(root, "bin", "lib", "libonnxruntime.so.1")
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("the ONNX Runtime library is missing: run `make setup`, or set %s to its path (%v)", onnx.LibraryEnv, err)
	}
	return path
}

// Files returns a model directory whose model.onnx is the named model. The
// caller may change the map; the checksums in its sallyport.json are those of
// the good model and are left out for the others.
func Files(tb testing.TB, model string) fstest.MapFS {
	tb.Helper()
	read := func(name string) *fstest.MapFile {
		data, err := files.ReadFile("testdata/" + name)
		if err != nil {
			tb.Fatalf("read test model: %v", err)
		}
		return &fstest.MapFile{Data: data, Mode: 0o644}
	}
	dir := fstest.MapFS{
		"model.onnx": read(model + ".onnx"), "tokenizer.json": read("tokenizer.json"), "config.json": read("config.json"),
	}
	if model == Good {
		dir["sallyport.json"] = read("sallyport.json")
	}
	if model == External {
		dir["external.onnx.data"] = read("external.onnx.data")
	}
	return dir
}

// Dir writes files into a directory of the test and returns its path.
func Dir(tb testing.TB, files fs.FS) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		tb.Fatalf("write test model: %v", err)
	}
	return dir
}
