package sallyport_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// closedSink counts how often it was closed.
type closedSink struct{ closed atomic.Int32 }

func (*closedSink) Append(*audit.Record) error { return nil }
func (*closedSink) Flush() error               { return nil }
func (s *closedSink) Close() error             { s.closed.Add(1); return nil }

// A sink is closed once, whatever the engine came to and however often it is shut down.
func TestSinkIsClosedOnce(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *sallyport.Engine){
		"never started": func(*testing.T, *sallyport.Engine) {},
		"started":       func(t *testing.T, e *sallyport.Engine) { require.NoError(t, e.Start(deadline(t))) },
		"failed to start": func(t *testing.T, e *sallyport.Engine) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Error(t, e.Start(ctx))
		},
	} {
		t.Run(name, func(t *testing.T) {
			sink := &closedSink{}
			cfg := sallyport.DefaultConfig()
			cfg.Drain, cfg.Audit = 0, sink
			e, err := sallyport.New(cfg)
			require.NoError(t, err)
			change(t, e)
			for range 2 {
				require.NoError(t, e.Shutdown(context.Background()))
			}
			require.EqualValues(t, 1, sink.closed.Load())
		})
	}
}

// A shutdown is told that a sink was closed, and how, also when its context had ended
// before, as that of a start that was given up has.
func TestShutdownIsToldOfASinkThatIsClosed(t *testing.T) {
	for name, sink := range map[string]*endingSink{"well": {}, "badly": {err: errors.New("disk full")}, "not at all": {panics: true}} {
		t.Run(name, func(t *testing.T) {
			cfg := sallyport.DefaultConfig()
			cfg.Drain, cfg.Audit = 0, sink
			e, err := sallyport.New(cfg)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			require.Error(t, e.Start(ctx))
			for range 2 {
				err := e.Shutdown(ctx)
				require.NotErrorIs(t, err, context.Canceled)
				require.Equal(t, name == "well", err == nil, err)
			}
			require.EqualValues(t, 1, sink.closed.Load())
		})
	}
}

// endingSink ends as it is told to.
type endingSink struct {
	closedSink
	err    error
	panics bool
}

func (s *endingSink) Close() error {
	s.closed.Add(1)
	if s.panics {
		panic("in close")
	}
	return s.err
}

// panickingSink panics on the first line it is given.
type panickingSink struct {
	closedSink
	given atomic.Int32
}

func (s *panickingSink) Append(*audit.Record) error {
	if s.given.Add(1) == 1 {
		panic("in append")
	}
	return nil
}

// A sink that panics on a line of a start that failed is given the others, is closed, and
// the shutdown is told of the line.
func TestASinkThatPanicsOnAnEarlyLineIsClosed(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	sink := &panickingSink{}
	cfg.Drain, cfg.Audit = 0, sink
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	for range 2 {
		e.ServerRefused(decision.Request, sallyport.Verdict{Outcome: decision.Deny})
	}
	require.ErrorContains(t, e.Shutdown(t.Context()), "append audit record")
	require.EqualValues(t, 2, sink.given.Load())
	require.EqualValues(t, 1, sink.closed.Load())
}

// stuckSink closes when it is let go.
type stuckSink struct {
	closedSink
	letGo chan struct{}
}

func (s *stuckSink) Close() error { <-s.letGo; return nil }

// Nor does a sink that does not close keep whoever shuts down an engine that never ran.
func TestShutdownEndsWithItsContext(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	sink := &stuckSink{letGo: make(chan struct{})}
	defer close(sink.letGo)
	cfg.Audit = sink
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Shutdown(ctx), context.Canceled)
}

// slowFront is a server whose address takes its time.
type slowFront struct {
	entered, letGo chan struct{}
	stopped        chan struct{}
	once           sync.Once
}

func (f *slowFront) Listen() error               { close(f.entered); <-f.letGo; return nil }
func (f *slowFront) Serve() error                { <-f.stopped; return nil }
func (f *slowFront) Drain(context.Context) error { f.Stop(); return nil }
func (f *slowFront) Stop()                       { f.once.Do(func() { close(f.stopped) }) }

// Nor does a start that takes its time: the shutdown ends with its context, and one
// that comes after the start does its work.
func TestShutdownDuringAStartEndsWithItsContext(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	front := &slowFront{entered: make(chan struct{}), letGo: make(chan struct{}), stopped: make(chan struct{})}
	e.Attach(front)
	started := make(chan error, 1)
	go func() { started <- e.Start(deadline(t)) }()
	<-front.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	down := make(chan error, 1)
	go func() { down <- e.Shutdown(ctx) }()
	select {
	case err := <-down:
		require.ErrorIs(t, err, context.Canceled)
	case <-deadline(t).Done():
		require.Fail(t, "the shutdown waits for the start")
	}
	close(front.letGo)
	require.NoError(t, <-started)
	require.NoError(t, e.Shutdown(context.Background()))
}
