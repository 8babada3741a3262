package sallyport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// hostFront stands in for a server when the host asks the engine itself: a drain
// then waits for the host's calls as it would for a server's.
type hostFront struct {
	inflight *atomic.Int64
	closed   atomic.Bool
	stopped  chan struct{}
	stop     sync.Once
}

func newHostFront(inflight *atomic.Int64) *hostFront {
	return &hostFront{inflight: inflight, stopped: make(chan struct{})}
}

// Serve blocks until the front is drained or stopped; the host serves.
func (f *hostFront) Serve() error {
	<-f.stopped
	return nil
}

// drainPoll is how often a drain looks whether the host's calls have ended. The
// calls pay one atomic add and nothing for being waited for.
const drainPoll = 5 * time.Millisecond

// Drain refuses new calls and waits for those that have begun.
func (f *hostFront) Drain(ctx context.Context) error {
	f.closed.Store(true)
	defer f.Stop()
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for f.inflight.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// Stop ends Serve.
func (f *hostFront) Stop() {
	f.closed.Store(true)
	f.stop.Do(func() { close(f.stopped) })
}
