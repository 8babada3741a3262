package actors

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// modelWorker owns one goroutine that calls the model, and never blocks itself: it
// starts the goroutine, starts another when that one ended with a panic or was given
// up, and ends it. Jobs do not pass through it: the pool puts them into the
// goroutine's own slot, and the goroutine answers the pool. Every turn of an actor in
// between would be one more wait for a thread, on a machine whose cores are computing.
type modelWorker struct {
	h    *ModelPool
	slot int
	// root sends to this actor and to the pool from timers and from the goroutine.
	root *actor.RootContext

	goroutine *modelRunner
	backoff   *time.Timer
	// panics counts those since the last run that came back.
	panics int
}

// modelRunner is one incarnation of a worker's goroutine, as worker and pool see it.
type modelRunner struct {
	gen uint64
	// jobs holds what the goroutine has not begun: at most one job besides the present
	// one. Never closed: the pool sends.
	jobs chan *job
	// quit is closed by the worker when the goroutine must end.
	quit chan struct{}
	// current is what it computes.
	current atomic.Pointer[job]
	// proven is set once a run came back.
	proven atomic.Bool
}

type (
	// jobDone goes from a goroutine to the pool.
	jobDone struct {
		guard.Quiet
		slot int
		job  *job
		out  *outcome
		// down means that the goroutine has ended and takes no job.
		down bool
	}
	// workerUp says that a worker takes jobs.
	workerUp struct {
		guard.Quiet
		slot   int
		pid    *actor.PID
		runner *modelRunner
		// restarted tells a return after a crash from the first start.
		restarted bool
	}
	// lateReturn says that a run that was given up came back after all.
	lateReturn struct{ guard.Quiet }

	// crashed goes from a goroutine that ended with a panic to its worker.
	crashed struct {
		guard.Quiet
		gen uint64
	}
	// replace goes from the pool to a worker whose goroutine is stuck and was given up.
	replace struct {
		guard.Quiet
		gen uint64
	}
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
		w.launch(c, false)
	case *crashed:
		if w.is(m.gen) {
			w.recover(c)
		}
	case *replace:
		if w.is(m.gen) {
			close(w.goroutine.quit) // it ends if its call ever returns
			w.launch(c, false)
		}
	case *wake:
		if w.is(m.gen) {
			w.launch(c, true)
		}
	case *actor.Restarting, *actor.Stopping:
		w.end()
	}
}

func (w *modelWorker) is(gen uint64) bool { return w.goroutine != nil && w.goroutine.gen == gen }

// launch starts a goroutine for the slot. The one before has ended or was given up.
func (w *modelWorker) launch(c actor.Context, restarted bool) {
	r := &modelRunner{gen: generations.Add(1), jobs: make(chan *job, 2), quit: make(chan struct{})}
	w.goroutine = r
	self, root, parent := c.Self(), w.root, c.Parent()
	go r.work(w.h, w.slot, root, self, parent)
	c.Send(parent, &workerUp{slot: w.slot, pid: self, runner: r, restarted: restarted})
}

// recover waits before the next goroutine.
func (w *modelWorker) recover(c actor.Context) {
	if w.goroutine.proven.Load() {
		w.panics = 0
	}
	delay := w.h.cfg.Restart.Delay(w.panics, w.h.cfg.Random())
	w.panics++
	gen, self, root := w.goroutine.gen, c.Self(), w.root
	w.backoff = time.AfterFunc(delay, func() { root.Send(self, &wake{gen: gen}) })
}

// end lets go of the goroutine. The pool answers for the job in hand when it learns
// of the worker's end.
func (w *modelWorker) end() {
	if w.backoff != nil {
		w.backoff.Stop()
	}
	if w.goroutine == nil {
		return
	}
	// In this order: a job that the goroutine begins after this look finds quit closed.
	close(w.goroutine.quit)
	if j := w.goroutine.current.Load(); j != nil {
		j.control.Terminate()
		j.abandon(w.h)
	}
	w.goroutine = nil
}

// work is the goroutine.
func (r *modelRunner) work(h *ModelPool, slot int, root *actor.RootContext, self, pool *actor.PID) {
	// A thread of its own: moved from thread to thread between runs, a small model
	// needs a twentieth more CPU per token (docs/decisions/0009). The thread ends with
	// the goroutine.
	runtime.LockOSThread()
	for {
		select {
		case j := <-r.jobs:
			if !r.run(j, h, slot, root, self, pool) {
				return
			}
		case <-r.quit:
			return
		}
	}
}

// run computes one job, tells, and reports whether the goroutine goes on.
func (r *modelRunner) run(j *job, h *ModelPool, slot int, root *actor.RootContext, self, pool *actor.PID) bool {
	r.current.Store(j)
	var out *outcome
	select {
	case <-r.quit: // the worker is gone, and with it whoever would hear of the job
	default:
		out = j.execute()
	}
	r.current.Store(nil)
	if !j.state.CompareAndSwap(jobRunning, jobReturned) {
		h.abandoned.Add(-1)
		root.Send(pool, &lateReturn{})
		return false
	}
	if out == nil {
		return false
	}
	if !out.panicked {
		r.proven.Store(true)
	}
	crowded := len(j.windows) >= crowd // once it is told, they are the pool's again
	root.Send(pool, &jobDone{slot: slot, job: j, out: out, down: out.panicked})
	if out.panicked {
		// After the pool was told, so that it hears of the next goroutine later.
		root.Send(self, &crashed{gen: r.gen})
	} else if crowded && len(r.jobs) > 0 {
		runtime.Gosched()
	}
	return !out.panicked
}

// crowd is how many windows of a run make its worker let the pool's turn and the callers
// go first before it begins the next run that waits. Beside that run they would be on
// threads of their own, more of them than there are processors, which take turns and
// each other's caches: with a thousand callers of short texts that is a hundredth of all
// processor time. For a few callers a yield is not worth what it costs.
const crowd = 8

// abandon gives a run up and reports whether it was still running.
func (j *job) abandon(h *ModelPool) bool {
	// Counted first: the goroutine takes it back as soon as it sees the state.
	h.abandoned.Add(1)
	if j.state.CompareAndSwap(jobRunning, jobAbandoned) {
		return true
	}
	h.abandoned.Add(-1)
	return false
}

// hung is the outcome of a run that was given up.
func hung(took time.Duration) *outcome {
	return &outcome{fault: &messages.ModelError{Fault: messages.ModelHung}, took: took}
}
