//go:build unix

package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScript runs the operator's commands as testdata/script tells.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			e.Setenv("SAMPLE_KEY", sampleKey)
			e.Setenv("INJECTION", injection)
			return os.WriteFile(filepath.Join(e.WorkDir, "key.txt"), []byte("deploy with\n"+sampleKey+"\nplease\n"), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command that must end with an exit code: exits N program args...
// Its output is kept in the files stdout.txt and stderr.txt. It reads stdin.txt
// where there is one.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args[2:]...)
	if args[1] != "sallyport" {
		ts.Fatalf("exits runs sallyport, not %s", args[1])
	}
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("WORK")}
	out, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	defer errs.Close()
	cmd.Stdout, cmd.Stderr = out, errs
	if in, err := os.Open(ts.MkAbs("stdin.txt")); err == nil {
		defer in.Close()
		cmd.Stdin = in
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		said, _ := os.ReadFile(ts.MkAbs("stderr.txt"))
		ts.Fatalf("exit code %d, want %d\n%s", got, want, said)
	}
}

// The probe tells what the health names tell.
func TestHealthCommand(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	for _, row := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 0, "SERVING\n"},
		{[]string{"--service", "liveness"}, 0, "SERVING\n"},
		{[]string{"--service", "no.such"}, 1, "NotFound"},
	} {
		code, out := run1(t, nil, append([]string{"health", "--addr", s.addr}, row.args...)...)
		require.Equal(t, row.code, code, out)
		require.Contains(t, out, row.says)
	}
	cold := launch(t, env{"MODEL": filepath.Join(t.TempDir(), "none")})
	cold.awaitListening()
	code, out := run1(t, nil, "health", "--addr", cold.addr)
	require.Equal(t, 1, code)
	require.Equal(t, "NOT_SERVING\n", out)
}
