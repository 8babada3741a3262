package supervision

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// partSupervisor is the readiness part of the root itself, while it is down.
const partSupervisor = "supervisor"

// rootHandle is the way to the current root actor. It has a lock because the end of
// the tree, which comes from outside, must not cross a respawn.
type rootHandle struct {
	mu      sync.Mutex
	pid     *actor.PID    // nil while there is none
	ended   chan struct{} // closed when the latest one is gone; nil before the first
	attempt int           // respawns in a row
	closed  bool          // there will be no other
}

func (h *rootHandle) current() *actor.PID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pid
}

// close forbids respawns and returns the root that is left, nil for none, and what
// is closed when it is gone.
func (h *rootHandle) close() (*actor.PID, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return h.pid, h.ended
}

// spawnRoot starts the root actor, at first or after it has given up: the library
// restarts an actor without a parent ten times in ten seconds, then stops it.
func (t *Tree) spawnRoot() error {
	t.root.mu.Lock()
	defer t.root.mu.Unlock()
	if t.root.closed {
		return nil
	}
	ended := make(chan struct{})
	props := guard.Props(func() actor.Actor { return &rootActor{t: t} },
		guard.Options{Name: t.cfg.Name, OnPanic: t.panicked, OnEnd: func() { t.rootEnded(ended) }})
	if t.cfg.decorate != nil {
		props = t.cfg.decorate("root", props)
	}
	pid, err := t.from.SpawnNamed(props, t.cfg.Name)
	if err != nil {
		return err
	}
	t.root.pid, t.root.ended = pid, ended
	return nil
}

// rootEnded runs on the last turn of a root actor, asked for or not.
func (t *Tree) rootEnded(ended chan struct{}) {
	t.spawned.Reject(guard.ErrDown)
	t.root.mu.Lock()
	if t.root.ended == ended {
		t.root.pid = nil
	}
	t.root.attempt++
	attempt := t.root.attempt
	t.root.mu.Unlock()
	if !t.closing.Load() {
		delay := t.cfg.Backoff.Delay(attempt-1, t.cfg.Random())
		t.cfg.Log.Error("root supervisor is gone", zap.Duration("back_in", delay))
		t.Lifecycle.Unready(partSupervisor, "gave up")
		t.timers.after(delay, func() { t.rootBack(attempt) })
	}
	close(ended)
}

// rootBack ends the delay after a root gave up. Readiness returns when the new one
// has held for long enough.
func (t *Tree) rootBack(attempt int) {
	if err := t.spawnRoot(); err != nil {
		t.cfg.Log.Error("root supervisor does not start", zap.Error(err))
		t.timers.after(t.cfg.Backoff.Delay(attempt, t.cfg.Random()), func() { t.rootBack(attempt) })
		return
	}
	t.timers.after(RestartWindow, func() {
		t.root.mu.Lock()
		held := t.root.attempt == attempt && t.root.pid != nil
		if held {
			t.root.attempt = 0
		}
		t.root.mu.Unlock()
		if held {
			t.Lifecycle.Ready(partSupervisor)
		}
	})
}

// tell sends a message to the root.
func (t *Tree) tell(message any) {
	if pid := t.root.current(); pid != nil {
		t.from.Send(pid, message)
	} else if m, ok := message.(guard.Rejecter); ok {
		m.Reject(guard.ErrDown)
	}
}
