package supervision

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// lateSenders is how long dead letters are answered after the end, in a host's
// system; one of our own has nobody else to send any.
const lateSenders = 10 * time.Second

// abortTime is what a start that failed gets to take itself down.
const abortTime = 2 * time.Second

// Tree is a running tree: the handles of its actors, and the way out.
//
// The handles are valid from Start on and for ever; after Stop their waiting
// methods answer guard.ErrDown.
type Tree struct {
	Lifecycle *actors.Lifecycle
	Front     *actors.Front
	Audit     *actors.Audit // nil without a sink
	Health    *actors.Health
	Rules     *actors.Rules
	Pins      *actors.Pins
	Traces    *actors.Traces
	Model     *actors.ModelPool // nil without a model
	Gate      *actors.Gate      // nil without Config.Check

	cfg     Config
	sys     *actor.ActorSystem
	from    *actor.RootContext // our own: a host may have put middleware on its
	root    rootHandle
	spawned *guard.Promise[struct{}]
	specs   []spec // in start order
	gen     atomic.Uint64
	warm    *guard.Warm
	timers  timers
	release []func() // what the end undoes, in order

	retired sync.Map        // names of children that stay down, for a root that restarts
	forced  context.Context //nolint:containedctx // ends when Force is called
	force   context.CancelFunc
	stop    sync.Once
	stopped *guard.Promise[Report]
	closing atomic.Bool
}

// Start spawns the tree and waits until the server listens, the pins are loaded
// and the first rule tuple is in force; a model may still be loading. The phase is
// then Warming, and becomes Serving when every part is ready.
//
// An address that cannot be bound, a rule pack that does not load, or a ctx that
// ends is an error that names the step; everything is taken down again.
func Start(ctx context.Context, cfg Config) (*Tree, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	t := &Tree{
		cfg: cfg, sys: cfg.System,
		spawned: guard.NewPromise[struct{}](), stopped: guard.NewPromise[Report](),
		warm: guard.NewWarm(4 * runtime.GOMAXPROCS(0)),
	}
	t.forced, t.force = context.WithCancel(context.Background())
	if t.sys == nil {
		t.sys = guard.NewSystem(slog.New(zapslog.NewHandler(cfg.Log.Core(), zapslog.WithName("actor"))))
	}
	t.from = actor.NewRootContext(t.sys, nil)
	t.release = append(t.release, t.warm.Close)
	if unsubscribe := guard.DeadLetters(t.sys, cfg.Name); cfg.System != nil {
		// A sender that was quicker than the end of the tree is still to be answered.
		t.release = append(t.release, func() { time.AfterFunc(lateSenders, unsubscribe) })
	}
	t.furnish()
	if err := t.start(ctx); err != nil {
		t.abort(err)
		return nil, err
	}
	return t, nil
}

// furnish makes the handles and lists the actors in start order.
func (t *Tree) furnish() {
	o := t.cfg.Observer
	t.Front = actors.NewFront(actors.FrontConfig{Server: t.cfg.Front, OnState: t.part(PartListeners)})
	parts := []string{PartListeners, PartRules}
	if t.cfg.Model != nil {
		parts = append(parts, PartModel)
	}
	t.Lifecycle = actors.NewLifecycle(actors.LifecycleConfig{
		Parts: append(parts, PartDegradation), Front: t.Front, Wait: t.cfg.Budgets.Drain, Grace: t.cfg.Budgets.Grace, Now: t.cfg.Now,
	})
	t.add("lifecycle", t.Lifecycle.Props)
	t.add("front", t.Front.Props)

	if t.cfg.Audit.Sink != nil {
		audit := t.cfg.Audit
		audit.OnWritten, audit.OnLost, audit.OnTended = o.AuditWritten, o.AuditLost, o.AuditTended
		t.Audit = actors.NewAudit(audit)
		t.addHot("audit", "audit", t.Audit.Props)
	}

	health := t.cfg.Health
	health.Now, health.OnChange = t.cfg.Now, t.healthChanged
	t.Health = actors.NewHealth(health)
	t.addHot("health", "health", t.Health.Props)

	rules := t.cfg.Rules
	rules.Now, rules.OnReload = t.cfg.Now, o.Reloaded
	t.Rules = actors.NewRules(rules)
	t.add("rules", t.Rules.Props)

	pins := t.cfg.Pins
	pins.OnSaved = o.PinsSaved
	t.Pins = actors.NewPins(pins)
	t.add("pins", t.Pins.Props)

	traces := t.cfg.Traces
	traces.Now, traces.OnEvicted = t.cfg.Now, o.TraceEvicted
	traces.OnLost = func(shard, keys int) {
		t.cfg.Log.Error("trace shard lost its keys", zap.Int("shard", shard), zap.Int("keys", keys))
		o.TraceShardLost(shard, keys)
	}
	t.Traces = actors.NewTraces(traces)
	for i, s := range t.Traces.Shards() {
		t.addHot("trace-"+strconv.Itoa(i), "trace", s.Props)
	}

	if t.cfg.Model != nil {
		model := *t.cfg.Model
		ready, report := model.OnReady, t.part(PartModel)
		model.OnReady = func(ok bool, reason string) {
			report(ok, reason)
			if ready != nil {
				ready(ok, reason)
			}
		}
		t.Model = actors.NewModelPool(model)
		t.addHot("modelpool", "modelpool", t.Model.Props)
	}
	if t.cfg.Check != nil {
		t.Gate = actors.NewGate(actors.GateConfig{Check: t.cfg.Check})
		t.addHot("gate", "gate", t.Gate.Props)
	}
}

func (t *Tree) add(name string, props func(guard.Options) *actor.Props) {
	t.specs = append(t.specs, spec{name: name, label: name, props: props, depth: new(guard.Depth), cold: true})
}

func (t *Tree) addHot(name, label string, props func(guard.Options) *actor.Props) {
	t.specs = append(t.specs, spec{name: name, label: label, props: props, depth: new(guard.Depth)})
}

// part returns a reporter of one readiness part.
func (t *Tree) part(name string) func(ready bool, reason string) {
	return func(ready bool, reason string) {
		if ready {
			t.Lifecycle.Ready(name)
		} else {
			t.Lifecycle.Unready(name, reason)
		}
	}
}

func (t *Tree) healthChanged(v messages.HealthView) {
	t.part(PartDegradation)(!v.Degraded, v.Reason)
	t.cfg.Observer.HealthChanged(v)
}

// props describes one incarnation of a child.
func (t *Tree) props(s spec) *actor.Props {
	o := guard.Options{Name: s.name, OnPanic: t.panicked, Depth: s.depth}
	if !s.cold {
		o.Dispatcher = t.warm
	}
	p := s.props(o)
	if t.cfg.decorate != nil {
		p = t.cfg.decorate(s.name, p)
	}
	return p
}

// panicked logs a panic by its type: its text could quote what the actor held.
func (t *Tree) panicked(name string, reason any, stack []byte) {
	t.cfg.Log.Error("actor panicked", zap.String("actor", name), zap.String("panic", guard.DescribePanic(reason)), zap.ByteString("stack", stack))
}

func (t *Tree) start(ctx context.Context) error {
	if err := t.spawnRoot(); err != nil {
		return fmt.Errorf("start root actor %q: %w", t.cfg.Name, err)
	}
	t.release = append(t.release, t.Lifecycle.Subscribe(t.phaseChanged), t.Lifecycle.Watch(watchInterval))
	if _, err := t.spawned.Await(ctx); err != nil {
		return fmt.Errorf("start actors: %w", err)
	}
	if err := t.Front.Listening(ctx); err != nil {
		return fmt.Errorf("start front: %w", err)
	}
	if err := t.Pins.Loaded(ctx); err != nil {
		return fmt.Errorf("start pins: %w", err)
	}
	if _, err := t.Rules.Reload(ctx, "start"); err != nil {
		return fmt.Errorf("start rules: %w", err)
	}
	t.Lifecycle.Ready(PartRules)
	if !t.Health.View().Degraded {
		t.Lifecycle.Ready(PartDegradation)
	}
	t.Lifecycle.Warm()
	return nil
}

func (t *Tree) phaseChanged(c messages.PhaseChange) {
	if c.From == c.To {
		return // the first word to a new subscriber is no transition
	}
	t.cfg.Log.Info("phase", zap.Stringer("from", c.From), zap.Stringer("to", c.To), zap.String("reason", c.Reason))
	t.cfg.Observer.PhaseChanged(c)
}

func (t *Tree) isRetired(name string) bool {
	_, ok := t.retired.Load(name)
	return ok
}

// Depths is the number of queued messages by actor label, for metrics.
func (t *Tree) Depths() map[string]int {
	depths := make(map[string]int, len(t.specs))
	for _, s := range t.specs {
		depths[s.label] += s.depth.Len()
	}
	return depths
}

// Live reports whether the process makes progress; see actors.WatchdogLimit.
func (t *Tree) Live() bool { return t.Lifecycle.Live() }

// abort takes down what a failed start has left.
func (t *Tree) abort(reason error) {
	t.closing.Store(true)
	t.Lifecycle.Raise(messages.Stopping, reason.Error())
	t.Front.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), abortTime)
	defer cancel()
	if t.Audit != nil && t.root.current() != nil {
		// The start may have written lines already. What cannot be written now is part
		// of a start that failed anyway.
		_ = t.Audit.Close(ctx)
	}
	gone, ended := t.endRoot(ctx)
	if t.Model != nil {
		t.closeModel(ctx)
	}
	t.undoOnce(gone, ended)
}
