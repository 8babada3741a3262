package actors

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// WatchdogLimit is how long the lifecycle actor may owe an answer before the
// process counts as stuck and liveness is withdrawn.
const WatchdogLimit = 30 * time.Second

// LifecycleConfig is what the lifecycle actor is made of.
type LifecycleConfig struct {
	// Parts are what must be ready, in the order in which status pages show them.
	// Each starts out not ready. A report about a part that is not listed adds it.
	Parts []string
	// Front is drained when it is time.
	Front *Front
	// Wait and Grace are the budgets of a drain: how long new work is still served
	// after readiness is withdrawn, and how long accepted work may take after that.
	Wait, Grace time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Lifecycle is the handle of the lifecycle actor: the phase of the process, what
// it waits for, and its ordered way out.
//
// The phase lives in the handle, in an immutable snapshot that is only ever
// replaced by advanceLifecycle. The actor replaces it, one event after the other;
// an event whose actor is dead is applied by whoever reports it, so that no report
// is lost and readiness can always be withdrawn.
type Lifecycle struct {
	ref
	cfg     LifecycleConfig
	view    atomic.Pointer[messages.Lifecycle]
	pong    atomic.Pointer[time.Time] // the watchdog's last answer
	hurried chan struct{}
	hurry   sync.Once
	reports atomic.Uint64 // made so far

	// mu keeps subscribers from being told an older phase after a newer one. It is
	// a lock and not the actor's turn because they must be told, too, when the actor
	// is dead. Whoever finds it taken leaves its news, as untold, to the holder.
	mu     sync.Mutex
	untold atomic.Bool
	told   messages.Lifecycle
	subs   map[int]func(messages.PhaseChange)
	nextID int
}

// NewLifecycle returns the handle, in phase Starting.
func NewLifecycle(cfg LifecycleConfig) *Lifecycle {
	cfg.Now = clock(cfg.Now)
	l := &Lifecycle{cfg: cfg, hurried: make(chan struct{}), subs: map[int]func(messages.PhaseChange){}}
	now := cfg.Now()
	v := &messages.Lifecycle{Since: now}
	for _, name := range cfg.Parts {
		v.Parts = append(v.Parts, messages.Part{Name: name, Since: now, Reason: "not started"})
	}
	l.view.Store(v)
	l.told = *v
	l.pong.Store(&now)
	return l
}

// Props describes the actor, for one spawn.
func (l *Lifecycle) Props(o guard.Options) *actor.Props {
	return l.props(func() actor.Actor { return &lifecycleActor{h: l} }, o)
}

// Phase is the current phase. It never waits.
func (l *Lifecycle) Phase() messages.Phase { return l.view.Load().Phase }

// Snapshot is all that is known. It never waits; the slices must not be changed.
func (l *Lifecycle) Snapshot() messages.Lifecycle { return *l.view.Load() }

// Subscribe calls f now with the current phase (From equals To) and then on every
// change, in order, until the returned function is called. f runs on the reporter's
// turn: it must not block and must not subscribe or unsubscribe; a panic in it is
// swallowed.
func (l *Lifecycle) Subscribe(f func(messages.PhaseChange)) (unsubscribe func()) {
	l.mu.Lock()
	defer l.unlock()
	id := l.nextID
	l.nextID++
	l.subs[id] = f
	tellOne(f, messages.PhaseChange{From: l.told.Phase, To: l.told.Phase, At: l.told.Since, Reason: l.told.Reason})
	return func() {
		l.mu.Lock()
		defer l.unlock()
		l.tellLocked() // what was raised before is told to f, too
		delete(l.subs, id)
	}
}

// Warm reports that everything is spawned.
func (l *Lifecycle) Warm() {
	l.report(messages.Warm{})
	l.report(messages.Warm{})
}

// Ready reports that a part is ready.
func (l *Lifecycle) Ready(part string) {
	l.report(messages.Ready{Part: part, Report: l.reports.Add(1)})
}

// Unready reports that a part is not ready, with a reason for a person.
func (l *Lifecycle) Unready(part, reason string) {
	l.report(messages.Unready{Part: part, Reason: reason, Report: l.reports.Add(1)})
}

// Raise moves the phase to a final one, at once. It is for whoever stops the tree.
func (l *Lifecycle) Raise(to messages.Phase, reason string) {
	l.apply(raise{to, reason})
	l.tell()
}

// AwaitServing waits until the phase is Serving, or until it is final or ctx ends,
// and returns the phase it saw last.
func (l *Lifecycle) AwaitServing(ctx context.Context) messages.Phase {
	reached := make(chan messages.Phase, 1)
	defer l.Subscribe(func(c messages.PhaseChange) {
		if c.To.Ready() || c.To.Final() {
			select {
			case reached <- c.To:
			default:
			}
		}
	})()
	select {
	case p := <-reached:
		return p
	case <-ctx.Done():
		return l.Phase()
	}
}

// Drain withdraws readiness at once, waits while new work is still served, and
// closes the front. Several calls join. It returns when the front is closed, or
// with ctx's error; readiness stays withdrawn in any case.
func (l *Lifecycle) Drain(ctx context.Context, reason string) (messages.Drained, error) {
	l.apply(raise{messages.Draining, reason})
	l.tell()
	// A crash costs the actor its waiters; the next incarnation goes on with the
	// same drain, so asking again joins it.
	for range 3 {
		d := &messages.Drain{Promise: guard.NewPromise[messages.Drained]()}
		done, err := ask(ctx, &l.ref, d.Promise, d)
		if err == nil {
			return done, nil
		}
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
	}
	return l.drainAlone(ctx)
}

// drainAlone takes the actor's steps on the caller's goroutine.
func (l *Lifecycle) drainAlone(ctx context.Context) (messages.Drained, error) {
	wait := time.NewTimer(l.waitLeft())
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-l.hurried:
	case <-ctx.Done():
		return messages.Drained{}, context.Cause(ctx)
	}
	d, err := l.cfg.Front.Drain(ctx, l.cfg.Grace)
	l.Raise(messages.Stopping, l.Snapshot().Reason)
	return d, err
}

// Hurry ends the drain wait, of a drain that is under way or yet to come.
func (l *Lifecycle) Hurry() {
	l.hurry.Do(func() { close(l.hurried) })
	l.send(&messages.Hurry{})
}

// Live reports whether the process makes progress: whether the watchdog's last
// answer is younger than WatchdogLimit.
func (l *Lifecycle) Live() bool {
	return l.cfg.Now().Sub(*l.pong.Load()) < WatchdogLimit
}

// Watch asks the actor for a sign of life every interval, until the returned
// function is called. It holds no goroutine between two questions.
func (l *Lifecycle) Watch(interval time.Duration) (stop func()) {
	var mu sync.Mutex // the timer is re-armed by its own goroutine
	var timer *time.Timer
	stopped := false
	var ping func()
	ping = func() {
		l.send(&messages.Ping{Promise: guard.NewPromise[time.Time]()})
		mu.Lock()
		defer mu.Unlock()
		if !stopped {
			timer = time.AfterFunc(interval, ping)
		}
	}
	ping()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

func (l *Lifecycle) waitLeft() time.Duration {
	select {
	case <-l.hurried:
		return 0
	default:
		return max(l.cfg.Wait-l.cfg.Now().Sub(l.Snapshot().DrainAt), 0)
	}
}

// lifecycleEvent carries a report to the actor. Rejected, for whatever reason, it
// is applied where it is.
type lifecycleEvent struct {
	guard.Quiet
	h     *Lifecycle
	event any
}

// Reject applies the event without the actor.
func (e *lifecycleEvent) Reject(error) {
	e.h.apply(e.event)
	e.h.tell()
}

func (l *Lifecycle) report(event any) { l.send(&lifecycleEvent{h: l, event: event}) }

// apply replaces the snapshot by what event makes of it.
func (l *Lifecycle) apply(event any) {
	for {
		old := l.view.Load()
		next, changed := advanceLifecycle(*old, event, l.cfg.Now())
		if !changed {
			return
		}
		next.Seq++
		if l.view.CompareAndSwap(old, &next) {
			return
		}
	}
}

// tell brings the subscribers up to the current snapshot. It does not wait for a
// subscriber that another goroutine is telling.
func (l *Lifecycle) tell() {
	l.untold.Store(true)
	for l.untold.Load() && l.mu.TryLock() {
		for l.untold.Swap(false) {
			l.tellLocked()
		}
		l.mu.Unlock()
	}
}

// unlock gives mu back and tells what a tell in the meantime has left to its holder.
func (l *Lifecycle) unlock() {
	l.mu.Unlock()
	if l.untold.Load() {
		l.tell()
	}
}

func (l *Lifecycle) tellLocked() {
	v := *l.view.Load()
	from := l.told.Phase
	l.told = v
	if from == v.Phase {
		return
	}
	change := messages.PhaseChange{From: from, To: v.Phase, At: v.Since, Reason: v.Reason}
	for _, f := range l.subs {
		tellOne(f, change)
	}
}

func tellOne(f func(messages.PhaseChange), c messages.PhaseChange) {
	// A subscriber's panic must not cost the others their news.
	defer func() { _ = recover() }()
	f(c)
}
