package supervision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// What can be wrong with a way out. Everything else that goes wrong on it is
// logged and is no error.
var (
	// ErrCutOff means that accepted work was cut off.
	ErrCutOff = errors.New("an exchange was cut off")
	// ErrAuditLost means that audit lines were lost during the stop.
	ErrAuditLost = errors.New("audit lines were lost")
)

// StepReport is one step of the way out.
type StepReport struct {
	Step string
	// At is when it began, Took how long it took or was waited for.
	At   time.Time
	Took time.Duration
	// Skipped is whether it was left behind because its time was over.
	Skipped bool
	Err     error
}

// Report is the whole way out.
type Report struct {
	Steps     []StepReport
	Drained   messages.Drained
	AuditLost uint64 // lines lost since the stop began
}

// Err returns ErrCutOff, ErrAuditLost, both joined, or nil.
func (r Report) Err() error {
	var errs []error
	if r.Drained.Cut {
		errs = append(errs, ErrCutOff)
	}
	if r.AuditLost > 0 {
		errs = append(errs, fmt.Errorf("%w: %d", ErrAuditLost, r.AuditLost))
	}
	return errors.Join(errs...)
}

// frontMargin is what the front may take beyond its grace to stop hard. With what
// the root gets at the end it stays within a second over the budgets.
const frontMargin = 900 * time.Millisecond

// Drain is the first half of Stop: readiness is withdrawn at once, calls are
// served for the drain time (not when the tree has never served), the front closes
// and calls in flight end within the grace. It returns within drain, grace and
// a second and a half, and sooner when ctx ends. Several calls join.
func (t *Tree) Drain(ctx context.Context) (messages.Drained, error) {
	if t.stopped.Settled() {
		report, err := t.stopped.Await(ctx)
		return report.Drained, err
	}
	return t.drain(ctx, "stop")
}

func (t *Tree) drain(ctx context.Context, reason string) (messages.Drained, error) {
	if !t.Lifecycle.Snapshot().Served {
		t.Lifecycle.Hurry() // nobody was ever sent here
	}
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Budgets.Drain+t.cfg.Budgets.Grace+frontMargin)
	defer cancel()
	stopForced := context.AfterFunc(t.forced, cancel)
	defer stopForced()
	done, err := t.Lifecycle.Drain(ctx, reason)
	if err != nil {
		// Out of time, or told not to wait: nothing may go on being served.
		t.Front.Stop()
		done.Cut = true
	}
	return done, err
}

// Hurry ends the drain wait, of a stop that is under way or yet to come: for a
// second signal.
func (t *Tree) Hurry() { t.Lifecycle.Hurry() }

// Force cuts everything off: the server is stopped at once and the steps of a stop
// that is under way get no more time. It acts on the server and not through a
// mailbox, and returns within a second or so.
func (t *Tree) Force() {
	t.Lifecycle.Raise(messages.Draining, "forced")
	t.force()
	t.Lifecycle.Hurry()
	t.Front.Stop()
}

// Stop takes the tree down, in order, within the budgets of the configuration or
// until ctx ends, whichever is sooner. Several calls join. The error is that of the
// report; a step that failed or hung is in the log and in the report and is no
// error by itself.
func (t *Tree) Stop(ctx context.Context) error {
	report, err := t.StopAndReport(ctx)
	if err != nil {
		return err
	}
	return report.Err()
}

// StopAndReport is Stop with its timeline.
func (t *Tree) StopAndReport(ctx context.Context) (Report, error) {
	t.stop.Do(func() { go t.shutDown(ctx) })
	// shutDown ends by itself soon after ctx does; waiting for ctx here, too, would
	// only lose the report.
	return t.stopped.Await(context.WithoutCancel(ctx))
}

func (t *Tree) shutDown(ctx context.Context) {
	t.closing.Store(true)
	var report Report
	lost := t.auditLost()
	begun := t.cfg.Now()
	var err error
	report.Drained, err = t.drain(ctx, "stop")
	t.note(&report, StepReport{Step: "drain", At: begun, Took: t.cfg.Now().Sub(begun), Err: errors.Join(err, report.Drained.Err)})
	// A drain that failed to tell the phase leaves it behind.
	t.Lifecycle.Raise(messages.Stopping, "stop")

	ctx, cancel := context.WithTimeout(ctx, t.cfg.Budgets.Cleanup)
	defer cancel()
	defer context.AfterFunc(t.forced, cancel)()
	for _, s := range t.cleanup() {
		t.step(ctx, &report, s)
	}
	begun = t.cfg.Now()
	gone, ended := t.endRoot(ctx)
	t.note(&report, StepReport{Step: "supervisor", At: begun, Took: t.cfg.Now().Sub(begun), Skipped: !gone})
	if gone && t.Audit != nil && !t.Audit.Closed() {
		t.step(ctx, &report, Step{"audit sink", func(context.Context) error { return t.Audit.CloseOrphan() }})
	}
	report.AuditLost = t.auditLost() - lost
	if t.Audit != nil {
		report.AuditLost += uint64(max(t.Audit.Queued(), 0))
	}
	t.Lifecycle.Raise(messages.Stopped, "stop")
	t.undoOnce(gone, ended)
	t.stopped.Resolve(report)
}

func (t *Tree) auditLost() uint64 {
	if t.Audit == nil {
		return 0
	}
	return t.Audit.Lost()
}

// cleanup lists the steps after the drain: reverse start order, what must reach
// the disk before what only must end, the owner's steps last.
func (t *Tree) cleanup() []Step {
	var steps []Step
	child := func(name string) {
		steps = append(steps, Step{name, func(ctx context.Context) error { return t.retireChild(ctx, name) }})
	}
	child("front")
	if t.Gate != nil {
		child("gate")
	}
	if t.Model != nil {
		steps = append(steps, Step{"model", func(ctx context.Context) error {
			err := t.retireChild(ctx, "modelpool")
			t.closeModel(ctx)
			return err
		}})
	}
	steps = append(steps, Step{"traces", t.retireTraces})
	steps = append(steps, Step{"pins", func(ctx context.Context) error {
		return errors.Join(t.Pins.Flush(ctx), t.retireChild(ctx, "pins"))
	}})
	child("rules")
	steps = append(steps, Step{"health", func(ctx context.Context) error {
		t.Health.Flush()
		return t.retireChild(ctx, "health")
	}})
	if t.Audit != nil {
		steps = append(steps, Step{"audit", func(ctx context.Context) error {
			return errors.Join(t.Audit.Close(ctx), t.retireChild(ctx, "audit"))
		}})
	}
	return append(steps, t.cfg.Finish...)
}

// closeModel lets the models go; it returns when ctx ends although the pool's
// Close may still wait.
func (t *Tree) closeModel(ctx context.Context) {
	closed := make(chan struct{})
	go func() { t.Model.Close(); close(closed) }()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

func (t *Tree) retireTraces(ctx context.Context) error {
	var gone []*guard.Promise[struct{}]
	for _, s := range t.specs {
		if s.label == "trace" {
			gone = append(gone, t.askRetire(s.name))
		}
	}
	var errs []error
	for _, p := range gone {
		if _, err := p.Await(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (t *Tree) askRetire(name string) *guard.Promise[struct{}] {
	t.retired.Store(name, true)
	m := &retire{Promise: guard.NewPromise[struct{}](), name: name}
	t.tell(m)
	return m.Promise
}

func (t *Tree) retireChild(ctx context.Context, name string) error {
	_, err := t.askRetire(name).Await(ctx)
	return err
}

// step runs one step within half of what is left, and leaves it behind when it
// does not end.
func (t *Tree) step(ctx context.Context, report *Report, s Step) {
	begun := t.cfg.Now()
	deadline, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, max(time.Until(deadline)/2, 0))
	defer cancel()
	end := make(chan error, 1)
	go func() { end <- guard.Shield("stop "+s.Name, func() error { return s.Run(ctx) }) }()
	r := StepReport{Step: s.Name, At: begun}
	select {
	case r.Err = <-end:
	case <-ctx.Done():
		select {
		case r.Err = <-end: // both: it did end
		default:
			r.Skipped = true
		}
	}
	r.Took = t.cfg.Now().Sub(begun)
	t.note(report, r)
}

func (t *Tree) note(report *Report, r StepReport) {
	report.Steps = append(report.Steps, r)
	fields := []zap.Field{zap.String("step", r.Step), zap.Duration("took", r.Took), zap.Error(r.Err)}
	switch {
	case r.Skipped:
		t.cfg.Log.Warn("stop step hangs and is left behind", fields...)
	case r.Err != nil:
		t.cfg.Log.Warn("stop step failed", fields...)
	default:
		t.cfg.Log.Info("stop step", fields...)
	}
	t.cfg.Observer.Stepped(r)
}

// rootTime is what the root gets to end even when the budget is used up; it only
// has to tell its children.
const rootTime = 250 * time.Millisecond

// endRoot stops the root with what is left under it, and reports whether it is
// gone; ended is closed when it is.
func (t *Tree) endRoot(ctx context.Context) (gone bool, ended <-chan struct{}) {
	t.timers.stop()
	pid, ended := t.root.close()
	if pid == nil {
		return true, ended
	}
	t.from.Stop(pid)
	least := time.NewTimer(rootTime)
	defer least.Stop()
	select {
	case <-ended:
		return true, ended
	case <-least.C:
	}
	select {
	case <-ended:
		return true, ended
	case <-ctx.Done():
		return false, ended
	}
}

// undoOnce takes back what Start has set up, at once when the root is gone. While
// an actor hangs, its callers must go on being answered: then it is done when the
// last one has ended after all, with the sink that nobody else closes any more.
func (t *Tree) undoOnce(gone bool, ended <-chan struct{}) {
	if gone {
		t.undo()
		return
	}
	go func() {
		<-ended
		if t.Audit != nil {
			// Nobody is left to be told of an error.
			_ = guard.Shield("close audit sink", t.Audit.CloseOrphan)
		}
		t.undo()
	}()
}

// undo takes back what Start has set up.
func (t *Tree) undo() {
	t.force()
	for _, f := range slices.Backward(t.release) {
		f()
	}
}
