package actors

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// The pace of recovery. They are constants because a different value would only
// move the time at which a replica that works again is used again.
const (
	// batchSize and batchTime bound how long an outcome waits in the recorder.
	batchSize = 64
	batchTime = 50 * time.Millisecond
	// canaryInterval is the time between two canaries while degraded.
	canaryInterval = 200 * time.Millisecond
	// canariesWanted is how many canaries in a row must be good.
	canariesWanted = 10
	// degradedMin is the shortest time readiness stays withdrawn.
	degradedMin = 5 * time.Second
	// canariesInFlight bounds canaries that have not come back.
	canariesInFlight = 5
)

// HealthConfig is what the health actor is made of.
type HealthConfig struct {
	// Scanners are the required ones, each with a window of its own.
	Scanners []string
	// Window is the number of outcomes a window holds; zero is 100.
	Window int
	// MinSamples is how many it must hold before it can tell anything; zero is 20.
	MinSamples int
	// ErrorRate is the share of errors and timeouts strictly above which the process
	// is degraded, up to 1; zero is 0.5, and less is nothing: no fault is tolerated.
	ErrorRate float64
	// Canary scans a known text on the real path, whose outcomes are recorded like
	// those of any exchange, and returns nil if every required scanner answered
	// rightly. It is called on a goroutine of its own, with a context that ends after
	// CanaryTimeout. Nil: recovery needs traffic and no canaries.
	Canary func(context.Context) error
	// CanaryTimeout is how long one canary may take; zero is 2 s.
	CanaryTimeout time.Duration
	// OnChange is told of every transition, on the actor's turn; it must not block.
	OnChange func(messages.HealthView)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Health is the handle of the health actor.
type Health struct {
	ref
	cfg    HealthConfig
	view   atomic.Pointer[messages.HealthView]
	shards []recorder
	lost   atomic.Uint64
}

// recorder collects outcomes of some of the callers. It has a lock and is not the
// actor because a scanner run must not pay for a hop.
type recorder struct {
	mu  sync.Mutex
	buf []messages.Outcome
	_   [96]byte // keeps two recorders off one cache line
}

// NewHealth returns the handle, not degraded.
func NewHealth(cfg HealthConfig) *Health {
	if cfg.Window <= 0 {
		cfg.Window = 100
	}
	if cfg.MinSamples <= 0 {
		cfg.MinSamples = 20
	}
	if cfg.ErrorRate == 0 {
		cfg.ErrorRate = 0.5
	}
	cfg.ErrorRate = max(cfg.ErrorRate, 0)
	if cfg.CanaryTimeout <= 0 {
		cfg.CanaryTimeout = 2 * time.Second
	}
	if cfg.OnChange == nil {
		cfg.OnChange = func(messages.HealthView) {}
	}
	cfg.Now = clock(cfg.Now)
	h := &Health{cfg: cfg, shards: make([]recorder, 4*runtime.GOMAXPROCS(0))}
	h.view.Store(&messages.HealthView{Scanners: map[string]messages.Ring{}})
	return h
}

// Props describes the actor, for one spawn.
func (h *Health) Props(o guard.Options) *actor.Props {
	return h.props(func() actor.Actor { return newHealthActor(h) }, o)
}

// View is what was last published. It never waits.
func (h *Health) View() messages.HealthView { return *h.view.Load() }

// Lost counts outcomes that reached no actor.
func (h *Health) Lost() uint64 { return h.lost.Load() }

// Record adds one outcome. It never waits for an actor; the outcome counts within
// 50 ms.
func (h *Health) Record(scanner string, kind messages.OutcomeKind) {
	s := &h.shards[rand.IntN(len(h.shards))] //nolint:gosec // spreads load
	o := messages.Outcome{Scanner: scanner, Kind: kind, At: h.cfg.Now()}
	s.mu.Lock()
	if s.buf == nil {
		s.buf = make([]messages.Outcome, 0, batchSize)
		time.AfterFunc(batchTime, func() { h.flush(s) })
	}
	s.buf = append(s.buf, o)
	var full []messages.Outcome
	if len(s.buf) == batchSize {
		full, s.buf = s.buf, nil
	}
	s.mu.Unlock()
	if full != nil {
		h.deliver(full)
	}
}

// Flush delivers what is still in the recorders.
func (h *Health) Flush() {
	for i := range h.shards {
		h.flush(&h.shards[i])
	}
}

func (h *Health) flush(s *recorder) {
	s.mu.Lock()
	list := s.buf
	s.buf = nil
	s.mu.Unlock()
	if len(list) > 0 {
		h.deliver(list)
	}
}

func (h *Health) deliver(list []messages.Outcome) {
	h.send(&messages.Outcomes{List: list, Lost: func(n int) { h.lost.Add(uint64(n)) }})
}

type (
	// canaryDue starts the next canary of one incarnation's degradation.
	canaryDue struct {
		guard.Quiet
		of *healthActor
	}
	// canaryDone brings a canary's result.
	canaryDone struct {
		guard.Quiet
		of  *healthActor
		err error
	}
	// heldLongEnough asks for a look at the view once degradedMin is over.
	heldLongEnough struct {
		guard.Quiet
		of *healthActor
	}
)

// healthActor is one incarnation: the windows, which start empty, and the canaries
// that are under way. Whether the process is degraded survives in the view.
type healthActor struct {
	h        *Health
	w        *windows
	view     messages.HealthView
	inFlight int
	timers   [2]*time.Timer  // next canary, end of degradedMin
	alive    context.Context //nolint:containedctx // the lifetime of this incarnation, and of its canaries
	end      context.CancelFunc
}

func newHealthActor(h *Health) *healthActor {
	a := &healthActor{h: h, view: h.View(),
		w: newWindows(h.cfg.Scanners, h.cfg.Window, h.cfg.MinSamples, h.cfg.ErrorRate)}
	a.alive, a.end = context.WithCancel(context.Background())
	return a
}

// Receive handles one message.
func (a *healthActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		if a.view.Degraded {
			a.beginCanaries()
		}
	case *messages.Outcomes:
		for _, o := range m.List {
			// A line that is crossed inside a batch is crossed.
			if a.w.add(o) && !a.view.Degraded {
				a.degrade(a.w.over())
			}
		}
		a.settle()
	case *canaryDue:
		if m.of == a {
			a.sendCanary()
		}
	case *canaryDone:
		if m.of == a {
			a.canaryBack(m.err)
		}
	case *heldLongEnough:
		if m.of == a {
			a.settle()
		}
	case *actor.Restarting, *actor.Stopping:
		a.stopTimers()
		a.end()
	}
}

func (a *healthActor) degrade(reason string) {
	a.view.Degraded, a.view.Reason, a.view.Since, a.view.GoodCanaries = true, reason, a.h.cfg.Now(), 0
	a.publish()
	a.h.cfg.OnChange(a.view)
	a.beginCanaries()
}

// settle recovers when it is time, and publishes.
func (a *healthActor) settle() {
	recovered := a.view.Degraded && a.w.over() == "" &&
		(a.h.cfg.Canary == nil || a.view.GoodCanaries >= canariesWanted) &&
		a.h.cfg.Now().Sub(a.view.Since) >= degradedMin
	if recovered {
		a.view.Degraded, a.view.Reason, a.view.Since, a.view.GoodCanaries = false, "", a.h.cfg.Now(), 0
		a.stopTimers()
	}
	a.publish()
	if recovered {
		a.h.cfg.OnChange(a.view)
	}
}

func (a *healthActor) publish() {
	v := a.view
	v.All = a.w.all.ring()
	v.Scanners = make(map[string]messages.Ring, len(a.w.by))
	for name, w := range a.w.by {
		v.Scanners[name] = w.ring()
	}
	a.view = v
	a.h.view.Store(&v)
}

func (a *healthActor) beginCanaries() {
	a.timers[1] = a.h.later(max(degradedMin-a.h.cfg.Now().Sub(a.view.Since), 0), &heldLongEnough{of: a})
	if a.h.cfg.Canary != nil {
		a.sendCanary()
	}
}

// sendCanary starts one canary and arms the next.
func (a *healthActor) sendCanary() {
	if !a.view.Degraded {
		return
	}
	a.timers[0] = a.h.later(canaryInterval, &canaryDue{of: a})
	if a.inFlight >= canariesInFlight {
		return
	}
	a.inFlight++
	h := a.h
	go func() {
		ctx, cancel := context.WithTimeout(a.alive, h.cfg.CanaryTimeout)
		defer cancel()
		err := guard.Shield("canary", func() error { return h.cfg.Canary(ctx) })
		h.send(&canaryDone{of: a, err: err})
	}()
}

func (a *healthActor) canaryBack(err error) {
	a.inFlight--
	if !a.view.Degraded {
		return
	}
	if err != nil {
		a.view.GoodCanaries = 0
	} else {
		a.view.GoodCanaries++
	}
	a.settle()
}

func (a *healthActor) stopTimers() {
	for _, t := range a.timers {
		if t != nil {
			t.Stop()
		}
	}
}
