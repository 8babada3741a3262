//go:build unix

package plainfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe that nobody writes to is not opened at a reload; at the start its writer is
// waited for.
func TestReadFromAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Read(pipe)
	require.ErrorContains(t, err, "is not a regular file")

	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(pipe, []byte("text"), 0o600) }()
	data, err := ReadOrWait(pipe)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
	require.NoError(t, <-wrote)
}

// A device may have no end, or be empty for ever: it is no file at any time.
func TestReadFromADevice(t *testing.T) {
	for _, device := range []string{os.DevNull, "/dev/zero"} {
		for when, read := range readers {
			_, err := read(device)
			require.ErrorContains(t, err, "a regular file", when)
		}
	}
}
