package sallyport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision"
)

// Front is a server that the engine starts first, drains and stops in the right
// order. Package grpcapi has one.
type Front = actors.FrontServer

// The words of the engine's state, under the names an embedder uses.
type (
	// LifecyclePhase is where the engine stands between start and end.
	LifecyclePhase = messages.Phase
	// PhaseChange tells a subscriber what changed.
	PhaseChange = messages.PhaseChange
	// Status is the phase, its reason, and every part that readiness depends on.
	Status = messages.Lifecycle
	// Step is something the host wants done at the end of Shutdown.
	Step = supervision.Step
)

// The phases of an engine, in order.
const (
	Starting = messages.Starting // the parts are being brought up
	Warming  = messages.Warming  // everything runs, not everything is proved
	Serving  = messages.Serving  // ready
	Degraded = messages.Degraded // was ready, may be again
	Draining = messages.Draining // told to stop; still answers
	Stopping = messages.Stopping // refuses; parts are being stopped
	Stopped  = messages.Stopped  // nothing runs
)

// Attach gives the engine a server to own. It must be called before Start.
func (e *Engine) Attach(f Front) { e.front = f }

// errStarted is the error of a second Start.
var errStarted = errors.New("sallyport: the engine was started already")

// Start brings the engine up and returns when it listens, if it has a front, and
// when the rules are in force. The model, if there is one, is still loading: the
// phase is then Warming, exchanges are refused, and it becomes Serving by itself;
// [Engine.AwaitServing] waits for that. An error leaves nothing running.
//
// The finish steps run in order at the end of Shutdown, when the audit trail is
// closed, within what is left of the clean-up time.
func (e *Engine) Start(ctx context.Context, finish ...Step) error {
	if ctx == nil {
		return errors.New("sallyport: start without a context")
	}
	if !e.started.CompareAndSwap(false, true) {
		return errStarted
	}
	defer close(e.startEnd)
	return e.start(ctx, finish)
}

func (e *Engine) start(ctx context.Context, finish []Step) error {
	c := &e.cfg
	if err := pinsFolder(c.PinsFile); err != nil {
		return fmt.Errorf("sallyport: start: %w", err)
	}
	if e.front == nil {
		e.host = newHostFront(&e.admission.inflight)
		e.front = e.host
	}
	cfg := supervision.Config{
		Name:     "sallyport-" + mint().ref[:8],
		System:   c.System,
		Log:      e.log,
		Observer: observer{e: e},
		Budgets:  supervision.Budgets{Drain: c.Drain, Grace: c.Grace, Cleanup: c.Cleanup},
		Finish:   finish,
		Front:    e.front,
		Audit:    actors.AuditConfig{Sink: e.auditSink()},
		Health: actors.HealthConfig{
			Scanners: e.requiredScanners(),
			Window:   c.UnhealthyWindow, MinSamples: c.UnhealthyMinSamples, ErrorRate: orNone(c.UnhealthyErrorRate),
			Canary: e.canary, CanaryTimeout: canaryPatience,
		},
		Rules:  actors.RulesConfig{Build: e.build},
		Traces: actors.TracesConfig{MaxKeys: c.MaxTraces},
		Pins:   actors.PinsConfig{Store: e.pinStore(), Skeleton: content.Skeleton},
		Check:  e.checkPhase,
	}
	if c.Model != nil {
		cfg.Model = &actors.ModelPoolConfig{
			Judge:       actors.ModelStage{Load: e.load, Wide: c.ModelWide},
			Workers:     c.ModelWorkers,
			QueueTokens: c.ModelQueueTokens,
			// Admission bounds what is on its way, and refuses before a payload is parsed.
			Linger:     time.Minute,
			Cache:      orNone(c.ModelCache),
			MaxWindows: c.ModelMaxWindows, JudgeWindows: c.ModelJudgeWindows,
			Observer: modelObserver{e.metrics},
			OnReady:  e.modelReady, OnLoadFailed: e.modelFailed,
		}
		if c.Gate != nil {
			cfg.Model.Gate, cfg.Model.GateBlocks = &actors.ModelStage{Load: e.loadFirst}, c.GateBlocks
		}
	}
	e.event(&audit.Record{Event: audit.EventStart, Time: e.now()})
	tree, err := supervision.Start(ctx, cfg)
	if err != nil {
		// It may have failed before the audit actor had the sink. How it closed is told by
		// Shutdown.
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), sinkPatience)
		defer cancel()
		_ = e.closeSink(patience)
		return fmt.Errorf("sallyport: %w", err)
	}
	e.running.Store(tree)
	e.log.Info("scanners", zap.Strings("enabled", e.requiredScanners()))
	e.nameRules(tree.Rules.Current())
	e.announceModels()
	e.measureModel()
	e.early.release(tree.Audit.Append)
	go e.moveGauges()
	return nil
}

// requiredScanners are those whose failure alone makes the engine degraded.
func (e *Engine) requiredScanners() []string {
	scanners := []string{decision.ScannerContent, decision.ScannerRules}
	if e.cfg.Model != nil {
		scanners = append(scanners, decision.ScannerModel)
	}
	return scanners
}

// orNone is an amount in the words of the actors, where zero means their default.
func orNone[N int | float64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

func (e *Engine) pinStore() actors.PinStore {
	if e.cfg.PinsFile == "" {
		return nil
	}
	return PinFile(e.cfg.PinsFile)
}

// checkPhase answers the gate actor.
func (e *Engine) checkPhase(ctx context.Context, ex *Exchange) Verdict {
	return e.check(ctx, ex, ex.Phase)
}

// PID is where other actors of the same system send *messages.Check; nil before
// Start. It has nothing to do with [Config].Gate, which is a model.
func (e *Engine) PID() *actor.PID {
	if t := e.tree(); t != nil {
		return t.Gate.PID()
	}
	return nil
}

// Phase is where the engine stands. It never waits.
func (e *Engine) Phase() LifecyclePhase {
	if t := e.tree(); t != nil {
		return t.Lifecycle.Phase()
	}
	return messages.Starting
}

// closed reports whether the host's calls are not taken any more.
func (e *Engine) closed() bool { return e.tree() != nil && e.host != nil && e.host.closed.Load() }

// Status is all that is known about readiness. It never waits.
func (e *Engine) Status() Status {
	if t := e.tree(); t != nil {
		return t.Lifecycle.Snapshot()
	}
	return Status{Phase: messages.Starting, Parts: []messages.Part{{Name: "engine", Reason: "starting"}}}
}

// Live reports whether the engine makes progress: its watchdog has been answered
// within half a minute.
func (e *Engine) Live() bool {
	t := e.tree()
	return t == nil || t.Live()
}

// Subscribe calls f now with the current phase and then on every change, in order,
// until the returned function is called. f must not block. It does nothing before
// Start.
func (e *Engine) Subscribe(f func(PhaseChange)) (unsubscribe func()) {
	if t := e.tree(); t != nil {
		return t.Lifecycle.Subscribe(f)
	}
	return func() {}
}

// AwaitServing waits until the engine serves, or until it cannot any more or ctx
// ends, and returns the phase it saw last.
func (e *Engine) AwaitServing(ctx context.Context) LifecyclePhase {
	if t := e.tree(); t != nil {
		return t.Lifecycle.AwaitServing(ctx)
	}
	return messages.Starting
}

// Reload compiles policy and puts it in force for exchanges that begin from now
// on; those in flight finish under the one they began with. The parts (the rule
// pack; everything else) succeed or fail alone, and what fails keeps its previous
// value. Approvals in the pins file are taken too. Calls that overlap share one
// compilation of the last policy given.
func (e *Engine) Reload(ctx context.Context, p Policy) error {
	t := e.tree()
	if t == nil {
		return errors.New("sallyport: reload before start")
	}
	if e.Phase() == Stopped {
		return errors.New("sallyport: reload after the end")
	}
	e.wanted.Store(&p)
	_, err := t.Rules.Reload(ctx, "reload")
	if e.cfg.PinsFile != "" {
		if _, pinsErr := t.Pins.Reload(ctx); pinsErr != nil {
			e.log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyPart, "pins"), zap.Error(pinsErr))
			err = errors.Join(err, pinsErr)
		}
	}
	if err != nil {
		return fmt.Errorf("sallyport: reload: %w", err)
	}
	return nil
}

// ReopenAudit makes the audit trail open its file anew, after a rotation.
func (e *Engine) ReopenAudit(ctx context.Context) error {
	if t := e.tree(); t != nil && t.Audit != nil {
		return t.Audit.Reopen(ctx)
	}
	return nil
}

// Drain withdraws readiness, goes on serving for the drain time, and closes the
// front once calls in flight have ended. [Engine.Shutdown] does it by itself.
func (e *Engine) Drain(ctx context.Context) error {
	ctx = patient(ctx)
	if t := e.tree(); t != nil {
		_, err := t.Drain(ctx)
		return err
	}
	return nil
}

// Hurry ends the drain wait of a shutdown.
func (e *Engine) Hurry() {
	if t := e.tree(); t != nil {
		t.Hurry()
	}
}

// Shutdown stops the engine in order: readiness is withdrawn, calls are still
// served for the drain time, those in flight end within the grace, everything is
// flushed and closed within the clean-up time. It returns when nothing of the
// engine runs any more, or soon after ctx ends. The error says whether an exchange
// was cut off or an audit line was lost. Further calls join the first. It waits for a
// start that is under way, which its own context ends sooner; where ctx ends before
// that, nothing is shut down yet, and Shutdown is to be called again.
func (e *Engine) Shutdown(ctx context.Context) error {
	ctx = patient(ctx)
	if err := e.endStart(ctx); err != nil {
		return err
	}
	e.once.shutdown.Do(func() { close(e.gauges) })
	t := e.tree()
	if t == nil {
		return e.closeSink(ctx)
	}
	<-e.gaugesEnd
	if err := t.Stop(ctx); err != nil {
		return fmt.Errorf("sallyport: shutdown: %w", err)
	}
	return nil
}

// patient is ctx, or, for none, one that does not end: who stops an engine in an
// emergency has no use for a panic, least of all for one on a goroutine of ours.
func patient(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// endStart sees to it that no start comes any more, and waits for one under way.
func (e *Engine) endStart(ctx context.Context) error {
	if e.started.CompareAndSwap(false, true) {
		close(e.startEnd)
	}
	if !comes(ctx, e.startEnd) {
		return fmt.Errorf("sallyport: shutdown: the start has not ended: %w", context.Cause(ctx))
	}
	return nil
}

// sinkPatience is how long a start that has failed waits for the audit sink to close.
const sinkPatience = 5 * time.Second

// closeSink closes the audit sink of an engine that is not running, or leaves it to
// itself when ctx ends.
func (e *Engine) closeSink(ctx context.Context) error {
	sink := e.auditSink()
	if sink == nil {
		return nil
	}
	go sink.Close() //nolint:errcheck // told in sinkErr
	if !comes(ctx, e.sinkEnd) {
		return fmt.Errorf("sallyport: shutdown: close audit sink: %w", context.Cause(ctx))
	}
	return e.sinkErr
}

// comes waits until c is closed and reports whether it was before ctx ended.
func comes(ctx context.Context, c <-chan struct{}) bool {
	select {
	case <-c: // whatever became of ctx
		return true
	default:
	}
	select {
	case <-c:
		return true
	case <-ctx.Done():
		return false
	}
}

// Force cuts everything off at once. Shutdown must still be called.
func (e *Engine) Force() {
	if t := e.tree(); t != nil {
		t.Force()
	}
}
