package actors

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

var zero float32

func TestARunPastItsDeadlineIsTerminated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Cooperative: the run ends when told to.
		r := newRig(t, &fakeModel{run: slowly(time.Hour)}, func(c *ModelPoolConfig) { c.Hang = time.Second }).ready()
		defer r.stop()
		start := time.Now()
		_, err := r.read(time.Minute, "occupy")
		requireFault(t, err, messages.ModelHung)
		require.InDelta(t, 1000, time.Since(start).Milliseconds(), 1)
		require.Zero(t, r.Abandoned())
		_, err = r.read(time.Minute, "next")
		require.NoError(t, err)
		r.rec.state(func() { require.Zero(t, r.rec.abandoned) })
	})
}

// A run that was cut short for the sake of its first caller is done again for one
// who came later and waits longer.
func TestARunCutShortIsDoneAgainForALaterCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow atomic.Bool
		slow.Store(true)
		model := &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if slow.Load() && batchHas(b, "occupy") {
				err := computing(control, time.Hour)
				slow.Store(false)
				return err
			}
			// Not at once: the first caller must have left before it is done again, or it
			// would have its score, too.
			return computing(control, 10*time.Millisecond)
		}}
		r := newRig(t, model, nil).ready()
		defer r.stop()
		short, long := make(chan error, 1), make(chan error, 1)
		go func() { _, err := r.read(200*time.Millisecond, "occupy"); short <- err }()
		synctest.Wait()
		go func() { _, err := r.read(5*time.Second, "occupy"); long <- err }()
		requireFault(t, <-short, messages.ModelTimeout)
		require.NoError(t, <-long)
	})
}

// stuck makes "stuck" windows ignore Terminate until free is closed.
func stuck(free chan struct{}) func(inference.RunControl, []inference.Window) error {
	return func(_ inference.RunControl, b []inference.Window) error {
		if batchHas(b, "stuck") {
			<-free
		}
		return nil
	}
}

func TestAStuckWorkerIsAbandonedAndReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		r := newRig(t, &fakeModel{run: stuck(free)}, func(c *ModelPoolConfig) {
			c.Hang, c.TerminateGrace = time.Second, 500*time.Millisecond
			c.Workers = 1
			c.Probe = guard.Backoff{Min: time.Second, Max: time.Second}
		}).ready()
		defer r.stop()

		start := time.Now()
		behind := make(chan error, 1)
		go func() {
			time.Sleep(10 * time.Millisecond)
			_, err := r.read(time.Minute, "waits behind")
			behind <- err
		}()
		_, err := r.read(time.Minute, "stuck one")
		requireFault(t, err, messages.ModelHung)
		require.Equal(t, 1500*time.Millisecond, time.Since(start))
		require.NoError(t, <-behind)
		require.Equal(t, 1500*time.Millisecond, time.Since(start), "the replacement took over at once")
		require.Equal(t, 1, r.Abandoned())
		_, ready, _ := r.Info()
		require.True(t, ready)

		// The second one in the only slot is one too many.
		_, err = r.read(time.Minute, "stuck two")
		requireFault(t, err, messages.ModelHung)
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model judge: 2 runs abandoned and still stuck", reason)
		_, err = r.read(time.Minute, "anything")
		requireFault(t, err, messages.ModelLost)

		// No probe is risked while they are stuck.
		runs := r.model.runs.Load()
		time.Sleep(time.Hour)
		require.Equal(t, runs, r.model.runs.Load())

		// They come back late: their answers are dropped, the pool is probed and serves.
		close(free)
		time.Sleep(2 * time.Second)
		require.Zero(t, r.Abandoned())
		_, ready, _ = r.Info()
		require.True(t, ready)
		_, err = r.read(time.Minute, "anything")
		require.NoError(t, err)
		got, err := r.read(time.Minute, "stuck one")
		require.NoError(t, err)
		require.Equal(t, 1, got.Computed, "a late answer is not even cached")
		r.rec.state(func() { require.Equal(t, 2, r.rec.abandoned) })
		require.Equal(t, []string{"model loading", "ready", "model judge: 2 runs abandoned and still stuck", "ready"}, r.history())
	})
}

// The late answer of an abandoned worker never reaches the request that its
// replacement works on.
func TestALateAnswerIsNobodysAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		model := &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "stuck") {
				<-free
				return nil
			}
			return costs(300*time.Millisecond, 0)(control, b)
		}}
		model.score = func(w inference.Window) float32 {
			if has(w, "stuck") {
				return 0
			}
			return (&fakeModel{}).want(w)
		}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Hang = time.Second }).ready()
		defer r.stop()
		_, err := r.read(time.Minute, "stuck one")
		requireFault(t, err, messages.ModelHung)
		next := make(chan ModelResult, 1)
		go func() {
			got, err := r.read(time.Minute, "evil")
			if err != nil {
				t.Error(err)
			}
			next <- got
		}()
		time.Sleep(100 * time.Millisecond)
		close(free)
		synctest.Wait()
		require.Empty(t, next)
		require.InDelta(t, 0.95, (<-next).Score, 1e-6)
	})
}
