package actors

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// ref is a handle's way to the current incarnation of its actor. The zero value
// reaches nobody.
type ref struct{ at atomic.Pointer[address] }

type address struct {
	root *actor.RootContext
	pid  *actor.PID
}

// props describes an actor whose incarnations this ref follows: it is set before
// the actor's first message and cleared when the actor begins to stop. The props
// are for one spawn (and its restarts); a respawn needs new ones, so that the end of
// the old actor is not taken for that of the new one.
func (r *ref) props(producer actor.Producer, o guard.Options) *actor.Props {
	var current atomic.Pointer[address]
	o.OnStop = func() {
		if a := current.Load(); a != nil {
			// Loses to a respawn that was quicker.
			r.at.CompareAndSwap(a, nil)
		}
	}
	return guard.Props(producer, o, actor.WithOnInit(func(c actor.Context) {
		// A root context of our own: a host may have put middleware on its.
		a := &address{root: actor.NewRootContext(c.ActorSystem(), nil), pid: c.Self()}
		current.Store(a)
		r.at.Store(a)
	}))
}

// send delivers message or rejects it, and reports whether there was an actor.
func (r *ref) send(message any) bool {
	if a := r.at.Load(); a != nil {
		a.root.Send(a.pid, message)
		return true
	}
	if m, ok := message.(guard.Rejecter); ok {
		m.Reject(guard.ErrDown)
	}
	return false
}

// later sends message to whoever is the actor after d. Timers outlive
// incarnations: the message carries a generation, or says nothing that a new
// incarnation would misread.
func (r *ref) later(d time.Duration, message any) *time.Timer {
	return time.AfterFunc(d, func() { r.send(message) })
}

// ask sends message, which embeds p, and waits for p.
func ask[T any](ctx context.Context, r *ref, p *guard.Promise[T], message any) (T, error) {
	r.send(message)
	return p.Await(ctx)
}

func clock(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}
