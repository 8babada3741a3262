package grpcapi

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A connection that was accepted is begun with before a drain goes on, and one that
// was not stays with the socket.
func TestPauseWaitsForWhatWasAccepted(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := newListener(tcp, 10, 1, func() {})
	accepted := make(chan net.Conn)
	ended := make(chan error, 1)
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
	dial := func() net.Conn {
		c, err := net.Dial("tcp", tcp.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	dial()
	first := <-accepted

	done := make(chan struct{})
	go func() {
		defer close(done)
		l.pause(time.Hour)
	}()
	<-l.paused // Accept returns nothing any more
	select {
	case <-done:
		require.Fail(t, "the drain went on before the server had begun with a connection")
	default:
	}
	dial() // the kernel takes it, and nobody here does
	require.NoError(t, first.SetDeadline(time.Now().Add(time.Hour)))
	<-done
	require.Equal(t, 1, l.count())
	l.pause(time.Hour) // a second drain waits for nothing

	require.NoError(t, l.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.NoError(t, first.Close())
}

// A connection that closes before the server begins with it is not waited for, nor
// is a listener that nobody accepts from.
func TestPauseWaitsForNothingThatCannotCome(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := newListener(tcp, 10, 1, func() {})
	l.pause(time.Hour)

	accepted := make(chan net.Conn, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	c, err := net.Dial("tcp", tcp.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, (<-accepted).Close())
	l.pause(time.Hour)
	require.NoError(t, l.Close())
}
