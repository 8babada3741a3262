package actors

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// ModelPoolConfig is what a model pool is made of. Judge.Load is required; a zero
// field elsewhere takes the default named with it.
type ModelPoolConfig struct {
	// Judge is the model whose score counts.
	Judge ModelStage
	// Gate, when given, reads everything first; the judge then reads only what the
	// gate does not clear. Nil: the judge reads everything.
	Gate *ModelStage
	// GateClear is the score below which the gate clears a window, in (0, 1]. Zero:
	// what the gate was calibrated with (inference.Info.ClearAt), or else its review
	// threshold for the surface of the segment.
	GateClear float64
	// GateBlocks lets the gate block by itself: a segment one of whose windows reaches
	// the gate's own block threshold is blocked whatever the judge says. Without it the
	// gate only decides what the judge reads, and the judge's score alone counts: the
	// judge is the better model, and its thresholds were set without a second opinion.
	GateBlocks bool
	// Workers is the number of runs side by side; more than the CPUs only adds
	// latency. Zero: GOMAXPROCS.
	Workers int
	// QueueTokens bounds what waits, in ids as the judge reads them; those of a gate
	// count by what they cost. A request is refused as a whole, and one alone in the
	// queue may exceed it. Zero: 65 536.
	QueueTokens int
	// Linger is the wait that a standing backlog is held to. Zero: 25 ms, for callers
	// who send whatever comes. One who bounds what is on its way by itself, and refuses
	// for less than a refusal here costs, wants a long one.
	Linger time.Duration
	// Cache is the number of window scores that are kept; a quarter as many segment
	// results are kept, too. Zero: 65 536. Negative: none.
	Cache int
	// MaxWindows bounds the windows of one payload, JudgeWindows those that the judge
	// reads of it behind a gate. A gate whose windows are narrower than 256 ids may read
	// as many more of them, so that the bound is one of work. Zero: 256 and 8.
	MaxWindows, JudgeWindows int
	// Hang is how long a run may take before it is terminated, TerminateGrace how
	// long it then has to return before it is given up. Zero: 10 s and 500 ms.
	Hang, TerminateGrace time.Duration
	// LoadTime is how long an attempt to open and prove the models may take before it is
	// given up. Zero: 5 min.
	LoadTime time.Duration
	// Restart is the back-off of a worker that panicked. Zero: 100 ms to 10 s.
	Restart guard.Backoff
	// Probe is the back-off between attempts to load or to recover. Zero: 1 s to 30 s.
	Probe guard.Backoff
	// RestartLimit panics within RestartWindow are tolerated; one more fails the pool
	// until its workers have held for RestartWindow. Zero: 10 in 60 s.
	RestartLimit  int
	RestartWindow time.Duration
	// Random gives the jitter of the back-offs, in [0, 1). Nil: math/rand.
	Random func() float64
	// Observer is told what happens. Nil: nobody.
	Observer ModelObserver
	// OnReady is told, in order, when the pool becomes ready, stops being it, or has
	// another reason for not being it. It runs on the pool's turn and must not block.
	OnReady func(ready bool, reason string)
	// OnLoadFailed is told of every attempt to load that failed; one that was given up is
	// an ErrModelHangs. It runs on the pool's turn and must not block.
	OnLoadFailed func(error)
}

// ModelStage is one model of the pool.
type ModelStage struct {
	// Load opens the model. It is called off the actors' turns, again after a while
	// when it fails, and when the runtime keeps failing on a loaded model.
	Load LoadModel
	// Unproved accepts a model that does not tell the canary texts apart, for
	// measurements with random weights. Never in service.
	Unproved bool
	// Wide makes the model read wide windows, and narrow ones around what was flagged:
	// for a judge without a gate in front, whose cost is the number of windows. Without
	// it the windows are those the model was calibrated with.
	Wide bool
	// Limits bound a batch; the zero value is right for transformers.
	Limits batch.Limits
}

func (c ModelPoolConfig) complete() ModelPoolConfig {
	c.Workers = orDefault(c.Workers, runtime.GOMAXPROCS(0))
	c.QueueTokens = orDefault(c.QueueTokens, 65_536)
	c.Linger = orDefault(c.Linger, linger)
	if c.Cache == 0 {
		c.Cache = 65_536
	}
	c.MaxWindows = orDefault(c.MaxWindows, 256)
	c.JudgeWindows = orDefault(c.JudgeWindows, 8)
	c.Hang = orDefault(c.Hang, 10*time.Second)
	c.TerminateGrace = orDefault(c.TerminateGrace, 500*time.Millisecond)
	c.LoadTime = orDefault(c.LoadTime, loadTime)
	if c.Probe == (guard.Backoff{}) {
		c.Probe = guard.Backoff{Min: time.Second, Max: 30 * time.Second}
	}
	c.RestartLimit = orDefault(c.RestartLimit, 10)
	c.RestartWindow = orDefault(c.RestartWindow, time.Minute)
	if c.Random == nil {
		c.Random = rand.Float64
	}
	if c.Observer == nil {
		c.Observer = blindModelObserver{}
	}
	if c.OnReady == nil {
		c.OnReady = func(bool, string) {}
	}
	if c.OnLoadFailed == nil {
		c.OnLoadFailed = func(error) {}
	}
	return c
}

func orDefault[T int | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

// ModelPool is the handle of the model pool: what the rest of the program sees of
// it. It outlives every incarnation of the actor and owns what they share: the
// loaded models, the caches, the published condition.
type ModelPool struct {
	ref
	cfg   ModelPoolConfig
	cache *scoreCache
	// pressure is the backlog as callers see it.
	pressure pressure
	reading  reading
	view     atomic.Pointer[modelView]
	// abandoned counts goroutines that are stuck in a run that was given up.
	abandoned atomic.Int64
	// up is how many workers take jobs.
	up atomic.Int32
	// worked counts, by stage, the runs that gave a score.
	worked [2]atomic.Uint64
	// opening holds the one call that may open and prove models.
	opening chan struct{}
	closing sync.Once
}

// modelView is the published condition of the pool; immutable.
type modelView struct {
	phase   modelPhase
	reason  string
	failure failure
	ever    bool // has been ready in this process
	models  []*model
	// identity is of the models and of how they work together, for cache keys.
	identity string
	closed   bool
}

// absent is the fault of a request that meets a pool which is not ready.
func (v *modelView) absent() messages.ModelFault {
	if v.ever {
		return messages.ModelLost
	}
	return messages.ModelNotReady
}

// NewModelPool makes the handle; nothing runs until an actor of Props is spawned.
func NewModelPool(cfg ModelPoolConfig) *ModelPool {
	h := &ModelPool{cfg: cfg.complete(), opening: make(chan struct{}, 1)}
	h.cache = newScoreCache(h.cfg.Cache)
	h.view.Store(&modelView{reason: "model not started"})
	return h
}

// Props describes the actor, for one spawn. One at a time may be alive; a later
// one goes on with the models of the one before.
func (h *ModelPool) Props(o guard.Options) *actor.Props {
	if o.Depth == nil {
		o.Depth = &guard.Depth{}
	}
	return h.props(func() actor.Actor { return &poolActor{h: h, options: o} }, o)
}

// Close frees the models, once runs that are still on their way have returned.
// Call it after the actor has stopped for good.
func (h *ModelPool) Close() {
	h.closing.Do(func() {
		v := h.view.Swap(&modelView{phase: modelFailed, reason: "model closed", ever: h.view.Load().ever, closed: true})
		closeModels(v.models)
	})
}

// Info describes the judge, and says whether the pool is ready and, if not, why.
func (h *ModelPool) Info() (info inference.Info, ready bool, reason string) {
	v := h.view.Load()
	if len(v.models) > 0 {
		info = v.models[messages.StageJudge].info
	}
	return info, v.phase == modelReady && h.at.Load() != nil, v.reason
}

// GateInfo describes the gate and says whether there is one. Clear in it is the
// threshold in force where a surface has none of its own, 0 when that is the review
// threshold of each surface.
func (h *ModelPool) GateInfo() (info inference.Info, gated bool) {
	v := h.view.Load()
	if len(v.models) <= messages.StageGate {
		return info, false
	}
	info = v.models[messages.StageGate].info
	info.Clear = h.clear(info)
	return info, true
}

// clear is the clearing threshold of surfaces without their own, 0 when it is the
// review threshold of each.
func (h *ModelPool) clear(gate inference.Info) float64 {
	if h.cfg.GateClear > 0 {
		return h.cfg.GateClear
	}
	return gate.Clear
}

// BatchCost is what the largest batch of the judge costs by the runs at load; zero
// before. The scanner's timeout is derived from it.
func (h *ModelPool) BatchCost() time.Duration {
	v := h.view.Load()
	if len(v.models) == 0 {
		return 0
	}
	m := v.models[messages.StageJudge]
	return m.cost.Run(m.largest())
}

// Abandoned is the number of goroutines that are stuck in a run that was given up.
func (h *ModelPool) Abandoned() int { return int(max(h.abandoned.Load(), 0)) }

func (h *ModelPool) publish(v *modelView) {
	for {
		old := h.view.Load()
		if old.closed {
			return
		}
		if h.view.CompareAndSwap(old, v) {
			h.cfg.OnReady(v.phase == modelReady, v.reason)
			return
		}
	}
}
