package actors

import (
	"context"
	"errors"
	"runtime"
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
	flights flightTable
	fresh   []*flight            // working memory of admit
	spare   [][]inference.Window // working memory of jobs
	open    requests

	// due counts messages after which work has not been dealt out yet.
	due int
	// gathered is set once callers were let go first; see gather.
	gathered bool

	slots []*slot
	idle  []*slot // slots that are up and have no job
	// watch fires at watchAt, zero for not at all; see look.
	watch   *time.Timer
	watchAt time.Time

	models []*model // by stage
	// suspects run alone.
	suspects suspects
	costs    []batch.Cost
	limits   []batch.Limits
	// stretch is by how much requests take longer than estimated, at least 1; see
	// learn.
	stretch  float64
	standing standing

	condition
}

type (
	// cancelClassify says that the caller of a request is gone.
	cancelClassify struct {
		guard.Quiet
		req   *request
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
	case *submission:
		p.admit(&m.request)
		p.due++
	case *messages.Classify:
		p.admit(&request{msg: m, worked: p.h.workedOf(m.Stage)})
		p.due++
	case *cancelClassify:
		if m.req.place > 0 {
			p.drop(m.req, m.fault)
			p.due++
		}
	case *jobDone:
		p.jobDone(m)
		p.due++
	case *watchTick:
		if m.gen == p.gen {
			p.look()
			p.due++
		}
	case *workerUp:
		p.workerUp(m)
		p.due++
	case *lateReturn:
		p.observeWorkers()
	case *modelsLoaded:
		p.loaded(m)
	case *loadOverdue:
		p.overdue(m)
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
		p.due++
	case *actor.Restarting:
		p.stop(modelLost("pool restarting"))
	case *actor.Stopping:
		p.stop(modelLost("pool stopped"))
		p.h.cfg.OnReady(false, "model pool stopped")
	}
	if p.due > 0 && (p.due >= mostDue || p.options.Depth == nil || p.options.Depth.Len() == 0) {
		if p.gather() {
			return
		}
		p.due, p.gathered = 0, false
		p.dispatch()
	}
}

// gather lets the goroutines go first that are ready to run, once before work is dealt
// out, and reports whether messages have come of that. On busy processors the first of
// many callers would otherwise run alone: its message wakes this actor before the second
// caller has had its turn, and what its own run takes is taken from the others. With
// nobody else ready it returns at once.
func (p *poolActor) gather() bool {
	if p.gathered || p.options.Depth == nil || p.queue.Len() == 0 || p.due >= mostDue {
		return false
	}
	p.gathered = true
	runtime.Gosched()
	return p.options.Depth.Len() > 0
}

// mostDue is how many messages may pass before work is dealt out. What has come
// together is dealt out together: the first of a burst would run alone while the
// others, of which it could take some along, are in the mailbox already.
const mostDue = 32

func modelLost(why string) *messages.ModelError {
	return &messages.ModelError{Fault: messages.ModelLost, Err: errors.New(why)}
}

func (p *poolActor) start(c actor.Context) {
	p.gen = generations.Add(1)
	p.root = actor.NewRootContext(c.ActorSystem(), nil)
	p.slots = make([]*slot, p.h.cfg.Workers)
	for i := range p.slots {
		p.slots[i] = &slot{index: i}
		p.spawn(c, p.slots[i])
	}
	p.resume()
}

// stop answers everyone and forgets everything.
func (p *poolActor) stop(e *messages.ModelError) {
	p.ended = true
	p.stopTimers()
	p.rejectAll(e)
	p.flights.clear(func(f *flight) { f.waiters, f.listed = nil, false })
	p.queue.Clear()
	p.pressed()
	p.h.cfg.Observer.Queue(0, 0)
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
	if p.watch != nil {
		p.watch.Stop()
	}
	for _, t := range p.timers {
		t.Stop()
	}
	p.timers = nil
	if p.cancelLoad != nil {
		p.cancelLoad(context.Canceled)
		p.cancelLoad, p.awaited = nil, nil
	}
}
