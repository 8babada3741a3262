package actors

import (
	"errors"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
)

// dispatch gives every idle worker the best batch there is.
func (p *poolActor) dispatch() {
	for len(p.idle) > 0 && p.queue.Len() > 0 && p.phase == modelReady {
		now := time.Now()
		if flights := p.next(now, p.share(p.bounds())); len(flights) > 0 {
			p.run(p.newJob(flights, now))
		}
	}
	p.ahead()
	p.pressed()
	if n := p.queue.Len(); n != p.shownWindows {
		p.shownWindows = n
		p.h.cfg.Observer.Queue(n, p.queue.Tokens())
	}
	p.observeWorkers()
}

// next takes a batch out of the queue, and what has expired with it. Empty when nobody
// waits for any of it.
func (p *poolActor) next(now time.Time, limits []batch.Limits) []*flight {
	flights, expired := p.queue.Next(now, limits)
	for _, f := range expired {
		p.expire(f)
	}
	if len(expired) > 0 {
		// With one of its windows a request is over: its others are forgotten.
		flights = slices.DeleteFunc(flights, func(f *flight) bool { return !f.listed })
	}
	return flights
}

// bounds are the limits of a batch that is begun now. One whose last deadline is before
// a run of it can be ready would be computed for nobody, each window by the cost of its
// own model. Without a backlog there is nothing better to do than to try, and the
// estimate may be wrong.
func (p *poolActor) bounds() []batch.Limits {
	backlog := p.queue.Len() > len(p.slots)
	for i := range p.limits {
		l := &p.limits[i]
		l.Base, l.PerToken = 0, 0
		if backlog {
			const many = 1024
			l.Base = p.costs[i].Run(0)
			l.PerToken = (p.costs[i].Run(many) - l.Base) / many
		}
	}
	return p.limits
}

// aheadBelow is the length of a run below which the next one is sent ahead.
const aheadBelow = 5 * time.Millisecond

// ahead gives busy workers their next batch, so that they go from one run to the
// next without a message in between, on the same thread and with warm caches.
// Only for short runs: the batch waits for the present one, however urgent it is,
// and what the message costs is lost in a long one.
func (p *poolActor) ahead() {
	if p.phase != modelReady || len(p.idle) > 0 {
		return
	}
	for _, s := range p.slots {
		head, ok := p.queue.Head()
		if !ok {
			return
		}
		if !s.up || s.job == nil || s.shut || s.job.probe || !p.short(s.job.model.stage) || !p.short(head.need.Group) {
			continue
		}
		now := time.Now()
		since := now
		if s.next != nil {
			since = s.nextSince
			if !p.unsend(s) {
				continue
			}
		}
		if flights := p.next(now, p.bounds()); len(flights) > 0 {
			s.next, s.nextSince, s.behind = p.newJob(flights, now), since, p.queue.Len()
			s.runner.jobs <- s.next // at most one behind the present one: there is room
			p.watchFrom(s)
		}
	}
}

// unsend takes the next batch of a worker back into the queue, to be planned anew, when
// so much has come since that the batch might be twice as large: what was sent ahead
// early is small, and would run small, though the others come before its turn does. It
// reports whether it did. The worker may have begun it, and then keeps it.
func (p *poolActor) unsend(s *slot) bool {
	j, n := s.next, p.queue.Len()
	if n < len(j.flights) || n < 2*s.behind || 2*len(j.flights) > p.limits[j.model.stage].Complete().Windows {
		return false
	}
	if len(s.runner.jobs) != 1 {
		return false // the present one is still before it, or it has been begun
	}
	select {
	case <-s.runner.jobs:
		s.next = nil
		p.requeue(j)
		return true
	default:
		return false
	}
}

func (p *poolActor) short(stage int) bool {
	run := p.costs[stage].Run(batch.DefaultTokens)
	return run > 0 && run < aheadBelow
}

// requeue takes a job back that no worker has begun.
func (p *poolActor) requeue(j *job) {
	for _, f := range j.flights {
		if len(f.waiters) == 0 {
			p.forget(f)
			continue
		}
		f.rank()
		p.back(f)
	}
}

// back puts a flight into the queue again.
func (p *poolActor) back(f *flight) {
	if f.begun() {
		for _, w := range f.waiters {
			w.req.queued++
		}
	}
	f.job = nil
	p.queue.Push(f)
}

// share is the batch limits when several workers are idle: each takes its part
// of what is queued, so that a short queue is read side by side. Nothing changes
// once the queue is longer than that.
func (p *poolActor) share(all []batch.Limits) []batch.Limits {
	n := len(p.idle)
	if n < 2 {
		return all
	}
	part := (p.queue.Tokens() + n - 1) / n
	limits := make([]batch.Limits, len(all))
	for i, l := range all {
		l.Tokens = max(min(l.Tokens, part), 1)
		limits[i] = l
	}
	return limits
}

// expire answers those who waited for a window past its last deadline.
func (p *poolActor) expire(f *flight) {
	waiters := f.waiters
	p.forget(f)
	for _, w := range waiters {
		if w.req.done {
			continue
		}
		fault := messages.ModelUnreachable
		if w.req.msg.Started() {
			fault = p.h.overdue(w.req)
		}
		p.drop(w.req, fault)
	}
}

func (p *poolActor) newJob(flights []*flight, now time.Time) *job {
	j := &job{gen: generations.Add(1), control: inference.NewRunControl(), model: p.models[flights[0].need.Group], flights: flights, started: now,
		windows: p.memory(len(flights), p.limits[flights[0].need.Group].Windows)}
	longest, latest := 0, now
	for i, f := range flights {
		f.job = j
		j.windows[i] = *f.window
		j.tokens += f.need.Tokens
		longest = max(longest, f.need.Tokens)
		if f.need.Latest.After(latest) {
			latest = f.need.Latest
		}
	}
	j.padded = longest * len(flights)
	j.deadline = latest
	return j
}

// memory is room for n windows of a batch of at most so many, mostly that of a job that
// is over.
func (p *poolActor) memory(n, most int) []inference.Window {
	if last := len(p.spare) - 1; last >= 0 && cap(p.spare[last]) >= n {
		w := p.spare[last][:n]
		p.spare = p.spare[:last]
		return w
	}
	return make([]inference.Window, n, max(n, most))
}

// recycle keeps the memory of a job whose run has come back: nobody reads it any more.
func (p *poolActor) recycle(j *job) {
	if j.probe {
		return // its windows are the model's
	}
	clear(j.windows)
	if len(p.spare) <= len(p.slots) {
		p.spare = append(p.spare, j.windows[:0])
	}
	j.windows = nil
}

// leastRun is how long a run may take whatever the deadline of its callers.
const leastRun = 50 * time.Millisecond

func clampTime(t, low, high time.Time) time.Time {
	if t.Before(low) {
		return low
	}
	if t.After(high) {
		return high
	}
	return t
}

// run gives a job to the worker that became idle last.
func (p *poolActor) run(j *job) {
	s := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	s.job = j
	p.begun(s)
	s.runner.jobs <- j // it is idle: there is room
}

// free makes a slot idle.
func (p *poolActor) free(s *slot) {
	s.shut = false
	p.idle = append(p.idle, s)
}

func (p *poolActor) jobDone(m *jobDone) {
	s := p.slots[m.slot]
	if s.job != m.job {
		return // the worker was replaced meanwhile
	}
	next := s.next
	s.job, s.next, s.shut = nil, nil, false
	switch {
	case m.down:
		p.down(s)
		if next != nil {
			p.requeue(next) // the goroutine has ended
		}
	case next != nil:
		s.crashes, s.job = 0, next
		p.begun(s)
	default:
		s.crashes = 0
		p.free(s)
	}
	p.settle(m.job, m.out)
	if !m.down {
		p.recycle(m.job)
	}
}

// settle hands out what came of a job and draws the conclusions.
func (p *poolActor) settle(j *job, out *outcome) {
	if j.probe {
		p.probed(j, out)
		return
	}
	failed, now := 0, time.Now()
	wait := time.Duration(0)
	for i, f := range j.flights {
		wait = max(wait, j.started.Sub(f.queued))
		if out.faultOf(i) != nil {
			failed++
		}
	}
	if failed < len(j.flights) { // before any answer: who has one may come again at once
		p.h.worked[j.model.stage].Add(1)
	}
	for i, f := range j.flights {
		e := out.faultOf(i)
		if e == nil {
			p.suspects.clear(f.key())
			p.land(f, out.scores[i], len(j.flights), now)
			continue
		}
		late := errors.Is(e, inference.ErrTerminated) && out.took < p.h.cfg.Hang
		if !late && suspicious(e.Fault) {
			p.suspects.add(f.key(), j.started)
		}
		if late {
			// It was ended for the sake of its callers' deadlines: not hung, only late.
			if p.again(f) {
				continue
			}
			e = &messages.ModelError{Fault: messages.ModelTimeout}
		}
		p.crash(f, e, now)
	}
	if out.clean {
		p.costs[j.model.stage].Observe(j.tokens, j.padded, out.took)
	}
	p.h.cfg.Observer.Batch(BatchStats{Model: j.model.name, Windows: len(j.flights), Tokens: j.tokens,
		Padded: j.padded, Wait: wait, Run: out.took, Failed: failed})
	p.conclude(j, out)
}

// again queues a window once more whose run was ended for the sake of earlier
// callers while a later one still waits.
func (p *poolActor) again(f *flight) bool {
	if f.retried || len(f.waiters) == 0 {
		return false
	}
	f.rank()
	if !f.need.Latest.After(time.Now()) {
		return false
	}
	f.retried = true
	p.back(f)
	return true
}
