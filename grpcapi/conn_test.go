package grpcapi

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// fakeSocket is a listener whose connections come over a channel, so that a bubble can
// tell when everybody waits.
type fakeSocket struct {
	net.Listener
	conns chan net.Conn
	past  chan struct{} // closed once the deadline has passed
}

func newFakeSocket() *fakeSocket {
	return &fakeSocket{conns: make(chan net.Conn), past: make(chan struct{})}
}

func (s *fakeSocket) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.past:
		return nil, os.ErrDeadlineExceeded
	}
}

func (s *fakeSocket) SetDeadline(time.Time) error {
	close(s.past)
	return nil
}

func (s *fakeSocket) Close() error { return nil }

// acceptAll takes from l what it accepts, until it ends.
func acceptAll(l *listener) (accepted chan net.Conn, ended chan error) {
	accepted, ended = make(chan net.Conn, 10), make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	return accepted, ended
}

// closed reports whether done is.
func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// pauseOf pauses l for at most limit and tells when that is through.
func pauseOf(l *listener, limit time.Duration) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.pause(limit)
	}()
	return done
}

// A drain goes on once the server has begun with every connection that was accepted,
// and not a moment earlier.
func TestPauseWaitsForWhatWasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newFakeSocket()
		l := newListener(socket, 10, 1, func() {})
		accepted, ended := acceptAll(l)
		var conns []net.Conn
		for range 2 {
			near, far := net.Pipe()
			defer far.Close()
			socket.conns <- near
			conns = append(conns, <-accepted)
		}

		done := pauseOf(l, time.Hour)
		for _, c := range conns {
			time.Sleep(time.Minute)
			synctest.Wait()
			require.False(t, closed(done), "the server has not begun with a connection")
			require.NoError(t, c.SetDeadline(time.Now().Add(time.Hour)))
		}
		synctest.Wait()
		require.True(t, closed(done))
		require.Empty(t, ended, "the server is not told that its listener is gone")
		l.pause(time.Hour) // a second drain waits for nothing

		require.NoError(t, l.Close())
		require.ErrorIs(t, <-ended, net.ErrClosed)
		for _, c := range conns {
			require.NoError(t, c.Close())
		}
	})
}

// A server that never begins with a connection holds a drain up no longer than it may.
func TestPauseEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newFakeSocket()
		l := newListener(socket, 10, 1, func() {})
		accepted, ended := acceptAll(l)
		near, far := net.Pipe()
		defer far.Close()
		socket.conns <- near
		c := <-accepted

		began := time.Now()
		l.pause(time.Minute)
		require.Equal(t, time.Minute, time.Since(began))

		require.NoError(t, l.Close())
		require.ErrorIs(t, <-ended, net.ErrClosed)
		require.NoError(t, c.Close())
	})
}

// A unix socket of our own is paused like any other.
func TestPauseOfAUnixSocket(t *testing.T) {
	unix, err := listenUnix(filepath.Join(t.TempDir(), "s.sock"), 0o600)
	require.NoError(t, err)
	l := newListener(unix, 10, 1, func() {})
	accepted, ended := acceptAll(l)
	c, err := net.Dial("unix", unix.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	first := <-accepted

	done := pauseOf(l, time.Hour)
	select {
	case <-l.paused:
	case <-within(t).Done():
		require.Fail(t, "the listener goes on accepting")
	}
	require.False(t, closed(done), "the server has not begun with a connection")
	require.NoError(t, first.SetDeadline(time.Now().Add(time.Hour)))
	<-done
	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.NoError(t, first.Close())
}

// What was not accepted when a drain began stays with the socket: the kernel takes the
// connection, and nobody here does.
func TestPauseLeavesTheRestToTheSocket(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := newListener(tcp, 10, 1, func() {})
	accepted, ended := acceptAll(l)
	dial := func() net.Conn {
		c, err := net.Dial("tcp", tcp.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	dial()
	first := <-accepted
	require.NoError(t, first.SetDeadline(time.Now().Add(time.Hour)))
	l.pause(time.Hour)
	dial()
	require.Equal(t, 1, l.count())

	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.Empty(t, accepted)
	require.NoError(t, first.Close())
}

// A connection that closes before the server begins with it is not waited for, nor
// is a listener that nobody accepts from.
func TestPauseWaitsForNothingThatCannotCome(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := newListener(tcp, 10, 1, func() {})
	l.pause(time.Hour)

	accepted, _ := acceptAll(l)
	c, err := net.Dial("tcp", tcp.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, (<-accepted).Close())
	l.pause(time.Hour)
	require.NoError(t, l.Close())
}

// While there are places for probes, a call's place is taken from a slow handshake alone,
// the slowest first; a connection that is through keeps its own.
func TestASlowHandshakeMakesRoomForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newFakeSocket()
		var refused atomic.Int64
		l := newListener(socket, 2, 3, func() { refused.Add(1) })
		accepted, _ := acceptAll(l)
		connect := func() (ours *conn, theirs net.Conn) {
			near, far := net.Pipe()
			t.Cleanup(func() { _ = far.Close() })
			socket.conns <- near
			c := (<-accepted).(*conn)
			t.Cleanup(func() { _ = c.Close() })
			return c, far
		}
		through, _ := connect()
		require.NoError(t, through.SetDeadline(time.Time{}))
		time.Sleep(time.Minute)
		slow, silent := connect()
		time.Sleep(slowHandshake - time.Nanosecond)
		crowd, _ := connect()
		require.True(t, crowd.probe, "there is still time")
		require.Zero(t, refused.Load())
		time.Sleep(time.Nanosecond)
		next, _ := connect()
		require.False(t, next.probe)
		require.EqualValues(t, 1, refused.Load())
		_, err := silent.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, slow.Close(), "closed by the server, too")
		require.Equal(t, 3, l.count())
		require.NoError(t, l.Close())
		close(socket.past)
	})
}

// While there are places for probes, one that is slow keeps its own: that it went would
// gain nobody anything.
func TestASlowProbeMakesRoomForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(newFakeSocket(), 1, 3, func() {})
		admit := func() *conn {
			near, far := net.Pipe()
			t.Cleanup(func() { _, _ = near.Close(), far.Close() })
			c, instead := l.admit(near)
			require.Nil(t, instead)
			return c
		}
		require.NoError(t, admit().SetDeadline(time.Time{}))
		require.True(t, admit().probe)
		time.Sleep(2 * slowHandshake)
		require.True(t, admit().probe)
		require.Equal(t, 3, l.count())
	})
}

// full is a listener whose process may open no more files, some times.
type full struct {
	net.Listener
	times atomic.Int32
}

type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }
func (temporary) Timeout() bool   { return false }
func (temporary) Temporary() bool { return true }

func (f *full) Accept() (net.Conn, error) {
	if f.times.Add(-1) >= 0 {
		return nil, temporary{syscall.EMFILE}
	}
	return f.Listener.Accept()
}

// Connections that cannot be accepted are tried again, and the log says why they wait.
func TestAcceptThatFailsIsSaid(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &full{Listener: tcp}
	l.times.Store(3)
	core, logs := observer.New(zap.WarnLevel)
	r := start(t, allow, Options{listener: l, Logger: zap.New(core)})
	_, err = extmcp.NewExtMcpClient(r.dial(t, plain())).CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	said := logs.FilterMessage("connections cannot be accepted").All()
	require.Len(t, said, 1)
	require.Contains(t, said[0].ContextMap()["error"], "too many open files")
}

// A process that may open no more files gives up handshakes, one each time it is told so,
// and no connection that is through.
func TestHandshakesMakeRoomForFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := newFakeSocket()
		var refused atomic.Int64
		f := &full{Listener: socket}
		l := newListener(f, 10, 1, func() { refused.Add(1) })
		accept := func() *conn {
			near, far := net.Pipe()
			t.Cleanup(func() { _ = far.Close() })
			go func() { socket.conns <- near }()
			c, err := l.Accept()
			require.NoError(t, err)
			t.Cleanup(func() { _ = c.Close() })
			time.Sleep(time.Millisecond)
			return c.(*conn)
		}
		through := accept()
		require.NoError(t, through.SetDeadline(time.Time{}))
		pending := []*conn{accept(), accept()}
		f.times.Store(3)
		for left := 2; left >= 0; left-- {
			_, err := l.Accept()
			require.ErrorIs(t, err, syscall.EMFILE)
			require.Equal(t, 1+max(left-1, 0), l.count())
		}
		require.EqualValues(t, 2, refused.Load())
		require.ErrorIs(t, pending[0].Conn.SetDeadline(time.Time{}), io.ErrClosedPipe)
		require.NoError(t, through.Conn.SetDeadline(time.Time{}))
	})
}
