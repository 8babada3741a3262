package supervision

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// stopping starts a stop and returns its end.
func stopping(tree *Tree) <-chan error {
	done := make(chan error, 1)
	go func() { done <- tree.Stop(context.Background()) }()
	synctest.Wait()
	return done
}

func TestReadinessIsWithdrawnFirstAndWorkIsServedUntilTheWaitIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		begun := time.Now()
		done := stopping(tree)
		require.Equal(t, messages.Draining, tree.Lifecycle.Phase())
		require.Nil(t, r.server.drained.Load())
		time.Sleep(4 * time.Second)
		for _, name := range r.names() { // crashes and health cannot flip it back
			r.send(name, crash{})
		}
		synctest.Wait()
		require.Equal(t, messages.Draining, tree.Lifecycle.Phase())
		v, err := tree.Gate.Check(t.Context(), &decision.Exchange{})
		require.NoError(t, err)
		require.False(t, v.Denied(), "still answered")
		require.NoError(t, <-done)
		require.Equal(t, begun.Add(5*time.Second), *r.server.drained.Load())
	})
}

func TestSecondSignalSkipsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.server.work = 3 * time.Second
		tree := r.serve()
		begun := time.Now()
		done := stopping(tree)
		tree.Hurry()
		require.NoError(t, <-done, "the slow exchange still ends well")
		require.Equal(t, 3*time.Second, time.Since(begun))
	})
}

func TestForceCutsEverythingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.server.work = time.Hour
		tree := r.serve()
		begun := time.Now()
		done := stopping(tree)
		time.Sleep(time.Second)
		tree.Force()
		require.ErrorIs(t, <-done, ErrCutOff)
		require.Less(t, time.Since(begun), 2*time.Second+rootTime)
	})
}

func TestGraceOverIsACutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.server.work = time.Hour
		tree := r.serve()
		begun := time.Now()
		require.ErrorIs(t, tree.Stop(context.Background()), ErrCutOff)
		require.Less(t, time.Since(begun), 11*time.Second, "drain, grace, and at most a second")
	})
}

func TestStopDuringWarmUpIsImmediateAndNeverServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cfg.Model = &actors.ModelPoolConfig{Judge: actors.ModelStage{
			Load: func(ctx context.Context) (actors.Classifier, error) { <-ctx.Done(); return nil, ctx.Err() },
		}}
		tree := r.start()
		time.Sleep(10 * time.Second)
		require.Equal(t, messages.Warming, tree.Lifecycle.Phase())
		require.Contains(t, tree.Lifecycle.Snapshot().Reason, "model: ")
		begun := time.Now()
		require.NoError(t, tree.Stop(t.Context()))
		require.Less(t, time.Since(begun), time.Second)
		require.NotContains(t, r.seen.phases, messages.Serving)
	})
}

func TestAHangingStepIsLeftBehindAtHalfOfWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		ran := false
		r.cfg.Finish = []Step{
			{"telemetry", func(context.Context) error { <-release; return nil }}, // does not look at its context
			{"polite", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
			{"panics", func(context.Context) error { panic("x") }},
			{"admin", func(context.Context) error { ran = true; return nil }},
		}
		tree := r.serve()
		tree.Hurry()
		report, err := tree.StopAndReport(t.Context())
		require.NoError(t, err)
		require.NoError(t, report.Err(), "a hanging step is no reason for exit 1")
		byName := map[string]StepReport{}
		for _, s := range report.Steps {
			byName[s.Step] = s
		}
		require.True(t, byName["telemetry"].Skipped)
		require.Equal(t, time.Second, byName["telemetry"].Took, "half of two seconds")
		require.Equal(t, 500*time.Millisecond, byName["polite"].Took, "half of the rest")
		require.ErrorIs(t, byName["panics"].Err, guard.ErrPanic)
		require.False(t, byName["admin"].Skipped)
		require.True(t, ran)
	})
}

func TestLostAuditLines(t *testing.T) {
	t.Run("hanging sink", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.sink.hang = make(chan struct{})
			tree := r.serve()
			time.Sleep(2 * time.Second) // its turn hangs in Flush
			require.NoError(t, tree.Audit.Append(&audit.Record{}))
			begun := time.Now()
			require.ErrorIs(t, tree.Stop(context.Background()), ErrAuditLost)
			require.LessOrEqual(t, time.Since(begun), 5*time.Second+2*time.Second+time.Second)
			close(r.sink.hang)
			// What was left behind ends by itself, and takes back what was set up: a
			// goroutine that stayed would fail the bubble.
			synctest.Wait()
			r.sink.mu.Lock()
			defer r.sink.mu.Unlock()
			require.True(t, r.sink.closed)
		})
	})
	t.Run("failing sink", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			tree := r.serve()
			r.sink.mu.Lock()
			r.sink.err = errors.New("no space left on device")
			r.sink.mu.Unlock()
			require.NoError(t, tree.Audit.Append(&audit.Record{}))
			require.NoError(t, tree.Audit.Append(&audit.Record{}))
			synctest.Wait()
			require.ErrorIs(t, tree.Audit.Failing(), actors.ErrAuditFailing)
			require.EqualValues(t, 2, tree.Audit.Lost())
			require.NoError(t, tree.Stop(t.Context()), "lines lost before the stop are no fault of the stop")
		})
	})
}

func TestStopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		err := tree.Stop(ctx)
		require.ErrorIs(t, err, ErrCutOff, "calls could still come in when the time was over")
		require.LessOrEqual(t, time.Since(begun), time.Second+rootTime)
		require.Equal(t, messages.Stopped, tree.Lifecycle.Phase())
	})
}

func TestStopDuringAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		building := make(chan struct{})
		builds := 0
		r.cfg.Rules.Build = func(ctx context.Context) (*messages.Tuple, error) {
			builds++
			if builds > 1 {
				close(building)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return r.build(ctx)
		}
		tree := r.serve()
		reloaded := make(chan error, 1)
		go func() { _, err := tree.Rules.Reload(context.Background(), "SIGHUP"); reloaded <- err }()
		<-building
		require.NoError(t, tree.Stop(t.Context()))
		require.ErrorIs(t, <-reloaded, guard.ErrStopped)
	})
}
