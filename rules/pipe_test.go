//go:build unix

package rules

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe in the place of a pack is refused and not waited for: the opening would end
// when somebody writes, which is never.
func TestPackThatIsAPipeIsRefusedAtOnce(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pack.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Load(pipe)
	require.ErrorContains(t, err, "is not a regular file")
	_, err = Load(filepath.Dir(pipe))
	require.ErrorContains(t, err, "is not a regular file")
}
