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

func TestAFailingRuntimeFailsThePoolAndIsReloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		first := &fakeModel{name: "one", run: func(inference.RunControl, []inference.Window) error {
			if broken.Load() {
				return errRuntime
			}
			return nil
		}}
		second := &fakeModel{name: "two"}
		var loads atomic.Int64
		r := newRig(t, first, func(c *ModelPoolConfig) {
			c.Probe = guard.Backoff{Min: time.Second, Max: time.Second}
			c.Judge.Load = sequence(&loads, first, second)
		}).ready()
		defer r.stop()
		broken.Store(true)
		for range 3 {
			_, err := r.read(time.Second, "a\nb\nc")
			requireFault(t, err, messages.ModelRuntime)
			require.ErrorIs(t, err, errRuntime)
		}
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model judge: runtime fails: runtime error 7", reason)
		_, err := r.read(time.Second, "d")
		requireFault(t, err, messages.ModelLost)

		<-r.changed
		r.ready()
		info, _, _ := r.Info()
		require.Equal(t, "two", info.Name)
		require.EqualValues(t, 2, loads.Load())
		require.EqualValues(t, 1, first.closed.Load())
		_, err = r.read(time.Second, "d")
		require.NoError(t, err)
	})
}

func TestAFailingRuntimeThatRecoversIsNotReloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		model := &fakeModel{run: func(inference.RunControl, []inference.Window) error {
			if broken.Load() {
				return errRuntime
			}
			return nil
		}}
		var loads atomic.Int64
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Load = sequence(&loads, model) }).ready()
		defer r.stop()
		broken.Store(true)
		for range 2 {
			_, err := r.read(time.Second, "a")
			requireFault(t, err, messages.ModelRuntime)
		}
		broken.Store(false)
		_, err := r.read(time.Second, "a")
		require.NoError(t, err)
		broken.Store(true)
		for range 3 {
			_, ready, _ := r.Info()
			require.True(t, ready, "a good run in between starts the count again")
			_, err = r.read(time.Second, "b")
			requireFault(t, err, messages.ModelRuntime)
		}
		synctest.Wait()
		_, ready, _ := r.Info()
		require.False(t, ready)
		broken.Store(false)
		time.Sleep(3 * time.Second)
		_, ready, _ = r.Info()
		require.True(t, ready)
		require.EqualValues(t, 1, loads.Load())
	})
}

// A canary that scores otherwise than at load keeps a failed pool failed.
func TestAProbeComparesTheScore(t *testing.T) {
	m := &model{golden: []float32{0.1, 0.9}}
	require.True(t, m.sane(&outcome{scores: []float32{0.1001, 0.9}}))
	require.False(t, m.sane(&outcome{scores: []float32{0.1, 0.5}}))
	require.False(t, m.sane(&outcome{scores: []float32{0.1, 0.9}, errs: make([]*messages.ModelError, 2)}))
	require.False(t, m.sane(&outcome{fault: &messages.ModelError{}}))
}
