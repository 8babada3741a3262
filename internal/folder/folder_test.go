package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, Writable(dir))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "the trial is gone")

	require.ErrorIs(t, Writable(filepath.Join(dir, "none")), os.ErrNotExist)
	require.ErrorContains(t, Writable(file), "is not a directory")
	if info, err := os.Stat("/proc/self"); err == nil && info.IsDir() {
		// Nobody, not even root, makes a file there.
		require.ErrorContains(t, Writable("/proc/self"), "no file can be made")
	}
}
