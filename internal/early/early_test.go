//go:build unix

package early

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a test of this package does to its own process it does in a child: the
// test's name and this variable tell the child what it is.
const child = "SALLYPORT_EARLY_CHILD"

func asChild(t *testing.T, what string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), child+"="+what)
	return cmd
}

func send(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(os.Getpid(), s))
}

// Nobody asked for the signals here: they are caught because the package is there. That
// is so once in a process.
func TestCaughtBeforeAnybodyAsks(t *testing.T) {
	if os.Getenv(child) == "" {
		out, err := asChild(t, "asks").CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	send(t, syscall.SIGTERM)
	signals, stop := Signals()
	require.Equal(t, syscall.SIGTERM, <-signals)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGINT} {
		send(t, s)
		require.Equal(t, s, <-signals)
	}
	stop()
	again, stop := Signals() // one who stopped can begin again
	defer stop()
	send(t, syscall.SIGHUP)
	require.Equal(t, syscall.SIGHUP, <-again)
}

func TestReleaseGivesTheSignalsBack(t *testing.T) {
	switch os.Getenv(child) {
	case "before":
		send(t, syscall.SIGTERM)
		for len(caught) == 0 { // the runtime hands a signal over when it gets to it
		}
		Release()
		select {}
	case "after":
		Release()
		send(t, syscall.SIGTERM)
		select {}
	}
	for _, when := range []string{"before", "after"} {
		var exit *exec.ExitError
		require.ErrorAs(t, asChild(t, when).Run(), &exit, when)
		status, ok := exit.Sys().(syscall.WaitStatus)
		require.True(t, ok)
		require.True(t, status.Signaled(), when)
		require.Equal(t, syscall.SIGTERM, status.Signal(), when)
	}
}

// One import too many and the package is set up after those it must come before.
func TestImportsNextToNothing(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to ask for the imports")
	}
	out, err := exec.CommandContext(t.Context(), tool, "list", "-deps", ".").Output()
	require.NoError(t, err)
	for _, p := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(p, "/")
		require.False(t, strings.Contains(first, ".") && !strings.HasSuffix(p, "/internal/early"), p)
	}
}
