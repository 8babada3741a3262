package plainfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// readers are both ways to read a file.
var readers = map[string]func(string) ([]byte, error){"at a reload": Read, "at the start": ReadOrWait}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	for when, read := range readers {
		for _, name := range []string{"file", "link"} {
			data, err := read(at(name))
			require.NoError(t, err, when)
			require.Equal(t, "text", string(data), when)
		}
		_, err := read(at("none"))
		require.ErrorIs(t, err, os.ErrNotExist, when)
		_, err = read(dir)
		require.ErrorContains(t, err, "is a directory", when)
	}
}

func TestReadEndsAtItsLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for when, read := range readers {
		require.NoError(t, os.Truncate(path, Limit))
		data, err := read(path)
		require.NoError(t, err, when)
		require.Len(t, data, Limit, when)
		require.NoError(t, os.Truncate(path, 1<<40)) // with nothing in it
		_, err = read(path)
		require.ErrorContains(t, err, "holds more than 16777216 bytes", when)
	}
}
