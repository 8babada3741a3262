package actors

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// FrontServer is the server that the front actor owns.
type FrontServer interface {
	// Serve accepts work until the server is drained or stopped, then returns nil.
	// After an error it may be called again.
	Serve() error
	// Drain closes the listener and lets accepted work end. It returns nil when none
	// is left and ctx's error when ctx ends before.
	Drain(ctx context.Context) error
	// Stop ends everything now. It may be called at any time and more than once.
	Stop()
}

// FrontListener is implemented by servers that can bind their address before they
// serve, so that an address in use is an error of the start and not of later.
// Listen is called again after Serve has failed.
type FrontListener interface{ Listen() error }

// FrontConfig is what the front actor is made of.
type FrontConfig struct {
	// Server may be nil, for an engine that is embedded without a server of ours.
	Server FrontServer
	// Retry is the delay before serving again after an accept error.
	Retry guard.Backoff
	// OnState is told when the listener is up, or why it is not. It must not block.
	OnState func(ready bool, reason string)
}

const (
	// noticeTime is what a server gets to notice by itself that its grace is over,
	// or that there was nothing to wait for, and to send what it has decided.
	noticeTime = 400 * time.Millisecond
	// steadyTime is how long a server must have served for its end to count as a
	// first failure again.
	steadyTime = time.Minute
	// hardStopTime is how long a hard stop may take before it is left behind.
	hardStopTime = 500 * time.Millisecond
)

// errServeEnded is a server that returned without being asked to.
var errServeEnded = errors.New("server ended by itself")

// Front is the handle of the front actor.
//
// The running server and the one drain are the handle's: they outlive a crash of
// the actor, whose next incarnation adopts them.
type Front struct {
	ref
	cfg     FrontConfig
	running atomic.Bool // a serve goroutine exists
	closing atomic.Bool // Serve's return is expected from now on

	listening *guard.Promise[struct{}] // first bind
	drainOnce sync.Once
	drained   *guard.Promise[messages.Drained]
}

// NewFront returns the handle.
func NewFront(cfg FrontConfig) *Front {
	if cfg.OnState == nil {
		cfg.OnState = func(bool, string) {}
	}
	return &Front{cfg: cfg, listening: guard.NewPromise[struct{}](), drained: guard.NewPromise[messages.Drained]()}
}

// Props describes the actor, for one spawn.
func (f *Front) Props(o guard.Options) *actor.Props {
	return f.props(func() actor.Actor { return &frontActor{h: f} }, o)
}

// Listening waits for the first bind and returns its error, which names the
// address.
func (f *Front) Listening(ctx context.Context) error {
	_, err := f.listening.Await(ctx)
	return err
}

// Drain closes the listener and waits until accepted work has ended, at most grace
// and a little more; then it is cut off. Several calls share one drain.
func (f *Front) Drain(ctx context.Context, grace time.Duration) (messages.Drained, error) {
	f.send(&drainFront{Grace: grace, h: f})
	return f.drained.Await(ctx)
}

// Stop cuts everything off now, whatever the actor does. It returns when the
// server has stopped, or after half a second.
func (f *Front) Stop() {
	f.closing.Store(true)
	f.hardStop()
}

// drainFront starts the drain. Rejected, it is started where it is.
type drainFront struct {
	guard.Quiet
	Grace time.Duration
	h     *Front
}

// Reject starts the drain without the actor.
func (d *drainFront) Reject(error) { d.h.startDrain(d.Grace) }

func (f *Front) startDrain(grace time.Duration) {
	f.drainOnce.Do(func() {
		f.closing.Store(true)
		if f.cfg.Server == nil {
			f.drained.Resolve(messages.Drained{})
			return
		}
		go f.drain(grace)
	})
}

func (f *Front) drain(grace time.Duration) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	end := make(chan error, 1)
	go func() {
		end <- guard.Shield("drain server", func() error { return f.cfg.Server.Drain(ctx) })
	}()
	var d messages.Drained
	select {
	case d.Err = <-end:
	case <-ctx.Done():
		notice := time.NewTimer(noticeTime)
		defer notice.Stop()
		select {
		case d.Err = <-end:
		case <-notice.C:
			d.Err = context.DeadlineExceeded
		}
	}
	d.Cut = errors.Is(d.Err, context.DeadlineExceeded)
	f.hardStop()
	d.Took = time.Since(begun)
	f.drained.Resolve(d)
}

// hardStop stops the server, and leaves a stop that hangs behind.
func (f *Front) hardStop() {
	if f.cfg.Server == nil {
		return
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		_ = guard.Shield("stop server", func() error { f.cfg.Server.Stop(); return nil })
	}()
	limit := time.NewTimer(hardStopTime)
	defer limit.Stop()
	select {
	case <-stopped:
	case <-limit.C:
	}
}

// serve runs on its own goroutine, once at a time.
func (f *Front) serve() {
	begun := time.Now()
	err := f.bind()
	if err != nil {
		f.listening.Reject(err)
	} else {
		f.listening.Resolve(struct{}{})
		f.cfg.OnState(true, "")
		err = guard.Shield("serve", f.cfg.Server.Serve)
	}
	if err == nil {
		err = errServeEnded
	}
	f.running.Store(false)
	f.send(&served{err: err, held: time.Since(begun)})
}

func (f *Front) bind() error {
	l, ok := f.cfg.Server.(FrontListener)
	if !ok {
		return nil
	}
	return guard.Shield("listen", l.Listen)
}

// served says why the serve goroutine ended, and after how long.
type served struct {
	guard.Quiet
	err  error
	held time.Duration
}

// serveAgain ends the delay after an accept error.
type serveAgain struct{ guard.Quiet }

// frontActor is one incarnation.
type frontActor struct {
	h        *Front
	failures int
	retry    *time.Timer
}

// Receive handles one message.
func (a *frontActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started, *serveAgain:
		a.start()
	case *served:
		a.ended(m)
	case *drainFront:
		a.h.startDrain(m.Grace)
	case *actor.Restarting, *actor.Stopping:
		if a.retry != nil {
			a.retry.Stop()
		}
	}
}

// start serves unless an earlier incarnation's goroutine still does.
func (a *frontActor) start() {
	switch {
	case a.h.closing.Load():
	case a.h.cfg.Server == nil:
		a.h.listening.Resolve(struct{}{})
		a.h.cfg.OnState(true, "")
	case a.h.running.CompareAndSwap(false, true):
		go a.h.serve()
	}
}

func (a *frontActor) ended(m *served) {
	if a.h.closing.Load() {
		return
	}
	a.h.cfg.OnState(false, m.err.Error())
	if m.held >= steadyTime {
		a.failures = 0
	}
	delay := a.h.cfg.Retry.Delay(a.failures, rand.Float64()) //nolint:gosec // a delay is no secret
	a.failures++
	a.retry = a.h.later(delay, &serveAgain{})
}
