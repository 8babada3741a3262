package actors

import (
	"context"
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

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
	fresh   []*flight // working memory of admit
	open    map[*messages.Classify]*request

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
	stretch float64

	condition
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
	case *watchTick:
		if m.gen == p.gen {
			p.look()
			p.dispatch()
		}
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
		p.cancelLoad = nil
	}
}
