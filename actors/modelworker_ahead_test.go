package actors

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
)

func TestShortRunsAreSentAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		model := &fakeModel{}
		model.run = func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "stuck") {
				<-free
			}
			return costs(100*time.Microsecond, time.Microsecond)(control, b)
		}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Hang, c.TerminateGrace = 5*time.Second, time.Second
			c.Judge.Limits = batch.Limits{Windows: 1}
		}).ready()
		defer r.stop()

		stuckErr := make(chan error, 1)
		go func() { _, err := r.read(time.Minute, "stuck"); stuckErr <- err }()
		synctest.Wait()
		ahead := make(chan error, 2)
		for _, text := range []string{"one", "two"} {
			go func() { _, err := r.read(time.Minute, text); ahead <- err }()
			synctest.Wait()
		}
		r.rec.state(func() { require.Equal(t, 1, r.rec.queueWindows, "one is in the worker's slot") })
		// What is behind a run that turns out long goes back to the queue, where a free
		// worker would find it.
		time.Sleep(2 * aheadPatience)
		synctest.Wait()
		r.rec.state(func() { require.Equal(t, 2, r.rec.queueWindows) })
		requireFault(t, <-stuckErr, messages.ModelHung)
		require.NoError(t, <-ahead)
		require.NoError(t, <-ahead)
		close(free)
	})
}

// What was sent ahead has not started: a deadline that passes behind a run that turns out
// long is load, which is no sample of health, and not a timeout of ours.
func TestWhatIsSentAheadHasNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{}
		model.run = func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "long") {
				return computing(control, 40*time.Millisecond)
			}
			return costs(100*time.Microsecond, time.Microsecond)(control, b)
		}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Limits = batch.Limits{Windows: 1} }).ready()
		defer r.stop()
		long, behind, joined := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		go func() { _, err := r.read(time.Minute, "long"); long <- err }()
		synctest.Wait()
		go func() { _, err := r.read(20*time.Millisecond, "behind"); behind <- err }()
		synctest.Wait()
		r.rec.state(func() { require.Zero(t, r.rec.queueWindows, "it is in the worker's slot") })
		go func() { _, err := r.read(30*time.Millisecond, "behind"); joined <- err }()
		requireFault(t, <-behind, messages.ModelUnreachable)
		requireFault(t, <-joined, messages.ModelUnreachable)
		require.NoError(t, <-long)
		_, err := r.read(time.Minute, "behind")
		require.NoError(t, err)
	})
}

// The clock of a run that was sent ahead begins when the worker comes to it.
func TestARunSentAheadHasItsWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{}
		model.run = func(control inference.RunControl, b []inference.Window) error {
			switch {
			case batchHas(b, "long"):
				return computing(control, aheadPatience-time.Millisecond)
			case batchHas(b, "endless"):
				return computing(control, 90*time.Millisecond)
			}
			return costs(100*time.Microsecond, time.Microsecond)(control, b)
		}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Hang, c.TerminateGrace = 100*time.Millisecond, 10*time.Millisecond
			c.Judge.Limits = batch.Limits{Windows: 1}
		}).ready()
		defer r.stop()
		errs := make(chan error, 2)
		for _, text := range []string{"long", "endless"} {
			go func() { _, err := r.read(time.Minute, text); errs <- err }()
			synctest.Wait()
		}
		r.rec.state(func() { require.Zero(t, r.rec.queueWindows, "the second is sent ahead") })
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
	})
}

// A worker that panics gives back what it was sent ahead, and it is not lost.
func TestAPanicGivesBackWhatWasSentAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			err := costs(100*time.Microsecond, time.Microsecond)(control, b)
			if batchHas(b, "bomb") {
				panic("x")
			}
			return err
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Limits = batch.Limits{Windows: 1} }).ready()
		defer r.stop()
		start := time.Now()
		errs := map[string]chan error{}
		for _, text := range []string{"bomb", "next", "last"} {
			done := make(chan error, 1)
			errs[text] = done
			go func() { _, err := r.read(time.Minute, text); done <- err }()
			synctest.Wait()
		}
		requireFault(t, <-errs["bomb"], messages.ModelPanic)
		require.NoError(t, <-errs["next"])
		require.NoError(t, <-errs["last"])
		require.InDelta(t, 100, time.Since(start).Milliseconds(), 1)
	})
}

func TestLongRunsAreNotSentAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(0, time.Millisecond)}, nil).ready()
		defer r.stop()
		errs := make(chan error, 2)
		for _, text := range []string{"one", "two"} {
			go func() { _, err := r.read(time.Minute, text); errs <- err }()
			synctest.Wait()
		}
		r.rec.state(func() { require.Equal(t, 1, r.rec.queueWindows) })
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
	})
}

// What was sent ahead while little had come runs together with what comes before its
// turn does.
func TestWhatIsSentAheadGrowsUntilItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		model := &fakeModel{}
		model.run = func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "held") {
				<-free
				return nil
			}
			return costs(100*time.Microsecond, time.Microsecond)(control, b)
		}
		r := newRig(t, model, nil).ready()
		defer r.stop()
		const most = 16
		texts := append([]string{"held"}, strings.Fields("a b c d e f g h i j k l m n o p q")...)
		errs := make(chan error, len(texts))
		for i, text := range texts {
			go func() { _, err := r.read(time.Minute, text); errs <- err }()
			synctest.Wait()
			if i == most {
				r.rec.state(func() { require.Zero(t, r.rec.queueWindows, "all are in the worker's slot") })
			}
		}
		close(free)
		for range texts {
			require.NoError(t, <-errs)
		}
		var sizes []int
		for _, b := range r.model.shapes() {
			sizes = append(sizes, len(b))
		}
		require.Equal(t, []int{1, most, 1}, sizes)
	})
}
