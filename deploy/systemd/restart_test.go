package systemd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

const (
	// patience bounds what a right program does at once.
	patience = time.Minute
	// restarts is how often the service is replaced under load.
	restarts = 5
	// between is how many calls each kind of client makes between two restarts.
	between = 20
)

// build compiles the sidecar and puts the runtime beside it.
func build(t *testing.T) (binary string) {
	t.Helper()
	dir := t.TempDir()
	binary = filepath.Join(dir, "sallyport")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/sallyport")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	const lib = "libonnxruntime.so.1"
	from, err := filepath.Abs(filepath.Join("..", "..", "bin", "lib", lib))
	require.NoError(t, err)
	require.FileExists(t, from, "run 'make setup'")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "lib"), 0o755))
	require.NoError(t, os.Symlink(from, filepath.Join(dir, "lib", lib)))
	return binary
}

// service is one process that was handed the socket.
type service struct {
	cmd *exec.Cmd
	log *bytes.Buffer
}

// activate starts the sidecar as systemd would: descriptor 3 is the socket.
func activate(t *testing.T, binary string, socket *os.File) *service {
	t.Helper()
	s := &service{log: &bytes.Buffer{}}
	s.cmd = exec.CommandContext(t.Context(), "/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" serve`, binary)
	model, err := filepath.Abs("../../models/default")
	require.NoError(t, err)
	s.cmd.Env = []string{
		// The sockets are tested. Where tests share the machine, proving the judge as well
		// can take longer than connections are held back.
		"MODEL=" + model, "MODEL_GATE=off",
		"LISTEN_FDS=1", "LISTEN_FDNAMES=grpc", "ADMIN_ADDR=127.0.0.1:0", "SHUTDOWN_DRAIN_S=0",
		"AUDIT_LOG_PATH=" + filepath.Join(t.TempDir(), "audit.jsonl"),
	}
	s.cmd.ExtraFiles = []*os.File{socket}
	s.cmd.Stderr = s.log
	require.NoError(t, s.cmd.Start())
	return s
}

// stop is what systemctl restart does first.
func (s *service) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, s.cmd.Wait(), "%s", s.log)
}

// client calls without a pause and without a retry until ctx ends.
type client struct {
	calls, failures atomic.Int64
	slowest         time.Duration
	first           error
}

func (c *client) run(ctx context.Context, call func(context.Context) error) {
	for ctx.Err() == nil {
		begun := time.Now()
		one, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		err := call(one)
		cancel()
		c.slowest = max(c.slowest, time.Since(begun))
		if err != nil && c.failures.Add(1) == 1 {
			c.first = err
		}
		c.calls.Add(1)
	}
}

// ask makes one harmless call, which only a sidecar that serves passes.
func ask(ctx context.Context, conn *grpc.ClientConn) error {
	reply, err := extmcp.NewExtMcpClient(conn).CheckRequest(ctx, &extmcp.McpRequest{
		ServiceNames: []string{"weather"}, Method: "tools/call",
		McpRequest: []byte(`{"name":"forecast","arguments":{"city":"Ulm"}}`),
	})
	switch {
	case err != nil:
		return err
	case reply.GetPass() == nil:
		return fmt.Errorf("denied: %v", reply)
	}
	return nil
}

func dial(addr string) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// While the service is replaced again and again on a socket that somebody else
// keeps open, no call fails: neither on a connection that lives through it, nor on
// new ones. A call made in between waits until the next process is ready.
func TestRestartRefusesNothing(t *testing.T) {
	binary := build(t)
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer l.Close()
	socket, err := l.File()
	require.NoError(t, err)
	defer socket.Close()
	addr := l.Addr().String()

	kept, err := dial(addr)
	require.NoError(t, err)
	defer kept.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	clients := map[string]*client{"one connection": {}, "new connections": {}}
	calls := map[string]func(context.Context) error{
		"one connection": func(ctx context.Context) error { return ask(ctx, kept) },
		"new connections": func(ctx context.Context) error {
			conn, err := dial(addr)
			if err != nil {
				return err
			}
			return errors.Join(ask(ctx, conn), conn.Close())
		},
	}
	s := activate(t, binary, socket)
	var group sync.WaitGroup
	for name, c := range clients {
		group.Go(func() { c.run(ctx, calls[name]) })
	}
	more := func() {
		for name, c := range clients {
			target := c.calls.Load() + between
			require.Eventually(t, func() bool { return c.calls.Load() >= target }, patience, time.Millisecond, "%s: %s", name, s.log)
		}
	}
	more()
	for range restarts {
		s.stop(t)
		s = activate(t, binary, socket)
		more()
	}
	cancel()
	group.Wait()
	s.stop(t)
	for name, c := range clients {
		t.Logf("%s: %d calls over %d restarts, %d failed, slowest %v", name, c.calls.Load(), restarts, c.failures.Load(), c.slowest.Round(time.Millisecond))
		require.Zero(t, c.failures.Load(), "%s: first failure: %v", name, c.first)
	}
}
