package actors

import (
	"context"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// GateConfig is what the gate actor is made of.
type GateConfig struct {
	// Check decides; it has its own deadline and admission. It is called on a
	// goroutine per check.
	Check func(context.Context, *decision.Exchange) decision.Verdict
	// MaxChecks bounds the goroutines; beyond it a check is rejected with ErrFull.
	// Zero is 4096.
	MaxChecks int
}

// Gate is the handle of the gate actor, through which other actors of the same
// system ask for verdicts.
type Gate struct {
	ref
	cfg    GateConfig
	checks atomic.Int64
}

// NewGate returns the handle.
func NewGate(cfg GateConfig) *Gate {
	if cfg.MaxChecks <= 0 {
		cfg.MaxChecks = 4096
	}
	return &Gate{cfg: cfg}
}

// Props describes the actor, for one spawn.
func (g *Gate) Props(o guard.Options) *actor.Props {
	return g.props(func() actor.Actor { return newGateActor(g) }, o)
}

// PID is where actors of the same system send *messages.Check; nil while there is
// no gate. It is good for one incarnation: ask again rather than keep it.
func (g *Gate) PID() *actor.PID {
	if a := g.at.Load(); a != nil {
		return a.pid
	}
	return nil
}

// Check asks through the actor, as another actor would.
func (g *Gate) Check(ctx context.Context, e *decision.Exchange) (decision.Verdict, error) {
	m := &messages.Check{Promise: guard.NewPromise[decision.Verdict](), Exchange: e, Context: ctx}
	return ask(ctx, &g.ref, m.Promise, m)
}

// gateActor is one incarnation; its checks end with it.
type gateActor struct {
	h      *Gate
	alive  context.Context //nolint:containedctx // the lifetime of this incarnation
	cancel context.CancelFunc
}

func newGateActor(g *Gate) *gateActor {
	a := &gateActor{h: g}
	a.alive, a.cancel = context.WithCancel(context.Background())
	return a
}

// Receive handles one message.
func (a *gateActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *messages.Check:
		a.check(m, c.Sender(), c.ActorSystem().Root)
	case *actor.Restarting, *actor.Stopping:
		a.cancel()
	}
}

func (a *gateActor) check(m *messages.Check, sender *actor.PID, root *actor.RootContext) {
	answer := func(v decision.Verdict, err error) {
		switch {
		case err != nil:
			m.Reject(err)
		default:
			m.Resolve(v)
		}
		if m.Promise == nil && sender != nil {
			root.Send(sender, &messages.Checked{Verdict: v, Err: err, Tag: m.Tag})
		}
	}
	if a.h.checks.Add(1) > int64(a.h.cfg.MaxChecks) {
		a.h.checks.Add(-1)
		answer(decision.Verdict{}, guard.ErrFull)
		return
	}
	parent := m.Context
	if parent == nil {
		parent = context.Background()
	}
	go func() {
		defer a.h.checks.Add(-1)
		ctx, cancel := context.WithCancel(parent)
		defer cancel()
		defer context.AfterFunc(a.alive, cancel)()
		var v decision.Verdict
		err := guard.Shield("check", func() error { v = a.h.cfg.Check(ctx, m.Exchange); return nil })
		answer(v, err)
	}()
}
