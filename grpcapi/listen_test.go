package grpcapi

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	for _, mode := range []fs.FileMode{0, 0o600, 0o666} {
		r := start(t, allow, Options{Addr: "unix:" + path, UnixMode: mode})
		info, err := os.Stat(path)
		require.NoError(t, err)
		if mode == 0 {
			mode = defaultUnixMode
		}
		require.Equal(t, mode, info.Mode().Perm())
		require.Equal(t, path, r.Addr().String())
		reply, err := r.mcp.CheckRequest(within(t), call("{}"))
		require.NoError(t, err)
		require.NotNil(t, reply.GetPass())
		require.NoError(t, r.Drain(within(t)))
		_, err = os.Stat(path)
		require.ErrorIs(t, err, fs.ErrNotExist, "the socket is removed")
		_, err = os.Stat(path + "~")
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

func TestUnixSocketThatIsTaken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.sock")
	first := start(t, allow, Options{Addr: "unix:" + path})
	s, err := New(checkFunc(allow), Options{Addr: "unix:" + path})
	require.NoError(t, err)
	err = s.Listen()
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, "listen on unix:"+path)
	_, err = first.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err, "the first keeps its socket")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	s, err = New(checkFunc(allow), Options{Addr: "unix:" + filepath.Join(dir, "file")})
	require.NoError(t, err)
	require.ErrorContains(t, s.Listen(), "is not a socket")
}

// A socket that a killed process left behind is replaced, and a server that is
// late to close does not take away its successor's.
func TestUnixSocketLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	r := start(t, allow, Options{Addr: "unix:" + path})
	_, err = r.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)

	require.NoError(t, os.Remove(path))
	second := start(t, allow, Options{Addr: "unix:" + path})
	require.NoError(t, r.Drain(within(t)))
	_, err = second.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
}

func TestAddressInUse(t *testing.T) {
	r := start(t, allow, Options{})
	s, err := New(checkFunc(allow), Options{Addr: r.Addr().String()})
	require.NoError(t, err)
	err = s.Serve()
	require.ErrorIs(t, err, syscall.EADDRINUSE)
	require.ErrorContains(t, err, "listen on "+r.Addr().String())
}

func TestPlainTextBeyondThisHostIsWarnedAbout(t *testing.T) {
	p := newPKI(t)
	for name, tc := range map[string]struct {
		o    Options
		warn bool
	}{
		"everywhere": {Options{Addr: "0.0.0.0:0"}, true}, "loopback": {Options{Addr: "127.0.0.1:0"}, false},
		"everywhere with TLS": {Options{Addr: "0.0.0.0:0", TLS: p.files}, false},
		"a socket":            {Options{Addr: "unix:" + filepath.Join(t.TempDir(), "s.sock")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			log, entries := observed()
			tc.o.Logger = log
			s, err := New(checkFunc(allow), tc.o)
			require.NoError(t, err)
			require.NoError(t, s.Listen())
			require.Equal(t, tc.warn, strings.Contains(entries(), "warn listening in plain text"))
			s.Stop()
		})
	}
}

// childListener, in the environment, makes this test program a server that was
// handed its listener.
const childListener = "SALLYPORT_TEST_INHERIT"

// A listener is inherited by the protocol of socket activation, and what the
// parent keeps open outlives the child.
func TestInheritedListener(t *testing.T) {
	if os.Getenv(childListener) != "" {
		inheritingChild(t)
		return
	}
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer l.Close()
	f, err := l.File()
	require.NoError(t, err)
	defer f.Close()
	for _, names := range []string{"", "LISTEN_FDNAMES=admin:grpc"} {
		env, fds := "LISTEN_FDS=1", []*os.File{f}
		if names != "" {
			env, fds = "LISTEN_FDS=2", []*os.File{f, f}
		}
		child := exec.Command("/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" -test.run '^TestInheritedListener$' -test.v`, os.Args[0])
		child.Env = append(os.Environ(), childListener+"="+l.Addr().String(), env, names)
		child.ExtraFiles = fds
		out, err := child.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestInheritedListener")
	}
}

func inheritingChild(t *testing.T) {
	r := start(t, allow, Options{Addr: "127.0.0.1:1"}) // a port that cannot be bound by accident
	require.Equal(t, os.Getenv(childListener), r.Addr().String())
	require.Empty(t, os.Getenv("LISTEN_FDS"), "not for our children")
	r.SetServing(true) // until then the connection waits
	_, err := r.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	require.NoError(t, r.Drain(within(t)))
}

func TestNothingInherited(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"no variables": {}, "for another process": {"LISTEN_PID": "1", "LISTEN_FDS": "1"},
		"none": {"LISTEN_PID": "42", "LISTEN_FDS": "0"}, "nonsense": {"LISTEN_PID": "42", "LISTEN_FDS": "x"},
	} {
		l, err := Inherited(func(k string) string { return env[k] }, 42)
		require.NoError(t, err, name)
		require.Nil(t, l, name)
	}
	env := map[string]string{"LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"}
	_, err := Inherited(func(k string) string { return env[k] }, 42)
	require.EqualError(t, err, `inherit a listener: 2 descriptors, none is named "grpc"`)
}
