package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// RulesConfig is what the rules actor is made of.
type RulesConfig struct {
	// Build reads, compiles and tries a tuple. It is called on a goroutine of its
	// own, one call at a time unless a call outlives BuildTimeout or the incarnation that
	// asked for it. A tuple beside an error is a partial success: it comes into force and
	// the error is reported. A panic is an error.
	Build func(context.Context) (*messages.Tuple, error)
	// BuildTimeout is how long one build may take before it is given up; zero is
	// 30 s.
	BuildTimeout time.Duration
	// OnReload is told of every reload, on the actor's turn, before those who asked
	// for it; it must not block.
	OnReload func(messages.ReloadReport)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Rules is the handle of the rules actor, which owns the tuple in force. The tuple
// is the handle's and outlives a crash of the actor.
type Rules struct {
	ref
	cfg     RulesConfig
	current atomic.Pointer[messages.Tuple]
	builds  atomic.Uint64 // numbers builds over all incarnations
}

// NewRules returns the handle, without a tuple.
func NewRules(cfg RulesConfig) *Rules {
	if cfg.BuildTimeout <= 0 {
		cfg.BuildTimeout = 30 * time.Second
	}
	if cfg.OnReload == nil {
		cfg.OnReload = func(messages.ReloadReport) {}
	}
	cfg.Now = clock(cfg.Now)
	return &Rules{cfg: cfg}
}

// Props describes the actor, for one spawn.
func (r *Rules) Props(o guard.Options) *actor.Props {
	return r.props(func() actor.Actor { return &rulesActor{h: r} }, o)
}

// Current is the tuple in force, nil before the first one. It never waits.
func (r *Rules) Current() *messages.Tuple { return r.current.Load() }

// Reload builds the tuple anew and waits for the result. Its error is that of the
// build, in which case the report says whether something changed all the same, or
// why there was no build.
func (r *Rules) Reload(ctx context.Context, reason string) (messages.ReloadReport, error) {
	m := &messages.Reload{Promise: guard.NewPromise[messages.ReloadReport](), Reason: reason}
	report, err := ask(ctx, &r.ref, m.Promise, m)
	if err != nil {
		return report, err
	}
	return report, report.Err
}

// errNoTuple is a builder that returned neither a tuple nor an error.
var errNoTuple = errors.New("build returned no tuple")

type (
	// built brings the result of build number n.
	built struct {
		guard.Quiet
		n     uint64
		tuple *messages.Tuple
		err   error
		took  time.Duration
	}
	// buildOverdue gives build number n up.
	buildOverdue struct {
		guard.Quiet
		n uint64
	}
)

// rulesActor is one incarnation: the build that is under way and who waits for it
// or for the next.
type rulesActor struct {
	h       *Rules
	build   uint64 // 0: none under way
	cancel  context.CancelFunc
	overdue *time.Timer
	served  []*messages.Reload // by the build under way
	waiting []*messages.Reload // for the next one
}

// Receive handles one message.
func (a *rulesActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *messages.Reload:
		a.waiting = append(a.waiting, m)
		a.start()
	case *built:
		if m.n == a.build {
			a.finish(m)
		}
	case *buildOverdue:
		if m.n == a.build {
			a.finish(&built{n: m.n, took: a.h.cfg.BuildTimeout,
				err: fmt.Errorf("build rules: gave up after %s", a.h.cfg.BuildTimeout)})
		}
	case *actor.Restarting, *actor.Stopping:
		a.release()
		for _, m := range append(a.served, a.waiting...) {
			m.Reject(guard.ErrStopped)
		}
	}
}

func (a *rulesActor) start() {
	if a.build != 0 || len(a.waiting) == 0 {
		return
	}
	a.served, a.waiting = a.waiting, nil
	a.build = a.h.builds.Add(1)
	h, n := a.h, a.build
	ctx, cancel := context.WithTimeout(context.Background(), h.cfg.BuildTimeout)
	a.cancel = cancel
	a.overdue = h.later(h.cfg.BuildTimeout+time.Second, &buildOverdue{n: n})
	go func() {
		m := &built{n: n}
		begun := time.Now()
		m.err = guard.Shield("build rules", func() (err error) {
			m.tuple, err = h.cfg.Build(ctx)
			return err
		})
		if m.tuple == nil && m.err == nil {
			m.err = errNoTuple
		}
		m.took = time.Since(begun)
		h.send(m)
	}()
}

func (a *rulesActor) finish(m *built) {
	a.release()
	report := messages.ReloadReport{
		Reason: a.served[len(a.served)-1].Reason, Err: m.err, At: a.h.cfg.Now(), Took: m.took, Requests: len(a.served),
	}
	if old := a.h.current.Load(); old != nil {
		report.Previous, report.Version, report.Generation = old.Version, old.Version, old.Generation
	}
	if m.tuple != nil {
		t := *m.tuple // the builder may keep its own
		report.Generation++
		report.Version, report.Changed = t.Version, t.Version != report.Previous
		t.Generation, t.LoadedAt = report.Generation, report.At
		a.h.current.Store(&t)
	}
	a.h.cfg.OnReload(report)
	for _, r := range a.served { // still there if OnReload has panicked
		r.Resolve(report)
	}
	a.served, a.build = nil, 0
	a.start()
}

func (a *rulesActor) release() {
	if a.build == 0 {
		return
	}
	a.cancel()
	a.overdue.Stop()
}
