package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// unboundedWait is the deadline of a request that names none.
const unboundedWait = 30 * time.Second

// poolActor is one incarnation of the model pool: queue, flights, workers, and
// what it knows of the model's condition. What must survive a crash (the loaded
// models, the cache, the count of abandoned goroutines) is the handle's.
type poolActor struct {
	h       *ModelPool
	options guard.Options
	gen     uint64
	// root sends to the workers; it is our own, for a host may have put middleware
	// on its.
	root *actor.RootContext

	queue   batch.Queue[*flight]
	flights map[flightKey]*flight
	open    map[*messages.Classify]*request

	slots []*slot
	idle  []*slot // slots that are up and have no job

	models []*model // by stage
	costs  []batch.Cost
	limits []batch.Limits

	condition
}

// slot is one worker as the pool sees it.
type slot struct {
	index int
	pid   *actor.PID
	up    bool
	job   *job
	next  *job // sent ahead, see ahead
	// shut means that the worker gives back what it is sent ahead.
	shut bool
	// crashes counts those of the worker actor itself, in a row.
	crashes int
}

type (
	// cancelClassify says that the caller of a request is gone.
	cancelClassify struct {
		guard.Quiet
		msg   *messages.Classify
		fault messages.ModelFault
	}
	// respawn ends the back-off of a worker actor that crashed.
	respawn struct {
		guard.Quiet
		gen  uint64
		slot int
	}
)

// Receive handles one message.
func (p *poolActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *messages.Classify:
		p.admit(m)
		p.dispatch()
	case *cancelClassify:
		if r := p.open[m.msg]; r != nil {
			p.drop(r, m.fault)
			p.dispatch()
		}
	case *jobDone:
		p.jobDone(m)
		p.dispatch()
	case *jobBack:
		p.jobBack(m)
		p.dispatch()
	case *workerUp:
		p.workerUp(m)
		p.dispatch()
	case *lateReturn:
		p.observeWorkers()
	case *modelsLoaded:
		p.loaded(m)
	case *probeTick:
		p.probe(m)
	case *loadTick:
		if m.gen == p.gen {
			p.load()
		}
	case *respawn:
		if m.gen == p.gen {
			p.spawn(c, p.slots[m.slot])
		}
	case *actor.Started:
		p.start(c)
	case *actor.Terminated:
		p.workerEnded(m.Who)
	case *actor.Restarting:
		p.stop(modelLost("pool restarting"))
	case *actor.Stopping:
		p.stop(modelLost("pool stopped"))
		p.h.cfg.OnReady(false, "model pool stopped")
	}
}

func modelLost(why string) *messages.ModelError {
	return &messages.ModelError{Fault: messages.ModelLost, Err: errors.New(why)}
}

func (p *poolActor) start(c actor.Context) {
	p.gen = generations.Add(1)
	p.root = actor.NewRootContext(c.ActorSystem(), nil)
	p.flights = make(map[flightKey]*flight)
	p.open = make(map[*messages.Classify]*request)
	p.slots = make([]*slot, p.h.cfg.Workers)
	for i := range p.slots {
		p.slots[i] = &slot{index: i}
		p.spawn(c, p.slots[i])
	}
	p.resume()
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

// stop answers everyone and forgets everything.
func (p *poolActor) stop(e *messages.ModelError) {
	p.ended = true
	p.stopTimers()
	for _, r := range p.open {
		r.done = true
		p.h.cfg.Observer.Fault(e.Fault)
		r.msg.Reject(e)
	}
	clear(p.open)
	clear(p.flights)
	p.queue.Clear()
	p.h.cfg.Observer.Queue(0, 0)
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
		s.pid, s.job, s.next = nil, nil, nil
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
	p.dispatch()
}

func (p *poolActor) workerUp(m *workerUp) {
	s := p.slots[m.slot]
	if s.pid == nil || !s.pid.Equal(m.pid) || s.up {
		return
	}
	s.up = true
	if s.job == nil { // else it was sent ahead, and the worker came back in time to run it
		p.idle = append(p.idle, s)
	}
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
	now := [4]int{len(p.slots) - busy - down, busy, down, p.h.Abandoned()}
	if now != p.shownWorkers {
		p.shownWorkers = now
		p.h.cfg.Observer.Workers(now[0], now[1], now[2], now[3])
	}
}

// dispatch gives every idle worker the best batch there is.
func (p *poolActor) dispatch() {
	for len(p.idle) > 0 && p.queue.Len() > 0 && p.phase == modelReady {
		now := time.Now()
		flights, expired := p.queue.Next(now, p.share())
		for _, f := range expired {
			p.expire(f)
		}
		if len(flights) == 0 {
			continue
		}
		p.run(p.newJob(flights, now))
	}
	p.ahead()
	if n := p.queue.Len(); n != p.shownWindows {
		p.shownWindows = n
		p.h.cfg.Observer.Queue(n, p.queue.Tokens())
	}
	p.observeWorkers()
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
		if !s.up || s.job == nil || s.next != nil || s.shut || s.job.probe || !p.short(s.job.model.stage) || !p.short(head.need.Group) {
			continue
		}
		now := time.Now()
		flights, expired := p.queue.Next(now, p.limits)
		for _, f := range expired {
			p.expire(f)
		}
		if len(flights) > 0 {
			s.next = p.newJob(flights, now)
			p.root.Send(s.pid, s.next)
		}
	}
}

func (p *poolActor) short(stage int) bool {
	run := p.costs[stage].Run(batch.DefaultTokens)
	return run > 0 && run < aheadBelow
}

// jobBack takes back what a worker was sent ahead. It can have moved up meanwhile,
// when the job before it ended with the worker down.
func (p *poolActor) jobBack(m *jobBack) {
	s := p.slots[m.slot]
	switch m.job {
	case s.next:
		s.next, s.shut = nil, true
	case s.job:
		s.job = nil
	default:
		return
	}
	p.requeue(m.job)
}

// requeue takes a job back that no worker has begun.
func (p *poolActor) requeue(j *job) {
	for _, f := range j.flights {
		if len(f.waiters) == 0 {
			p.forget(f)
			continue
		}
		f.job = nil
		f.rank()
		p.queue.Push(f)
	}
}

// share is the batch limits when several workers are idle: each takes its part
// of what is queued, so that a short queue is read side by side. Nothing changes
// once the queue is longer than that.
func (p *poolActor) share() []batch.Limits {
	n := len(p.idle)
	if n < 2 {
		return p.limits
	}
	part := (p.queue.Tokens() + n - 1) / n
	limits := make([]batch.Limits, len(p.limits))
	for i, l := range p.limits {
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
			fault = messages.ModelTimeout
		}
		p.drop(w.req, fault)
	}
}

func (p *poolActor) newJob(flights []*flight, now time.Time) *job {
	j := &job{gen: generations.Add(1), control: inference.NewRunControl(), model: p.models[flights[0].need.Group], flights: flights, started: now,
		windows: make([]inference.Window, len(flights))}
	longest, latest := 0, now
	for i, f := range flights {
		f.job = j
		j.windows[i] = f.window
		j.tokens += f.need.Tokens
		longest = max(longest, f.need.Tokens)
		if f.need.Latest.After(latest) {
			latest = f.need.Latest
		}
		for _, w := range f.waiters {
			w.req.msg.MarkStarted()
		}
	}
	j.padded = longest * len(flights)
	// Past the last deadline nobody waits; but a run that has just begun is given a
	// moment, for the cache is served too.
	j.deadline = clampTime(latest, now.Add(min(p.h.cfg.Hang, leastRun)), now.Add(p.h.cfg.Hang))
	return j
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

// run sends a job to the worker that became idle last.
func (p *poolActor) run(j *job) {
	s := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	s.job = j
	p.root.Send(s.pid, j)
}

func (p *poolActor) jobDone(m *jobDone) {
	s := p.slots[m.slot]
	if s.job != m.job {
		return // the worker was replaced meanwhile
	}
	s.job, s.next, s.shut = s.next, nil, false
	switch {
	case m.down:
		p.down(s)
	case s.job != nil:
		s.crashes = 0
		s.job.started = time.Now()
	default:
		s.crashes = 0
		p.idle = append(p.idle, s)
	}
	p.settle(m.job, m.out)
}

// settle hands out what came of a job and draws the conclusions.
func (p *poolActor) settle(j *job, out *outcome) {
	if j.probe {
		p.probed(j, out)
		return
	}
	failed := 0
	wait := time.Duration(0)
	for i, f := range j.flights {
		wait = max(wait, j.started.Sub(f.queued))
		e := out.fault
		if e == nil && out.errs != nil && out.errs[i] != nil {
			e, _ = out.errs[i].(*messages.ModelError)
		}
		if e == nil {
			p.land(f, out.scores[i])
			continue
		}
		failed++
		if errors.Is(e, inference.ErrTerminated) && out.took < p.h.cfg.Hang {
			// It was ended for the sake of its callers' deadlines: not hung, only late.
			if p.again(f) {
				continue
			}
			e = &messages.ModelError{Fault: messages.ModelTimeout}
		}
		p.crash(f, e)
	}
	if out.clean {
		p.costs[j.model.stage].Observe(j.padded, out.took)
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
	f.retried, f.job = true, nil
	p.queue.Push(f)
	return true
}

// after sends message to this actor later unless it stops first.
func (p *poolActor) after(d time.Duration, message any) {
	p.timers = append(p.timers, p.h.later(d, message))
	if len(p.timers) > 64 {
		// Those that have fired are only kept because nobody tells us. A live one that
		// is let go by mistake finds another generation.
		p.timers = p.timers[len(p.timers)-64:]
	}
}

func (p *poolActor) stopTimers() {
	for _, t := range p.timers {
		t.Stop()
	}
	p.timers = nil
	if p.cancelLoad != nil {
		p.cancelLoad(context.Canceled)
		p.cancelLoad = nil
	}
}
