package actors

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// modelPhase is where the pool stands.
type modelPhase uint8

const (
	modelLoading modelPhase = iota
	modelReady
	modelFailed
)

// failure is why a ready pool gave up.
type failure uint8

const (
	failedRuntime  failure = iota // the runtime fails on the canary too
	failedRestarts                // too many panics in too short a time
	failedHung                    // too many goroutines stuck in abandoned runs
)

// runtimeLimit is how many runs in a row may fail on the canary too.
const runtimeLimit = 3

// reloadEvery is after how many failed probes of a failing runtime the model is
// loaded afresh.
const reloadEvery = 3

// condition is what the pool knows about its own health.
type condition struct {
	phase    modelPhase
	reason   string
	failure  failure
	ended    bool
	attempts int // of loading or of probing, since the phase began
	stage    int // the next stage to probe
	// goodSince is the first good probe in a row, zero after a bad one.
	goodSince     time.Time
	runtimeFaults int
	panics        []time.Time
	timers        []*time.Timer
	cancelLoad    context.CancelCauseFunc // not nil while a load is on its way
	awaited       *modelsLoaded           // what that load will bring
	// What the observer was told last.
	shownWindows int
	shownWorkers [4]int
}

type probeTick struct {
	guard.Quiet
	gen uint64
}

// resume starts from what an earlier incarnation left, or loads.
func (p *poolActor) resume() {
	v := p.h.view.Load()
	if len(v.models) == 0 {
		p.phase, p.reason = modelLoading, "model loading"
		p.publish()
		p.load()
		return
	}
	p.adopt(v.models)
	if v.phase == modelFailed {
		p.phase, p.reason, p.failure = modelFailed, v.reason, v.failure
		p.publish()
		p.probeAfter(0)
		return
	}
	p.recovered()
}

// recovered makes the pool ready.
func (p *poolActor) recovered() {
	p.phase, p.reason = modelReady, ""
	p.attempts, p.stage, p.runtimeFaults, p.panics, p.goodSince = 0, 0, 0, nil, time.Time{}
	p.publish()
}

func (p *poolActor) publish() {
	p.h.publish(&modelView{phase: p.phase, reason: p.reason, failure: p.failure, models: p.models, identity: p.h.identity(p.models),
		ever: p.h.view.Load().ever || p.phase == modelReady})
}

// absent is the fault of a request that meets a pool that is not ready.
func (p *poolActor) absent() messages.ModelFault { return p.h.view.Load().absent() }

// conclude draws the consequences of one finished run.
func (p *poolActor) conclude(j *job, out *outcome) {
	if out.fault == nil {
		p.runtimeFaults = 0
		return
	}
	switch out.fault.Fault {
	case messages.ModelPanic:
		p.notePanic()
	case messages.ModelRuntime:
		if p.runtimeFaults++; p.runtimeFaults >= runtimeLimit {
			p.fail(failedRuntime, fmt.Sprintf("model %s: runtime fails: %v", j.model.name, out.fault.Err))
		}
	case messages.ModelHung:
		p.noteHung(j)
	}
}

func (p *poolActor) noteHung(j *job) {
	if j.state.Load() != jobAbandoned {
		return // it ended when it was told to
	}
	p.h.cfg.Observer.Abandoned()
	p.observeWorkers()
	if n := p.h.Abandoned(); n >= p.abandonBound() {
		p.fail(failedHung, fmt.Sprintf("model %s: %d runs abandoned and still stuck", j.model.name, n))
	}
}

// abandonBound is two goroutines per slot.
func (p *poolActor) abandonBound() int { return 2 * len(p.slots) }

// notePanic counts a panic towards the restart limit.
func (p *poolActor) notePanic() {
	now := time.Now()
	kept := p.panics[:0]
	for _, t := range p.panics {
		if now.Sub(t) < p.h.cfg.RestartWindow {
			kept = append(kept, t)
		}
	}
	p.panics = append(kept, now)
	if len(p.panics) > p.h.cfg.RestartLimit {
		p.fail(failedRestarts, fmt.Sprintf("model workers: more than %d restarts in %v",
			p.h.cfg.RestartLimit, p.h.cfg.RestartWindow))
	}
}

// fail takes the pool out of service: everyone who waits is answered, and from
// now on only probes run.
func (p *poolActor) fail(why failure, reason string) {
	if p.phase != modelReady {
		return
	}
	p.phase, p.failure, p.reason = modelFailed, why, reason
	p.attempts, p.stage, p.goodSince = 0, 0, time.Time{}
	p.publish()
	p.rejectAll(&messages.ModelError{Fault: messages.ModelLost})
	p.flights.clear(func(f *flight) { f.waiters, f.listed = nil, false })
	p.queue.Clear()
	p.pressed()
	p.probeAfter(p.h.cfg.Probe.Delay(0, p.h.cfg.Random()))
}

func (p *poolActor) probeAfter(d time.Duration) {
	p.after(d, &probeTick{gen: p.gen})
}

// retryProbe plans the next probe after a bad one.
func (p *poolActor) retryProbe() {
	p.attempts++
	p.stage, p.goodSince = 0, time.Time{}
	p.probeAfter(p.h.cfg.Probe.Delay(p.attempts, p.h.cfg.Random()))
}

// probe lets one canary through a failed pool, one stage after the other.
func (p *poolActor) probe(m *probeTick) {
	if m.gen != p.gen || p.phase != modelFailed || p.cancelLoad != nil {
		return
	}
	switch {
	case p.h.Abandoned() >= p.abandonBound():
		// Every probe could be one more goroutine that never comes back.
		p.probeAfter(p.h.cfg.Probe.Delay(p.attempts, p.h.cfg.Random()))
	case p.failure == failedRuntime && p.attempts > 0 && p.attempts%reloadEvery == 0:
		p.attempts++
		p.load()
	case len(p.idle) == 0:
		p.probeAfter(p.h.cfg.Probe.Delay(0, p.h.cfg.Random()))
	default:
		now := time.Now()
		mod := p.models[p.stage]
		n := len(mod.canary)
		if mod.limits.Windows == 1 {
			n = 1
		}
		p.run(&job{gen: generations.Add(1), control: inference.NewRunControl(), model: mod, windows: mod.canary[:n], started: now,
			deadline: now.Add(p.h.cfg.Hang), probe: true})
	}
}

func (p *poolActor) probed(j *job, out *outcome) {
	if out.fault != nil && out.fault.Fault == messages.ModelHung && j.state.Load() == jobAbandoned {
		p.h.cfg.Observer.Abandoned()
		p.observeWorkers()
	}
	if p.phase != modelFailed {
		return
	}
	if !j.model.sane(out) {
		p.retryProbe()
		return
	}
	if p.stage++; p.stage < len(p.models) {
		p.probeAfter(0)
		return
	}
	p.stage = 0
	now := time.Now()
	if p.goodSince.IsZero() {
		p.goodSince = now
	}
	if left := p.h.cfg.RestartWindow - now.Sub(p.goodSince); p.failure == failedRestarts && left > 0 {
		// After a restart limit the workers must hold for a while, not only once.
		p.probeAfter(min(left, p.h.cfg.Probe.Delay(0, p.h.cfg.Random())))
		return
	}
	p.recovered()
}

// sane reports whether a probe scored as at load.
func (m *model) sane(out *outcome) bool {
	if out.fault != nil || out.errs != nil {
		return false
	}
	for i, s := range out.scores {
		if math.Abs(float64(s)-float64(m.golden[i])) > canaryDrift {
			return false
		}
	}
	return true
}
