package actors

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

var errRuntime = errors.New("runtime error 7")

func TestWorkerPanicIsAnsweredAtOnceAndTheQueueSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if err := costs(10*time.Millisecond, 0)(control, b); err != nil {
				return err
			}
			if batchHas(b, "bomb") {
				panic("the text of a window")
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Limits = batch.Limits{Windows: 1} }).ready()
		defer r.stop()
		start := time.Now()
		bomb, queued := make(chan error, 1), make(chan error, 1)
		var at time.Duration
		go func() {
			_, err := r.read(time.Minute, "bomb here")
			at = time.Since(start)
			bomb <- err
		}()
		synctest.Wait()
		go func() { _, err := r.read(time.Minute, "waits behind"); queued <- err }()

		err := <-bomb
		requireFault(t, err, messages.ModelPanic)
		require.NotContains(t, err.Error(), "text of a window")
		require.LessOrEqual(t, at, 60*time.Millisecond)
		require.NoError(t, <-queued)
		require.Equal(t, 10+100+10, int(time.Since(start).Milliseconds()), "the worker came back after its back-off")
		r.rec.state(func() { require.Equal(t, 1, r.rec.restarted) })
		require.Zero(t, r.panics.Load(), "no actor panicked")
	})
}

func TestWorkerBackoffGrowsAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, explosive(), nil).ready()
		defer r.stop()
		pause := func(text string) time.Duration {
			_, err := r.read(time.Minute, text)
			if strings.Contains(text, "bomb") {
				requireFault(t, err, messages.ModelPanic)
			} else {
				require.NoError(t, err)
			}
			start := time.Now()
			for r.down() {
				time.Sleep(time.Millisecond)
			}
			return time.Since(start)
		}
		require.Equal(t, 100*time.Millisecond, pause("bomb 1"))
		require.Equal(t, 200*time.Millisecond, pause("bomb 2"))
		require.Equal(t, 400*time.Millisecond, pause("bomb 3"))
		require.Zero(t, pause("fine"))
		require.Equal(t, 100*time.Millisecond, pause("bomb 4"))
	})
}

// Work that starves because all workers are in their back-off is lost to a fault
// of ours and not to load.
func TestStarvedByRestartsIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, explosive(), func(c *ModelPoolConfig) { c.Restart = guard.Backoff{Min: time.Second, Max: time.Second} }).ready()
		defer r.stop()
		_, err := r.read(time.Minute, "bomb")
		requireFault(t, err, messages.ModelPanic)
		_, err = r.read(100*time.Millisecond, "fine")
		requireFault(t, err, messages.ModelLost)
		_, err = r.read(time.Minute, "fine")
		require.NoError(t, err)
	})
}

// explosive is a model that panics on a batch with a bomb.
func explosive() *fakeModel {
	return &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
		if batchHas(b, "bomb") {
			panic("x")
		}
		return nil
	}}
}

// down reports whether no worker takes jobs, once everything has settled.
func (r *rig) down() bool {
	synctest.Wait()
	var w [4]int
	r.rec.state(func() { w = r.rec.workers })
	return w[0]+w[1] == 0
}
