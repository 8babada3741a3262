package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// frontSlack is added to the grace when waiting for the front: the front keeps the
// grace itself and reports after it.
const frontSlack = 800 * time.Millisecond

// lifecycleActor is one incarnation: the waiters and the timer of a drain.
type lifecycleActor struct {
	h       *Lifecycle
	waiters []*messages.Drain
	wait    *time.Timer
	asked   bool // the front was told to drain
}

type (
	// waitOver ends the drain wait.
	waitOver struct{ guard.Quiet }
	// frontDrained brings the front's answer.
	frontDrained struct {
		guard.Quiet
		done messages.Drained
		err  error
	}
)

// Receive handles one message.
func (a *lifecycleActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		// After a crash: what was published may not have been told, and a drain that
		// was under way goes on.
		a.h.tell()
		if a.h.Phase() == messages.Draining {
			a.startDrain()
		}
	case *lifecycleEvent:
		a.h.apply(m.event)
		a.h.tell()
	case *messages.Drain:
		a.waiters = append(a.waiters, m)
		a.startDrain()
	case *messages.Hurry:
		if a.wait != nil {
			a.closeFront()
		}
	case *waitOver:
		if a.wait != nil {
			a.closeFront()
		}
	case *frontDrained:
		a.finish(m)
	case *messages.Ping:
		now := a.h.cfg.Now()
		a.h.pong.Store(&now)
		m.Resolve(now)
	case *actor.Restarting, *actor.Stopping:
		if a.wait != nil {
			a.wait.Stop()
		}
		for _, w := range a.waiters {
			w.Reject(guard.ErrStopped)
		}
	}
}

func (a *lifecycleActor) startDrain() {
	if a.wait != nil || a.asked {
		return
	}
	if left := a.h.waitLeft(); left > 0 {
		a.wait = a.h.later(left, &waitOver{})
		return
	}
	a.closeFront()
}

// closeFront asks the front to drain; the answer comes as frontDrained. The front
// joins a drain that an earlier incarnation asked for.
func (a *lifecycleActor) closeFront() {
	if a.asked {
		return
	}
	a.asked = true
	h := a.h
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), h.cfg.Grace+frontSlack)
		defer cancel()
		done, err := h.cfg.Front.Drain(ctx, h.cfg.Grace)
		h.send(&frontDrained{done: done, err: err})
	}()
}

func (a *lifecycleActor) finish(m *frontDrained) {
	a.h.apply(raise{messages.Stopping, a.h.Snapshot().Reason})
	a.h.tell()
	for _, w := range a.waiters {
		if m.err != nil {
			w.Reject(m.err)
		} else {
			w.Resolve(m.done)
		}
	}
	a.waiters = nil
	// A later Drain gets the front's answer again, at once.
	a.asked = false
	if a.wait != nil {
		a.wait.Stop()
		a.wait = nil
	}
}
