package sallyport

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

// Overload is no ill health: of runs that ended at our deadline, only those count
// whose scanner did nothing for anyone, for most of the time it may take.
func TestWhichTimeoutsAreIllHealth(t *testing.T) {
	for name, c := range map[string]struct {
		took  func(scanner time.Duration) time.Duration
		stuck bool
		cause error
		bad   int
		fault decision.FaultKind
	}{
		"a shard that hangs":            {took: whole, stuck: true, cause: errScannerTimeout, bad: 1, fault: decision.FaultTimeout},
		"a shard with much to do":       {took: whole, cause: errScannerTimeout, fault: decision.FaultTimeout},
		"asked when the time was over":  {took: none, stuck: true, cause: errScannerTimeout, fault: decision.FaultTimeout},
		"a caller that went away":       {took: whole, stuck: true, cause: context.Canceled, fault: decision.FaultCancelled},
		"a deadline the caller brought": {took: whole, stuck: true, cause: context.DeadlineExceeded, fault: decision.FaultCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := engineWith(t, &wordModel{}, nil)
			before := e.tree().Health.View().Scanners[decision.ScannerRules]
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(c.cause)
			began := e.now().Add(-c.took(e.timeouts().scanner))
			require.Equal(t, c.fault, e.interrupted(ctx, decision.ScannerRules, began, c.stuck))
			e.tree().Health.Flush()
			e.scanned(decision.ScannerRules, "", began) // behind it: once this has come, that has
			e.tree().Health.Flush()
			var after messages.Ring
			require.Eventually(t, func() bool {
				after = e.tree().Health.View().Scanners[decision.ScannerRules]
				return after.Samples > before.Samples+c.bad
			}, time.Minute, time.Millisecond)
			require.Equal(t, before.Bad+c.bad, after.Bad)
		})
	}
}

// A canary whose time went to the model is no sample of the rules, which were never asked in time.
func TestCanaryThatIsLateSaysNothingOfTheRules(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errScannerTimeout)
	r := newRun(e, &Exchange{Phase: decision.Response}, decision.Response)
	r.tuple = e.tree().Rules.Current()
	before := e.tree().Health.View().Scanners[decision.ScannerRules]
	e.canaryTrace(ctx, r)
	require.Len(t, r.in.Faults, 1, "the canary failed all the same")
	require.Equal(t, decision.FaultTimeout, r.in.Faults[0].Kind)
	e.canaryTrace(t.Context(), r)
	e.tree().Health.Flush()
	var after messages.Ring
	require.Eventually(t, func() bool {
		after = e.tree().Health.View().Scanners[decision.ScannerRules]
		return after.Samples > before.Samples
	}, time.Minute, time.Millisecond)
	require.Equal(t, before.Samples+1, after.Samples)
	require.Equal(t, before.Bad, after.Bad)
}

func whole(scanner time.Duration) time.Duration { return scanner }
func none(time.Duration) time.Duration          { return 0 }

// TestWhoseDeadlineItWas: the pool watches the deadline of an exchange by a timer of its own, which may be quicker than
// the context's. A timeout that is told a moment early is ours all the same, and one by the caller's deadline is not.
func TestWhoseDeadlineItWas(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, nil)
	for name, tc := range map[string]struct {
		patient bool
		ended   error // why the context has ended, nil while it has not
		want    decision.FaultKind
	}{
		"ours, told early":        {true, nil, decision.FaultTimeout},
		"ours, told late":         {true, errScannerTimeout, decision.FaultTimeout},
		"the caller's, early":     {false, nil, decision.FaultCancelled},
		"the caller's, late":      {false, context.DeadlineExceeded, decision.FaultCancelled},
		"the caller hung up":      {true, context.Canceled, decision.FaultCancelled},
		"the caller hung up soon": {false, context.Canceled, decision.FaultCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tc.ended != nil {
				cancel(tc.ended)
			}
			r := newRun(e, result(harmless), decision.Response)
			r.patient = tc.patient
			c := &classification{err: &messages.ModelError{Fault: messages.ModelTimeout}, done: make(chan struct{})}
			_, c.span = e.span(ctx, "classify")
			close(c.done)
			r.judge(ctx, c)
			require.Len(t, r.in.Faults, 1)
			require.Equal(t, tc.want, r.in.Faults[0].Kind)
		})
	}
}

// TestWhichModelFaultsAreIllHealth: a model that is lost, stuck or broken withdraws readiness in the end; what load, a
// caller or a payload brings about never does. An error of no known kind is one of the model's.
func TestWhichModelFaultsAreIllHealth(t *testing.T) {
	ill := map[messages.ModelFault]bool{
		messages.ModelLost: true, messages.ModelTimeout: true, messages.ModelPanic: true, messages.ModelHung: true, messages.ModelRuntime: true,
	}
	unknown := messages.ModelFault(255)
	e, _ := engineWith(t, &wordModel{}, nil)
	for _, f := range append(messages.ModelFaults(), unknown) {
		before := e.tree().Health.View().Scanners[decision.ScannerModel]
		err, bad := error(&messages.ModelError{Fault: f}), 0
		if f == unknown {
			err = errors.New("of no kind")
		}
		if ill[f] || f == unknown {
			bad = 1
		}
		r := newRun(e, result(harmless), decision.Response)
		r.patient = true
		c := &classification{began: e.now(), err: err, done: make(chan struct{})}
		_, c.span = e.span(t.Context(), "classify")
		close(c.done)
		r.judge(t.Context(), c)
		require.Len(t, r.in.Faults, 1)
		if f == unknown {
			require.Equal(t, decision.FaultError, r.in.Faults[0].Kind)
		}
		e.scanned(decision.ScannerModel, "", e.now()) // behind it: once this has come, that has
		e.tree().Health.Flush()
		var after messages.Ring
		require.Eventually(t, func() bool {
			after = e.tree().Health.View().Scanners[decision.ScannerModel]
			return after.Samples > before.Samples+bad
		}, time.Minute, time.Millisecond)
		require.Equal(t, before.Bad+bad, after.Bad, "%v", f)
	}
}

// tardy is a context whose deadline the model's pool sees pass before the context itself ends.
type tardy struct {
	context.Context
	deadline time.Time
}

func (c tardy) Deadline() (time.Time, bool) { return c.deadline, true }

// TestADeadlineOfTheCallerIsKnownBeforeItEnds: whose deadline is the nearer one is settled when the exchange begins, so
// that a timeout by the caller's that is told a moment early is not taken for ours.
func TestADeadlineOfTheCallerIsKnownBeforeItEnds(t *testing.T) {
	m := &wordModel{}
	e, _ := engineWith(t, m, func(c *Config) { c.ScannerTimeout, c.ExchangeTimeout = time.Minute, 2*time.Minute })
	m.set(func(c inference.RunControl) error {
		for !c.Terminated() { // as a native call notices it, between operators
			runtime.Gosched()
		}
		return inference.ErrTerminated
	})
	var v Verdict
	for patience := time.Second; m.runs.Load() == 0; patience *= 2 { // on a busy machine it can be over before the model's turn
		v = e.CheckResponse(tardy{t.Context(), e.now().Add(patience)}, result(harmless))
	}
	require.Equal(t, decision.Error, v.Outcome)
	require.Equal(t, "model:cancelled", v.Cause)
}

// TestARateOfNothingToleratesNoFault: 0 is within the range of the rate, and means it.
func TestARateOfNothingToleratesNoFault(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.UnhealthyErrorRate, c.UnhealthyMinSamples = 0, 2 })
	health := e.tree().Health
	health.Record(decision.ScannerContent, messages.OutcomeOK)
	health.Record(decision.ScannerContent, messages.OutcomeOK)
	health.Record(decision.ScannerContent, messages.OutcomeError)
	health.Flush()
	degraded := make(chan struct{})
	var once sync.Once
	defer e.Subscribe(func(c PhaseChange) {
		if c.To == Degraded {
			once.Do(func() { close(degraded) })
		}
	})()
	select {
	case <-degraded:
	case <-time.After(20 * time.Second):
		require.Fail(t, "one fault in three is tolerated")
	}
}
