package actors

import (
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
)

// flight is one window that is queued or being computed, for everyone who waits
// for it.
type flight struct {
	need    batch.Need
	window  *inference.Window // one of the first request's
	waiters []waiter
	queued  time.Time
	job     *job // nil while queued
	retried bool
	listed  bool      // in the table of flights
	alone   [1]waiter // the memory of waiters when there is one
	chain   *flight   // the next in its place of the table of flights
}

type flightKey struct {
	stage int
	key   cacheKey
}

type waiter struct {
	req   *request
	index int32
	first bool // the window is computed because of this one
}

// key is what no other flight in the table has.
func (f *flight) key() flightKey { return flightKey{f.need.Group, f.window.Key} }

// begun reports whether a worker has come to the window.
func (f *flight) begun() bool { return f.job != nil && f.job.begun }

// Need is what the planner sees.
func (f *flight) Need() batch.Need { return f.need }

// rank sets urgency and last moment from those who wait.
func (f *flight) rank() {
	for i, w := range f.waiters {
		if i == 0 || w.req.urgent.Before(f.need.Urgent) {
			f.need.Urgent = w.req.urgent
		}
		if i == 0 || w.req.deadline.After(f.need.Latest) {
			f.need.Latest = w.req.deadline
		}
	}
}

// admit takes one request in, refuses it, or answers it from what is known.
func (p *poolActor) admit(req *request) {
	m := req.msg
	if m.Settled() {
		return // cancelled before its turn came
	}
	if p.phase != modelReady {
		p.refuse(m, p.absent())
		return
	}
	if m.Stage < 0 || m.Stage >= len(p.models) || m.BlockAts != nil && len(m.BlockAts) != len(m.Windows) {
		p.refuse(m, messages.ModelPoison)
		return
	}
	now := time.Now()
	req.deadline, req.admitted, req.left = m.Deadline, now, int32(len(m.Windows))
	if len(m.Windows) == 1 {
		req.scores, req.flights = req.one.score[:], req.one.flights[:]
	} else {
		req.scores, req.flights = make([]float32, len(m.Windows)), make([]*flight, len(m.Windows))
	}
	if req.deadline.IsZero() {
		req.deadline = now.Add(unboundedWait)
	}
	req.deadline = steady(req.deadline, now)
	req.urgent = req.deadline
	if m.Stage == messages.StageGate {
		req.urgent = now.Add(req.deadline.Sub(now) / 2)
	}
	if !req.deadline.After(now) {
		p.refuse(m, messages.ModelUnreachable)
		return
	}
	for i := range req.scores {
		req.scores[i] = -1
	}
	fresh := p.fresh[:0]
	defer func() {
		clear(fresh)
		p.fresh = fresh[:0]
	}()
	tokens, longest := 0, 0
	for i := range m.Windows {
		w := &m.Windows[i]
		key := flightKey{m.Stage, w.Key}
		// Between the caller's look-up and now the score may have arrived.
		if s, ok := p.h.cache.window(w.Key); ok {
			req.scores[i] = s
			req.left--
			req.cached++
			if req.blocks(i, s) {
				req.left = 0
				break
			}
			continue
		}
		f := p.flights.get(key)
		if f == nil {
			f = &req.one.flight
			if len(m.Windows) > 1 {
				f = new(flight)
			}
			*f = flight{window: w, queued: now, listed: true,
				need: batch.Need{Tokens: max(len(w.IDs), 1), Urgent: req.urgent, Latest: req.deadline, Group: m.Stage, Alone: p.suspects.has(key, now)}}
			p.flights.add(f)
			fresh = append(fresh, f)
			tokens, longest = tokens+f.need.Tokens, max(longest, f.need.Tokens)
		}
		req.flights[i] = f
	}
	fault, refused := messages.ModelFault(0), false
	if req.left > 0 {
		fault, refused = p.overload(req, tokens, longest, now)
	}
	if req.left == 0 || refused {
		for _, f := range fresh {
			p.forget(f)
		}
		if refused {
			p.refuse(m, fault)
		} else {
			p.answer(req, now)
		}
		return
	}
	p.board(req, fresh)
}

// steady is the moment t by the clock that now was read from, which runs on when that
// of the wall is set: the queue measures all moments from its first one, and a caller's
// deadline that knows the wall alone would be off for ever after.
func steady(t, now time.Time) time.Time { return now.Add(t.Sub(now)) }

// board makes the request wait for its flights and queues the new ones.
func (p *poolActor) board(req *request, fresh []*flight) {
	p.open.add(req)
	for _, f := range fresh {
		f.waiters = f.alone[:0]
	}
	for i, f := range req.flights {
		if f == nil {
			continue
		}
		first := len(f.waiters) == 0
		f.waiters = append(f.waiters, waiter{req: req, index: int32(i), first: first})
		if f.begun() {
			continue
		}
		req.queued++
		if first || f.job != nil {
			continue
		}
		// A second waiter can make a queued window more urgent, or keep it longer.
		if req.urgent.Before(f.need.Urgent) || req.deadline.After(f.need.Latest) {
			queued := p.queue.Remove(f)
			f.rank()
			if queued {
				p.queue.Push(f)
			}
		}
	}
	for _, f := range fresh {
		p.queue.Push(f)
	}
	if req.queued == 0 {
		req.msg.MarkStarted()
	}
}

// headroom is the share of a request's patience that its estimated wait may take.
const headroom = 0.9

// learn compares what a request took with what it was expected to take. Windows of
// an odd length wait longer than the average that the estimate is, and a request
// waits for its last window; without a correction, requests would be accepted that
// are ready a moment too late, all of them. The stretch follows the ratio that 19
// of 20 requests stay below.
func (p *poolActor) learn(r *request, now time.Time) {
	const floor, step = 5 * time.Millisecond, 0.05
	if r.estimate < floor {
		return
	}
	if now.Sub(r.admitted).Seconds() > p.stretch*r.estimate.Seconds() {
		p.stretch += 0.95 * step
	} else {
		p.stretch -= 0.05 * step
	}
	p.stretch = min(max(p.stretch, 1), 4)
}

// overload says whether the new windows of a request must be refused at once.
func (p *poolActor) overload(req *request, tokens, longest int, now time.Time) (messages.ModelFault, bool) {
	busy := len(p.slots) - len(p.idle)
	if tokens == 0 || p.queue.Len() == 0 && busy == 0 {
		// An idle pool always tries: otherwise one slow moment, once learned, could
		// refuse everything for ever.
		return 0, false
	}
	workers := max(int(p.h.up.Load()), 1)
	var ahead time.Duration
	weighed := p.models[req.msg.Stage].weight * float64(tokens)
	for stage := range p.costs {
		ahead += p.costs[stage].Drain(p.queue.Ahead(req.urgent, stage), workers)
		weighed += p.models[stage].weight * float64(p.queue.GroupTokens(stage))
	}
	// What the gate has read was let in as a whole: the few windows that the judge reads
	// of it are not refused for a bound that they could not know of.
	second := req.msg.Stage == messages.StageJudge && len(p.models) > messages.StageGate
	if p.queue.Len() > 0 && weighed > float64(p.h.cfg.QueueTokens) && !second {
		p.h.pressure.refused.Store(true)
		return messages.ModelQueueFull, true
	}
	for _, s := range p.slots {
		if s.job != nil {
			left := p.costs[s.job.model.stage].Run(s.job.padded) - now.Sub(s.job.started)
			ahead += max(left, 0) / time.Duration(workers)
		}
	}
	cost := &p.costs[req.msg.Stage]
	own := max(cost.Run(longest), cost.Drain(tokens, workers))
	req.estimate = ahead + own
	if req.estimate.Seconds()*max(p.stretch, 1) > headroom*req.deadline.Sub(now).Seconds() {
		if ahead > own {
			p.h.pressure.refused.Store(true)
		}
		return messages.ModelUnreachable, true
	}
	return 0, false
}

// land gives a flight's score, of a batch of so many windows, to those who wait.
func (p *poolActor) land(f *flight, score float32, together int, now time.Time) {
	p.h.cache.putWindow(f.window.Key, score)
	waiters := f.waiters
	p.forget(f)
	for _, w := range waiters {
		r := w.req
		if r.done {
			continue
		}
		r.scores[w.index] = score
		r.left--
		r.together += together
		if w.first {
			r.computed++
		} else {
			r.shared++
		}
		if r.left == 0 || r.blocks(int(w.index), score) {
			p.answer(r, now)
		}
	}
}

// crash gives a flight's error to those who wait. An error that concerns this one
// window leaves the others of the request running, because one of them may still
// block it; any other error is told at once.
func (p *poolActor) crash(f *flight, e *messages.ModelError, now time.Time) {
	waiters := f.waiters
	p.forget(f)
	for _, w := range waiters {
		r := w.req
		if r.done {
			continue
		}
		r.left--
		if r.fault == nil {
			r.fault = e
		}
		switch e.Fault {
		case messages.ModelPoison, messages.ModelBadScore:
			if r.left > 0 {
				continue
			}
		case messages.ModelTimeout:
			r.fault = &messages.ModelError{Fault: p.h.overdue(r)}
		default:
			r.fault = e
		}
		p.answer(r, now)
	}
}

// forget takes a flight off the table; its waiters are the caller's.
func (p *poolActor) forget(f *flight) {
	f.waiters = nil
	if f.listed {
		f.listed = false
		p.flights.remove(f)
	}
}

// answer ends a request: with its scores when all are there or one of them
// blocks, else with its error.
func (p *poolActor) answer(r *request, now time.Time) {
	r.done = true
	p.open.remove(r)
	p.leave(r)
	if r.left == 0 {
		p.learn(r, now)
	}
	blocked := false
	for i, s := range r.scores {
		blocked = blocked || r.blocks(i, s)
	}
	if r.fault != nil && !blocked {
		p.h.cfg.Observer.Fault(r.fault.Fault)
		r.msg.Reject(r.fault)
		return
	}
	r.msg.Resolve(messages.Classification{Scores: r.scores, Cached: int(r.cached), Shared: int(r.shared), Computed: int(r.computed), Together: r.together})
}

// drop ends a request without a score.
func (p *poolActor) drop(r *request, fault messages.ModelFault) {
	r.done = true
	p.open.remove(r)
	p.leave(r)
	if fault != messages.ModelCancelled {
		p.learn(r, time.Now())
	}
	p.refuse(r.msg, fault)
}

func (p *poolActor) refuse(m *messages.Classify, fault messages.ModelFault) {
	p.h.cfg.Observer.Fault(fault)
	m.Reject(&messages.ModelError{Fault: fault})
}

// leave takes a request off all its flights. A queued window that nobody waits for
// any more leaves the queue; a run that nobody waits for is ended.
func (p *poolActor) leave(r *request) {
	for _, f := range r.flights {
		if f == nil || len(f.waiters) == 0 {
			continue
		}
		n := len(f.waiters)
		f.waiters = slices.DeleteFunc(f.waiters, func(w waiter) bool { return w.req == r })
		switch {
		case len(f.waiters) == n:
		case len(f.waiters) > 0:
			if !slices.ContainsFunc(f.waiters, func(w waiter) bool { return w.first }) {
				f.waiters[0].first = true
			}
			if f.job == nil {
				queued := p.queue.Remove(f)
				f.rank()
				if queued {
					p.queue.Push(f)
				}
			}
		case f.job == nil:
			p.queue.Remove(f)
			p.forget(f)
		default:
			p.release(f.job)
		}
	}
	// A run knows its windows, and a window its run: through them every request would
	// keep every other one that it ever shared a run with, and so all that ever came.
	clear(r.flights)
	r.flights = nil
}

// release ends a run once nobody waits for any of its windows.
func (p *poolActor) release(j *job) {
	for _, f := range j.flights {
		if len(f.waiters) > 0 {
			return
		}
	}
	for _, f := range j.flights {
		p.forget(f)
	}
	j.control.Terminate()
}
