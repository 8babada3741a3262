//go:build unix

package e2e

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// run1 runs one command of the binary to its end and returns its exit code and all
// that it said.
func run1(t *testing.T, settings env, args ...string) (code int, out string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	for name, value := range settings {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	data, err := cmd.CombinedOutput()
	require.NoError(t, ctx.Err(), "%v does not end: %s", args, data)
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}
