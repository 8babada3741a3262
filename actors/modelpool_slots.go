package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
)

// slot is one worker as the pool sees it.
type slot struct {
	index int
	pid   *actor.PID
	up    bool
	// runner is the goroutine that takes the jobs, of the last workerUp.
	runner *modelRunner
	job    *job
	next   *job // sent ahead, see ahead
	// nextSince is when it was sent.
	nextSince time.Time
	// behind is how many windows were left in the queue when it was planned.
	behind int
	// shut means that nothing more is sent ahead of the present job.
	shut bool
	// due is when the present job must have ended, told whether it was told to.
	due  time.Time
	told bool
	// crashes counts those of the worker actor itself, in a row.
	crashes int
}

func (p *poolActor) spawn(c actor.Context, s *slot) {
	name := fmt.Sprintf("worker-%d-%d", s.index, generations.Add(1))
	pid, err := c.SpawnNamed(modelWorkerProps(p.h, p.options, s.index), name)
	if err != nil {
		// The number in the name is never used twice.
		panic(fmt.Sprintf("modelpool: spawn %s: %v", name, err))
	}
	s.pid = pid
}

// HandleFailure decides about a worker actor that panicked itself, outside of any
// run: it is stopped, and comes back after a back-off once it is gone.
func (p *poolActor) HandleFailure(_ *actor.ActorSystem, sup actor.Supervisor, child *actor.PID,
	_ *actor.RestartStatistics, _, _ any) {
	sup.StopChildren(child)
}

func (p *poolActor) workerEnded(pid *actor.PID) {
	if p.ended {
		return
	}
	for _, s := range p.slots {
		if s.pid == nil || !s.pid.Equal(pid) {
			continue
		}
		j, next := s.job, s.next
		p.down(s)
		s.pid, s.runner, s.job, s.next = nil, nil, nil, nil
		if next != nil {
			p.requeue(next)
		}
		if j != nil {
			p.settle(j, &outcome{fault: &messages.ModelError{Fault: messages.ModelPanic}})
		} else {
			p.notePanic()
		}
		delay := p.h.cfg.Restart.Delay(s.crashes, p.h.cfg.Random())
		s.crashes++
		again := &respawn{gen: p.gen, slot: s.index}
		p.after(delay, again)
	}
}

func (p *poolActor) workerUp(m *workerUp) {
	s := p.slots[m.slot]
	if s.pid == nil || !s.pid.Equal(m.pid) || s.up {
		return
	}
	s.up, s.runner = true, m.runner
	p.free(s)
	if m.restarted || s.crashes > 0 {
		p.h.cfg.Observer.Restarted()
	}
	p.observeWorkers()
}

func (p *poolActor) down(s *slot) {
	s.up = false
	for i, x := range p.idle {
		if x == s {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			break
		}
	}
	p.observeWorkers()
}

func (p *poolActor) observeWorkers() {
	busy, down := 0, 0
	for _, s := range p.slots {
		switch {
		case !s.up:
			down++
		case s.job != nil:
			busy++
		}
	}
	p.h.up.Store(int32(len(p.slots) - down))
	now := [4]int{len(p.slots) - busy - down, busy, down, p.h.Abandoned()}
	if now != p.shownWorkers {
		p.shownWorkers = now
		p.h.cfg.Observer.Workers(now[0], now[1], now[2], now[3])
	}
}
