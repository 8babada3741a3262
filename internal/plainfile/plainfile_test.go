package plainfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	for _, name := range []string{"file", "link"} {
		data, err := Read(at(name))
		require.NoError(t, err)
		require.Equal(t, "text", string(data))
	}

	_, err := Read(at("none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Read(dir)
	require.ErrorContains(t, err, "is not a regular file")
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600)) // nobody writes: to open it would wait
	_, err = Read(at("pipe"))
	require.ErrorContains(t, err, "is not a regular file")
}
