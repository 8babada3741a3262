package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// fakeServer is a server whose calls are counted and whose work is a duration.
type fakeServer struct {
	listenErr error         // of Listen
	serveErrs []error       // of the first calls of Serve
	work      time.Duration // how long accepted work still takes when it is drained
	stuck     bool          // Drain does not even look at its context
	panics    bool

	mu      sync.Mutex
	stopped chan struct{}
	serves  atomic.Int32
	drains  atomic.Int32
	stops   atomic.Int32
}

func (s *fakeServer) stop() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = make(chan struct{})
	}
	return s.stopped
}

func (s *fakeServer) Listen() error { return s.listenErr }

func (s *fakeServer) Serve() error {
	n := int(s.serves.Add(1))
	if n <= len(s.serveErrs) {
		return s.serveErrs[n-1]
	}
	<-s.stop()
	return nil
}

func (s *fakeServer) Drain(ctx context.Context) error {
	s.drains.Add(1)
	if s.panics {
		panic("in drain")
	}
	if s.stuck {
		<-s.stop()
		return nil
	}
	if s.work == 0 {
		return nil
	}
	select {
	case <-time.After(s.work):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *fakeServer) Stop() {
	if s.stops.Add(1) == 1 {
		close(s.stop())
	}
}

type stateLog struct {
	mu   sync.Mutex
	list []string
}

func (l *stateLog) add(ready bool, reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ready {
		reason = "ready"
	}
	l.list = append(l.list, reason)
}

func (l *stateLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.list...)
}

func TestFrontThatCannotBindSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		bind := errors.New("listen 127.0.0.1:9001: address already in use")
		log := &stateLog{}
		f := NewFront(FrontConfig{Server: &fakeServer{listenErr: bind}, OnState: log.add})
		s.spawn(f.Props(guard.Options{}))
		require.ErrorIs(t, f.Listening(t.Context()), bind)
		synctest.Wait()
		require.Equal(t, []string{bind.Error()}, log.all())
	})
}

func TestFrontRetriesAfterAcceptErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		server := &fakeServer{serveErrs: []error{errors.New("accept: too many open files"), nil}}
		log := &stateLog{}
		f := NewFront(FrontConfig{Server: server, OnState: log.add})
		pid := s.spawn(f.Props(guard.Options{}))
		require.NoError(t, f.Listening(t.Context()))
		time.Sleep(time.Minute)
		require.Equal(t, []string{"ready", "accept: too many open files", "ready", errServeEnded.Error(), "ready"}, log.all())
		require.EqualValues(t, 3, server.serves.Load())

		s.crash(pid)
		synctest.Wait()
		require.EqualValues(t, 3, server.serves.Load(), "a new incarnation adopts the running server")
		f.Stop()
		synctest.Wait()
		require.Len(t, log.all(), 5, "an end that was asked for is no failure")
	})
}

func TestFrontDrain(t *testing.T) {
	cases := map[string]struct {
		server *fakeServer
		grace  time.Duration
		cut    bool
		took   time.Duration
	}{
		"nothing in flight":               {&fakeServer{}, 5 * time.Second, false, 0},
		"work ends in time":               {&fakeServer{work: 3 * time.Second}, 5 * time.Second, false, 3 * time.Second},
		"work takes too long":             {&fakeServer{work: time.Hour}, 5 * time.Second, true, 5 * time.Second},
		"server does not look":            {&fakeServer{stuck: true}, 5 * time.Second, true, 5*time.Second + noticeTime},
		"no grace and nothing in flight":  {&fakeServer{}, 0, false, 0},
		"no grace and something in work":  {&fakeServer{work: time.Second}, 0, true, 0},
		"server panics instead of ending": {&fakeServer{panics: true}, 5 * time.Second, false, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestStage(t)
				f := NewFront(FrontConfig{Server: tc.server})
				s.spawn(f.Props(guard.Options{}))
				require.NoError(t, f.Listening(t.Context()))
				d, err := f.Drain(t.Context(), tc.grace)
				require.NoError(t, err)
				require.Equal(t, tc.cut, d.Cut)
				require.Equal(t, tc.took, d.Took)
				if tc.server.panics {
					require.ErrorIs(t, d.Err, guard.ErrPanic)
				}
				require.EqualValues(t, 1, tc.server.stops.Load(), "hard stop behind every drain")
				again, err := f.Drain(t.Context(), time.Hour)
				require.NoError(t, err)
				require.Equal(t, d, again, "there is one drain")
			})
		})
	}
}

func TestFrontWithoutAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		f := NewFront(FrontConfig{})
		s.spawn(f.Props(guard.Options{}))
		require.NoError(t, f.Listening(t.Context()))
		d, err := f.Drain(t.Context(), time.Second)
		require.NoError(t, err)
		require.False(t, d.Cut)
		f.Stop()
	})
}

func TestFrontDrainsWithoutAnActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{work: time.Second}
		f := NewFront(FrontConfig{Server: server})
		d, err := f.Drain(t.Context(), 5*time.Second)
		require.NoError(t, err)
		require.Equal(t, time.Second, d.Took)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, NewFront(FrontConfig{}).Listening(ctx), context.Canceled)
	})
}
