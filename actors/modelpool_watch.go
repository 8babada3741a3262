package actors

import (
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// The pool looks after its runs with one timer: it is set for the earliest moment at
// which something may be overdue, and only when a run begins for which that is earlier
// than it is set for. Runs are mostly over long before, so that a timer for each would
// be started and stopped for nothing.

// watchTick asks which runs are overdue.
type watchTick struct {
	guard.Quiet
	gen uint64
}

// aheadPatience is how long a job waits behind another one that was expected to be
// short before it goes back to the queue.
const aheadPatience = 50 * time.Millisecond

// begun notes that a worker has come to its job, which for one that was sent ahead is
// later than that. Past the last deadline nobody waits; but a run that has just begun is
// given a moment, for the cache is served too.
func (p *poolActor) begun(s *slot) {
	now, j := time.Now(), s.job
	j.started, j.begun, s.told = now, true, false
	s.due = clampTime(j.deadline, now.Add(min(p.h.cfg.Hang, leastRun)), now.Add(p.h.cfg.Hang))
	for _, f := range j.flights {
		for _, w := range f.waiters {
			if w.req.queued--; w.req.queued == 0 {
				w.req.msg.MarkStarted()
			}
		}
	}
	p.watchFrom(s)
}

// watchFrom makes sure that the pool looks at a slot in time.
func (p *poolActor) watchFrom(s *slot) {
	at := s.due
	if s.next != nil {
		if recall := s.nextSince.Add(aheadPatience); recall.Before(at) {
			at = recall
		}
	}
	if !p.watchAt.IsZero() && !at.Before(p.watchAt) {
		return
	}
	if p.watch != nil {
		p.watch.Stop()
	}
	p.watchAt = at
	p.watch = p.h.later(max(time.Until(at), 0), &watchTick{gen: p.gen})
}

// look deals with what is overdue: a job that waits behind a long run goes back to the
// queue; a run past its deadline is told to end, and one that does not end is given up
// with its goroutine, which is the only thing Go can do with a stuck native call.
func (p *poolActor) look() {
	p.watchAt = time.Time{}
	now := time.Now()
	for _, s := range p.slots {
		if s.next != nil && !now.Before(s.nextSince.Add(aheadPatience)) {
			p.recall(s)
		}
		if s.job == nil || now.Before(s.due) {
			continue
		}
		p.recall(s)
		switch {
		case s.job == nil: // the goroutine had not even begun it
		case !s.told:
			s.job.control.Terminate()
			s.told, s.due = true, now.Add(p.h.cfg.TerminateGrace)
		case s.job.abandon(p.h):
			p.giveUp(s, now)
		default:
			// It has just returned; its answer is on the way.
			s.due = now.Add(p.h.cfg.TerminateGrace)
		}
	}
	for _, s := range p.slots {
		if s.job != nil {
			p.watchFrom(s)
		}
	}
}

// recall takes back what a worker's goroutine has not begun.
func (p *poolActor) recall(s *slot) {
	for {
		select {
		case j := <-s.runner.jobs:
			if j == s.next {
				s.next, s.shut = nil, true
			} else {
				s.job = nil
			}
			if j.probe {
				p.retryProbe()
			}
			p.requeue(j)
			continue
		default:
		}
		break
	}
	if s.job == nil && s.next == nil && s.up {
		p.free(s)
	}
}

// giveUp leaves a stuck goroutine behind and asks for another.
func (p *poolActor) giveUp(s *slot, now time.Time) {
	j := s.job
	s.job, s.shut = nil, false
	p.root.Send(s.pid, &replace{gen: s.runner.gen})
	p.down(s)
	p.settle(j, hung(now.Sub(j.started)))
}
