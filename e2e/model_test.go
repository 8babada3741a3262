//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// defaultModel is the directory of the embedded classifier.
const defaultModel = "../models/default"

// modelWith copies the default model and lets change do something to the copy.
func modelWith(t *testing.T, change func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"model.onnx", "config.json", "tokenizer.json", "sallyport.json"} {
		require.NoError(t, copyFile(filepath.Join(dir, name), filepath.Join(defaultModel, name)))
	}
	change(dir)
	return dir
}

// endlessModel is a model whose network never comes to an end of being read.
func endlessModel(t *testing.T) string {
	return modelWith(t, func(dir string) {
		path := filepath.Join(dir, "model.onnx")
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o600))
	})
}
