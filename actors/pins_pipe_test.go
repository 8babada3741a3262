//go:build unix

package actors

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe or a device in the place of the file is refused: whoever waited for the one
// would save no pin any more, and the other may have no end.
func TestPinFileIsAFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pins.json")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{pipe, os.DevNull, "/dev/zero"} {
		_, err := PinFile(path).Load()
		require.ErrorContains(t, err, "is not a regular file")
		require.ErrorContains(t, err, path)
	}
}
