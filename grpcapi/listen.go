package grpcapi

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// bind returns the listener of a test, an inherited one, or a new one.
func (s *Server) bind() (net.Listener, error) {
	if s.opts.listener != nil {
		return s.opts.listener, nil
	}
	l, err := Inherited(os.Getenv, os.Getpid())
	s.held = l != nil
	if l != nil || err != nil {
		// A descriptor is taken once, and is not for our children.
		for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
			_ = os.Unsetenv(name)
		}
		return l, err
	}
	path, unix := strings.CutPrefix(s.opts.Addr, "unix:")
	if unix {
		return listenUnix(path, s.opts.UnixMode)
	}
	if l, err = net.Listen("tcp", s.opts.Addr); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", s.opts.Addr, err)
	}
	return l, nil
}

// HoldTime is how long connections to an inherited listener are left waiting for
// the server to become ready. Together with the time that a call takes it is well
// under the request timeout of a gateway, because a gateway that is set to fail
// open passes what it got no answer to; after it calls are refused in good form.
const HoldTime = 2 * time.Second

// hold waits until calls would be decided, the server is told to end, or limit
// passes. Where the parent keeps the listener open, a connection that nobody has
// accepted yet is neither refused nor lost: it waits in the kernel, and a restart is
// a pause for its client where it would have been a denial.
func (s *Server) hold(limit <-chan time.Time) {
	for {
		status, ended, changed := s.health.state("")
		if ended || status == grpc_health_v1.HealthCheckResponse_SERVING {
			return
		}
		select {
		case <-changed:
		case <-limit:
			s.opts.Logger.Warn("not ready; connections are no longer held back", zap.Duration("held", HoldTime))
			return
		}
	}
}

// firstInherited is the number of the first descriptor that is handed over.
const firstInherited = 3

// fdName is the name that a unit file gives our descriptor where it hands over
// more than one.
const fdName = "grpc"

// Inherited returns the listener that the parent process handed over by the
// protocol of socket activation (LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES), nil when
// it handed over none. Among several the one named "grpc" is taken. With it a
// restart loses no connection: the parent keeps the socket open.
func Inherited(getenv func(string) string, pid int) (net.Listener, error) {
	n, err := strconv.Atoi(getenv("LISTEN_FDS"))
	if err != nil || n < 1 || getenv("LISTEN_PID") != strconv.Itoa(pid) {
		return nil, nil
	}
	fd := firstInherited
	if n > 1 {
		i := slices.Index(strings.Split(getenv("LISTEN_FDNAMES"), ":"), fdName)
		if i < 0 || i >= n {
			return nil, fmt.Errorf("inherit a listener: %d descriptors, none is named %q", n, fdName)
		}
		fd += i
	}
	// FileListener duplicates the descriptor, close-on-exec; ours is closed.
	f := os.NewFile(uintptr(fd), fdName)
	if f == nil {
		return nil, fmt.Errorf("inherit a listener: descriptor %d is not open", fd)
	}
	defer f.Close() //nolint:errcheck // the listener has a descriptor of its own
	l, err := net.FileListener(f)
	if err != nil {
		return nil, fmt.Errorf("inherit a listener: descriptor %d: %w", fd, err)
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false) // the parent's socket
	}
	return l, nil
}

// dialTime bounds the question whether somebody answers on a socket.
const dialTime = time.Second

// listenUnix binds a socket that only its mode's classes may use. It appears at its
// path with the mode already set, and replaces one that nobody answers on.
func listenUnix(path string, mode fs.FileMode) (net.Listener, error) {
	fail := func(err error) (net.Listener, error) { return nil, fmt.Errorf("listen on unix:%s: %w", path, err) }
	if err := claim(path); err != nil {
		return fail(err)
	}
	// A socket has the mode that the umask leaves between bind and chmod.
	hidden := path + "~"
	if err := os.Remove(hidden); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return fail(err)
	}
	l.SetUnlinkOnClose(false)
	for _, step := range []func() error{
		func() error { return os.Chmod(hidden, mode) },
		func() error { return os.Rename(hidden, path) },
	} {
		if err := step(); err != nil {
			_ = l.Close()
			_ = os.Remove(hidden)
			return fail(err)
		}
	}
	made, err := os.Lstat(path)
	if err != nil {
		_ = l.Close()
		return fail(err)
	}
	return &unixListener{UnixListener: l, path: path, made: made}, nil
}

// claim makes sure that path is free or holds a socket that nobody answers on.
func claim(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("the path exists and is not a socket")
	}
	c, err := net.DialTimeout("unix", path, dialTime)
	if err == nil {
		c.Close()
		return syscall.EADDRINUSE
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil // left behind
	}
	return err
}

// unixListener removes its socket when it closes, unless another one has taken its
// place. What it is made of shows, because a drain pauses it; see [listener.pause].
type unixListener struct {
	*net.UnixListener
	path string
	made fs.FileInfo
}

// Addr names the path and not the one it was bound under.
func (u *unixListener) Addr() net.Addr { return &net.UnixAddr{Name: u.path, Net: "unix"} }

func (u *unixListener) Close() error {
	if now, err := os.Lstat(u.path); err == nil && os.SameFile(now, u.made) {
		_ = os.Remove(u.path)
	}
	return u.UnixListener.Close()
}

// local reports whether only this host can reach the address.
func local(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}
