package supervision

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// rootActor is one incarnation of the root supervisor. It decides about failures
// in its own turn and never blocks: while it did, no child could be restarted or
// stopped.
type rootActor struct {
	t        *Tree
	self     *actor.PID
	children map[string]*child // by id
	stopping bool
}

type (
	// respawn ends the delay before a child comes back.
	respawn struct {
		guard.Quiet
		name string
		gen  uint64
	}
	// steady asks whether a child has held since.
	steady struct {
		guard.Quiet
		name string
		gen  uint64
	}
	// retire stops a child for good; the promise is resolved when it is gone.
	retire struct {
		*guard.Promise[struct{}]
		name string
	}
)

var _ actor.SupervisorStrategy = (*rootActor)(nil)

// Receive handles one message.
func (r *rootActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		r.start(c)
	case *actor.Terminated:
		r.ended(m.Who)
	case *respawn:
		if ch := r.children[m.name]; ch != nil && ch.gen == m.gen && ch.pid == nil && !ch.retired {
			r.spawn(c, ch)
		}
	case *steady:
		if ch := r.children[m.name]; ch != nil && ch.gen == m.gen && ch.pid != nil {
			r.held(ch)
		}
	case *retire:
		r.retire(c, m)
	case *actor.Stopping, *actor.Restarting:
		r.stopping = true
		for _, ch := range r.children {
			for _, w := range ch.waiters {
				w.Reject(guard.ErrStopped)
			}
		}
	}
}

// start spawns every child, in order.
func (r *rootActor) start(c actor.Context) {
	r.self, r.children = c.Self(), make(map[string]*child, len(r.t.specs))
	for _, s := range r.t.specs {
		ch := &child{spec: s}
		r.children[r.id(s.name)] = ch
		if r.t.isRetired(s.name) { // before a crash of the root
			ch.retired = true
			continue
		}
		r.spawn(c, ch)
	}
	r.t.spawned.Resolve(struct{}{})
}

func (r *rootActor) id(name string) string { return r.self.Id + "/" + name }

// spawn starts a child that is down, or tries again later.
func (r *rootActor) spawn(c actor.Context, ch *child) {
	ch.gen = r.t.gen.Add(1)
	pid, err := c.SpawnNamed(r.t.props(ch.spec), ch.spec.name)
	if err != nil {
		r.t.cfg.Log.Error("actor does not start", zap.String("actor", ch.spec.name), zap.Error(err))
		r.comeBack(ch)
		return
	}
	ch.pid = pid
	if ch.attempt > 0 || ch.over {
		r.t.cfg.Log.Info("actor is back", zap.String("actor", ch.spec.name), zap.Int("attempt", ch.attempt))
		r.watch(ch)
	}
}

// watch asks for a look at the child once it should have held for long enough.
func (r *rootActor) watch(ch *child) {
	r.t.later(RestartWindow, &steady{name: r.id(ch.spec.name), gen: ch.gen})
}

func (r *rootActor) held(ch *child) {
	ch.attempt, ch.failures = 0, nil
	if ch.over {
		ch.over = false
		r.t.cfg.Log.Info("actor holds", zap.String("actor", ch.spec.name))
		r.t.Lifecycle.Ready(ch.part())
	}
}

// HandleFailure decides about a child that panicked.
func (r *rootActor) HandleFailure(_ *actor.ActorSystem, s actor.Supervisor, pid *actor.PID,
	_ *actor.RestartStatistics, _, _ any) {
	ch := r.children[pid.Id]
	if ch == nil || ch.pid == nil || r.stopping {
		s.StopChildren(pid)
		return
	}
	over := ch.fail(r.t.cfg.Now())
	ch.gen = r.t.gen.Add(1)
	if over {
		r.over(ch)
		s.StopChildren(pid) // and back after a delay, from Terminated
		return
	}
	r.t.cfg.Observer.ActorRestarted(ch.spec.label)
	s.RestartChildren(pid)
	if ch.over || ch.attempt > 0 {
		r.watch(ch)
	}
}

// over withdraws readiness for a child that fails too often.
func (r *rootActor) over(ch *child) {
	if !ch.over {
		r.t.cfg.Log.Error("actor fails too often", zap.String("actor", ch.spec.name), zap.Int("failures", len(ch.failures)))
	}
	ch.over = true
	r.t.Lifecycle.Unready(ch.part(), ch.reason())
}

// ended is told of every child that is gone, for whatever reason.
func (r *rootActor) ended(pid *actor.PID) {
	ch := r.children[pid.Id]
	if ch == nil || ch.pid == nil || r.stopping {
		return
	}
	ch.pid = nil
	if ch.retired {
		for _, w := range ch.waiters {
			w.Resolve(struct{}{})
		}
		ch.waiters = nil
		return
	}
	// A stop that nobody here asked for is a failure like a panic.
	if !ch.over && ch.fail(r.t.cfg.Now()) {
		r.over(ch)
	}
	r.comeBack(ch)
}

// comeBack arms the respawn of a child that is down.
func (r *rootActor) comeBack(ch *child) {
	ch.gen = r.t.gen.Add(1)
	delay := r.t.cfg.Backoff.Delay(ch.attempt, r.t.cfg.Random())
	ch.attempt++
	r.t.cfg.Observer.ActorRestarted(ch.spec.label)
	r.t.cfg.Log.Warn("actor is down", zap.String("actor", ch.spec.name), zap.Duration("back_in", delay))
	r.t.later(delay, &respawn{name: r.id(ch.spec.name), gen: ch.gen})
}

func (r *rootActor) retire(c actor.Context, m *retire) {
	ch := r.children[r.id(m.name)]
	switch {
	case ch == nil:
		m.Reject(fmt.Errorf("stop actor %q: %w", m.name, guard.ErrDown))
		return
	case ch.pid == nil:
		ch.retired = true
		m.Resolve(struct{}{})
		return
	}
	ch.waiters = append(ch.waiters, m.Promise)
	if !ch.retired {
		ch.retired = true
		c.Poison(ch.pid) // behind what it still has to do
	}
}

// later sends a message to the root after d, unless the tree is stopped before.
func (t *Tree) later(d time.Duration, message any) {
	t.timers.after(d, func() { t.tell(message) })
}
