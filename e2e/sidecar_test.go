//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

const (
	// patience bounds every wait that a right program ends soon.
	patience = 40 * time.Second
	// lifetime bounds a whole sidecar.
	lifetime = 150 * time.Second
	// tick is how often a condition is looked at.
	tick = 10 * time.Millisecond
)

const serving, notServing = healthpb.HealthCheckResponse_SERVING, healthpb.HealthCheckResponse_NOT_SERVING

// env are settings of a sidecar, by the name of the variable.
type env map[string]string

// with is e and more, more winning.
func (e env) with(more env) env {
	out := maps.Clone(e)
	maps.Copy(out, more)
	return out
}

// noModel is a sidecar that starts fast.
var noModel = env{"MODEL": "off"}

// sidecar is one running process.
type sidecar struct {
	t           *testing.T
	dir         string
	addr, admin string
	trail, log  string // the audit file and what went to standard error
	cmd         *exec.Cmd
	exited      chan struct{} // closed when the process has ended
	conn        *grpc.ClientConn
	mcp         extmcp.ExtMcpClient
	health      healthpb.HealthClient
	secrets     []string // what must be written nowhere
}

// launch starts the binary and does not wait for anything.
func launch(t *testing.T, settings env, args ...string) *sidecar {
	t.Helper()
	return launchWith(t, settings, func(*exec.Cmd) {}, args...)
}

// launchWith is launch with a command that the test changes before it runs.
func launchWith(t *testing.T, settings env, prepare func(*exec.Cmd), args ...string) *sidecar {
	t.Helper()
	dir := t.TempDir()
	s := &sidecar{
		t: t, dir: dir, addr: freeAddr(t), admin: freeAddr(t),
		trail: filepath.Join(dir, "audit.jsonl"), log: filepath.Join(dir, "stderr.log"),
		exited: make(chan struct{}),
	}
	all := env{
		"LISTEN_ADDR": s.addr, "ADMIN_ADDR": s.admin, "AUDIT_LOG_PATH": s.trail, "SHUTDOWN_DRAIN_S": "0",
		// A busy machine with the race detector must not decide a test.
		"SCANNER_TIMEOUT_MS": "30000",
		"PATH":               os.Getenv("PATH"), "HOME": dir, "TMPDIR": dir,
	}.with(settings)
	s.addr, s.trail = all["LISTEN_ADDR"], all["AUDIT_LOG_PATH"]
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	s.cmd = exec.CommandContext(ctx, binary, append([]string{"serve"}, args...)...)
	for name, value := range all {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	errs, err := os.Create(s.log)
	require.NoError(t, err)
	s.cmd.Stderr = errs
	prepare(s.cmd)
	require.NoError(t, s.cmd.Start())
	go func() {
		defer cancel()
		defer errs.Close()
		_ = s.cmd.Wait() // the code is in ProcessState
		close(s.exited)
	}()
	s.conn = s.dial()
	s.mcp, s.health = extmcp.NewExtMcpClient(s.conn), healthpb.NewHealthClient(s.conn)
	t.Cleanup(s.end)
	return s
}

// serve starts the binary and waits until it is ready.
func serve(t *testing.T, settings env, args ...string) *sidecar {
	t.Helper()
	s := launch(t, settings, args...)
	s.awaitServing()
	return s
}

// end stops what still runs and looks for what must never be there.
func (s *sidecar) end() {
	select {
	case <-s.exited:
	default:
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.exited:
		case <-time.After(patience / 4):
			_ = s.cmd.Process.Signal(syscall.SIGTERM) // a test may have left it a long drain wait
		}
		select {
		case <-s.exited:
			if code := s.cmd.ProcessState.ExitCode(); code != 0 {
				s.t.Errorf("the sidecar ended with exit code %d", code)
			}
		case <-time.After(patience):
			s.t.Error("the sidecar did not end after SIGTERM")
			_ = s.cmd.Process.Kill()
			<-s.exited
		}
	}
	text := s.readLog()
	for _, bad := range []string{"DATA RACE", "panic:", "fatal error:"} {
		if strings.Contains(text, bad) {
			s.t.Errorf("%s in the log of the sidecar", bad)
		}
	}
	var trail []byte
	if info, err := os.Stat(s.trail); err == nil && info.Mode().IsRegular() { // a device may have no end
		trail, _ = os.ReadFile(s.trail)
	}
	for _, secret := range s.secrets {
		if strings.Contains(text, secret) {
			s.t.Error("a secret is in the log")
		}
		if bytes.Contains(trail, []byte(secret)) {
			s.t.Error("a secret is in the audit trail")
		}
	}
	if s.t.Failed() {
		s.t.Logf("log of the sidecar:\n%s", tail(text, 6_000))
		s.t.Logf("end of its audit trail:\n%s", tail(string(trail), 2_000))
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return "...\n" + s[len(s)-n:]
	}
	return s
}

// nextPort is the last port that was handed out. Ports are taken from below the
// range that the system gives to outgoing connections, and no two tests get one.
var nextPort atomic.Int32

func init() { nextPort.Store(20_000 + int32(os.Getpid()%5_000)) }

// freeAddr is a loopback address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 1_000 {
		addr := fmt.Sprintf("127.0.0.1:%d", nextPort.Add(1))
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue // somebody else's
		}
		require.NoError(t, l.Close())
		return addr
	}
	require.Fail(t, "no free port")
	return ""
}

// dial opens a connection of its own.
func (s *sidecar) dial() *grpc.ClientConn {
	s.t.Helper()
	target := s.addr
	if !strings.HasPrefix(target, "unix:") {
		target = "passthrough:///" + target
	}
	c, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.MaxCallSendMsgSize(64<<20)))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { c.Close() })
	return c
}

// within is a context for one call or wait.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls until cond holds.
func eventually(t *testing.T, cond func() bool, what string, args ...any) {
	t.Helper()
	require.Eventuallyf(t, cond, patience, tick, what, args...)
}

// awaitServing follows the health stream until the sidecar is ready.
func (s *sidecar) awaitServing() {
	s.t.Helper()
	s.awaitListening()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		select {
		case <-s.exited:
			cancel() // whoever waits for a process that has ended would wait to the end
		case <-ctx.Done():
		}
	}()
	for {
		w, err := s.health.Watch(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
		require.NoError(s.t, err, "the sidecar never listened")
		for {
			r, err := w.Recv()
			if err != nil {
				require.NoError(s.t, ctx.Err(), "the sidecar never served")
				break
			}
			if r.GetStatus() == serving {
				return
			}
		}
	}
}

// awaitListening waits until the port is open, or the process has ended. A client
// that dials too early waits for a whole second before it dials again.
func (s *sidecar) awaitListening() {
	s.t.Helper()
	eventually(s.t, func() bool {
		select {
		case <-s.exited:
			return true
		default:
			return strings.Contains(s.readLog(), `"msg":"listening"`)
		}
	}, "the sidecar never listened")
}

// status asks for one health name.
func (s *sidecar) status(name string) healthpb.HealthCheckResponse_ServingStatus {
	s.t.Helper()
	r, err := s.health.Check(within(s.t), &healthpb.HealthCheckRequest{Service: name})
	require.NoError(s.t, err)
	return r.GetStatus()
}

func (s *sidecar) signal(sig syscall.Signal) {
	s.t.Helper()
	require.NoError(s.t, s.cmd.Process.Signal(sig))
}

// exitCode waits for the end of the process.
func (s *sidecar) exitCode() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		require.Fail(s.t, "the sidecar does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *sidecar) readLog() string {
	data, err := os.ReadFile(s.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Error(err)
	}
	return string(data)
}

// logLine is a line of the log, decoded.
type logLine map[string]any

// text is a member that is a string, "" otherwise.
func (l logLine) text(key string) string {
	v, _ := l[key].(string)
	return v
}

// logLines are the log's lines so far that are JSON and that match.
func (s *sidecar) logLines(match func(logLine) bool) []logLine {
	var out []logLine
	for line := range strings.Lines(s.readLog()) {
		var l logLine
		if json.Unmarshal([]byte(line), &l) == nil && match(l) {
			out = append(out, l)
		}
	}
	return out
}

// awaitLog waits for a line of the log with message msg that matches.
func (s *sidecar) awaitLog(msg string, match func(logLine) bool) logLine {
	s.t.Helper()
	var found []logLine
	eventually(s.t, func() bool {
		found = s.logLines(func(l logLine) bool { return l.text("msg") == msg && (match == nil || match(l)) })
		return len(found) > 0
	}, "no line %q in the log", msg)
	return found[0]
}

// writeFile puts a file into the sidecar's folder of the test and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// replaceFile changes a file the way editors and config maps do: at once.
func replaceFile(t *testing.T, path, text string) {
	t.Helper()
	next := path + ".next"
	require.NoError(t, os.WriteFile(next, []byte(text), 0o600))
	require.NoError(t, os.Rename(next, path))
}

// keys are the names of a map in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
