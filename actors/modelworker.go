package actors

import (
	"runtime"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// modelWorker owns one goroutine that calls the model, and never blocks itself:
// the goroutine takes jobs from a slot of one and answers by message. A run past
// its deadline is told to end; one that does not is given up together with its
// goroutine, which is the only thing Go can do with a stuck native call.
type modelWorker struct {
	h    *ModelPool
	slot int
	// root sends to this actor and to the pool from timers and from the goroutine.
	root *actor.RootContext

	goroutine *modelRunner
	job       *job // what the goroutine runs
	begun     time.Time
	next      *job // what waits in the goroutine's slot
	watching  bool // a recall is on its way
	alarm     *time.Timer
	// down is a goroutine that ended with a panic and is not replaced yet.
	down bool
	// panics counts those since the last run that came back.
	panics int
}

// modelRunner is one incarnation of a worker's goroutine.
type modelRunner struct {
	gen  uint64
	jobs chan *job // one slot; closed by the worker when the goroutine must end
}

type (
	// jobDone goes from a worker to the pool.
	jobDone struct {
		guard.Quiet
		slot int
		job  *job
		out  *outcome
		// down means that the worker takes no job until it says workerUp.
		down bool
	}
	// jobBack returns a job that the worker has not begun and will not begin.
	jobBack struct {
		guard.Quiet
		slot int
		job  *job
	}
	// workerUp says that a worker takes jobs.
	workerUp struct {
		guard.Quiet
		slot int
		pid  *actor.PID
		// restarted tells a return after a crash from the first start.
		restarted bool
	}
	// lateReturn says that a run that was given up came back after all.
	lateReturn struct{ guard.Quiet }

	// ranJob goes from the goroutine to its worker.
	ranJob struct {
		guard.Quiet
		gen uint64
		job *job
		out *outcome
	}
	// overdue goes from the alarm to the worker.
	overdue struct {
		guard.Quiet
		job   *job
		grace bool
	}
	// recall asks whether the next job has waited too long.
	recall struct{ guard.Quiet }
	// wake ends a worker's back-off.
	wake struct {
		guard.Quiet
		gen uint64
	}
)

// modelWorkerProps describes the worker of one slot of the pool.
func modelWorkerProps(h *ModelPool, o guard.Options, slot int) *actor.Props {
	return guard.Props(func() actor.Actor { return &modelWorker{h: h, slot: slot} }, guard.Options{
		Name: "modelworker", Dispatcher: o.Dispatcher, OnPanic: o.OnPanic,
	})
}

// Receive handles one message.
func (w *modelWorker) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		w.root = actor.NewRootContext(c.ActorSystem(), nil)
		w.launch(c)
		w.tell(c, &workerUp{slot: w.slot, pid: c.Self()})
	case *job:
		w.begin(c, m)
	case *ranJob:
		w.finish(c, m)
	case *overdue:
		w.late(c, m)
	case *recall:
		w.watching = false
		if w.next != nil && time.Since(w.begun) >= aheadPatience {
			w.giveBack(c)
		}
		w.watch(c)
	case *wake:
		if w.goroutine != nil && w.goroutine.gen == m.gen {
			w.launch(c)
			w.tell(c, &workerUp{slot: w.slot, pid: c.Self(), restarted: true})
		}
	case *actor.Restarting, *actor.Stopping:
		// The pool answers for the job in hand when it learns of the end.
		w.stopAlarm()
		if w.next != nil {
			w.next.control.Terminate()
			w.next = nil
		}
		if w.job != nil {
			w.job.control.Terminate()
			w.abandon(w.job)
			w.job = nil
		}
		if w.goroutine != nil {
			close(w.goroutine.jobs)
			w.goroutine = nil
		}
	}
}

func (w *modelWorker) tell(c actor.Context, m any) { c.Send(c.Parent(), m) }

// launch starts a goroutine for the slot. The one before has ended or was given up.
func (w *modelWorker) launch(c actor.Context) {
	r := &modelRunner{gen: generations.Add(1), jobs: make(chan *job, 1)}
	w.goroutine, w.down = r, false
	self, root, parent, h := c.Self(), w.root, c.Parent(), w.h
	go func() {
		// A thread of its own: moved from thread to thread between runs, a small model
		// needs a tenth more CPU per token. The thread ends with the goroutine.
		runtime.LockOSThread()
		for j := range r.jobs {
			out := j.execute()
			if !j.state.CompareAndSwap(jobRunning, jobReturned) {
				h.abandoned.Add(-1)
				root.Send(parent, &lateReturn{})
				return
			}
			root.Send(self, &ranJob{gen: r.gen, job: j, out: out})
			if out.panicked {
				return
			}
		}
	}()
}

// begin takes a job: at once, or behind the present one, so that the goroutine
// need not wait for a message between two short runs.
func (w *modelWorker) begin(c actor.Context, j *job) {
	switch {
	case w.goroutine == nil || w.down:
		// It went down while the job was on its way.
		w.tell(c, &jobBack{slot: w.slot, job: j})
		return
	case w.job == nil:
		w.take(c, j)
	case w.next == nil:
		w.next = j
		defer w.watch(c)
	default:
		panic("modelworker: more than one job ahead")
	}
	w.goroutine.jobs <- j // the slot is empty: the goroutine took the job before
}

// take makes j the present job.
func (w *modelWorker) take(c actor.Context, j *job) {
	w.job, w.begun = j, time.Now()
	w.arm(c, j, time.Until(j.deadline), false)
}

// aheadPatience is how long a job waits behind another one that was expected to be
// short before it goes back to the queue, give or take once as long.
const aheadPatience = 50 * time.Millisecond

func (w *modelWorker) watch(c actor.Context) {
	if w.next == nil || w.watching {
		return
	}
	w.watching = true
	self, root := c.Self(), w.root
	time.AfterFunc(aheadPatience, func() { root.Send(self, &recall{}) })
}

// giveBack returns the next job to the pool unless the goroutine has it already.
func (w *modelWorker) giveBack(c actor.Context) {
	if w.next == nil {
		return
	}
	select {
	case j := <-w.goroutine.jobs:
		w.next = nil
		w.tell(c, &jobBack{slot: w.slot, job: j})
	default:
	}
}

func (w *modelWorker) arm(c actor.Context, j *job, after time.Duration, grace bool) {
	self, root := c.Self(), w.root
	w.alarm = time.AfterFunc(max(after, 0), func() { root.Send(self, &overdue{job: j, grace: grace}) })
}

func (w *modelWorker) stopAlarm() {
	if w.alarm != nil {
		w.alarm.Stop()
		w.alarm = nil
	}
}

func (w *modelWorker) finish(c actor.Context, m *ranJob) {
	if w.goroutine == nil || w.goroutine.gen != m.gen || w.job != m.job {
		return
	}
	w.stopAlarm()
	w.job = nil
	if m.out.panicked {
		w.giveBack(c)
	}
	w.tell(c, &jobDone{slot: w.slot, job: m.job, out: m.out, down: m.out.panicked})
	if !m.out.panicked {
		w.panics = 0
		if j := w.next; j != nil {
			w.next = nil
			w.take(c, j)
		}
		return
	}
	w.down = true
	delay := w.h.cfg.Restart.Delay(w.panics, w.h.cfg.Random())
	w.panics++
	gen, self, root := w.goroutine.gen, c.Self(), w.root
	w.alarm = time.AfterFunc(delay, func() { root.Send(self, &wake{gen: gen}) })
}

// late handles a run past its deadline: told to end first, given up later.
func (w *modelWorker) late(c actor.Context, m *overdue) {
	if w.job != m.job {
		return
	}
	w.giveBack(c) // another worker may be free
	if !m.grace {
		m.job.control.Terminate()
		w.arm(c, m.job, w.h.cfg.TerminateGrace, true)
		return
	}
	if !w.abandon(m.job) {
		return // it has just returned; its answer is on the way
	}
	w.job = nil
	close(w.goroutine.jobs) // the stuck goroutine ends if its call ever returns
	w.launch(c)
	w.tell(c, &jobDone{slot: w.slot, job: m.job, out: &outcome{
		fault: &messages.ModelError{Fault: messages.ModelHung},
		took:  time.Since(w.begun),
	}})
}

// abandon gives a run up and reports whether it was still running.
func (w *modelWorker) abandon(j *job) bool {
	// Counted first: the goroutine takes it back as soon as it sees the state.
	w.h.abandoned.Add(1)
	if j.state.CompareAndSwap(jobRunning, jobAbandoned) {
		return true
	}
	w.h.abandoned.Add(-1)
	return false
}
