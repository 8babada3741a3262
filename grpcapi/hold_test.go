package grpcapi

import (
	"net"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// Connections to an inherited listener wait for readiness, and for nothing else
// that ends the wait.
func TestHold(t *testing.T) {
	for name, tc := range map[string]struct {
		release func(s *Server, limit chan<- time.Time)
		warned  bool
	}{
		"ready":     {release: func(s *Server, _ chan<- time.Time) { s.SetServing(true) }},
		"drained":   {release: func(s *Server, _ chan<- time.Time) { s.health.set(func(h *health) { h.ended = true }) }},
		"the limit": {release: func(_ *Server, limit chan<- time.Time) { limit <- time.Time{} }, warned: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, entries := observed()
				s := &Server{opts: Options{Logger: log}, health: newHealth()}
				limit, over := make(chan time.Time), make(chan struct{})
				go func() {
					defer close(over)
					s.hold(limit)
				}()
				s.SetLive(false) // a change of something else
				synctest.Wait()
				select {
				case <-over:
					t.Fatal("nothing was ready")
				default:
				}
				tc.release(s, limit)
				<-over
				if tc.warned {
					require.Contains(t, entries(), "no longer held back")
				} else {
					require.NotContains(t, entries(), "held back")
				}
			})
		})
	}
}

// A server that is ready already does not wait.
func TestHoldNothing(t *testing.T) {
	s := &Server{opts: Options{Logger: zap.NewNop()}, health: newHealth()}
	s.SetServing(true)
	s.hold(nil)
}

// Stop and Drain reach a server that holds connections back.
func TestStopWhileHolding(t *testing.T) {
	for name, end := range map[string]func(*Server) error{
		"stop":  func(s *Server) error { s.Stop(); return nil },
		"drain": func(s *Server) error { return s.Drain(within(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			s, err := New(checkFunc(allow), Options{listener: l})
			require.NoError(t, err)
			require.NoError(t, s.Listen())
			s.held = true
			served := make(chan error, 1)
			go func() { served <- s.Serve() }()
			require.NoError(t, end(s))
			require.NoError(t, <-served)
		})
	}
}

// A listener of our own is not held back: a probe must find an answer from the
// first moment.
func TestOwnListenerIsNotHeld(t *testing.T) {
	t.Setenv("LISTEN_FDS", "1")
	t.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid()+1))
	r := start(t, allow, Options{})
	require.False(t, r.held)
	_, err := r.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
}
