package actors

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
)

// failing makes batches with a given word fail, and count the passes.
func failing(word string, err error) func(inference.RunControl, []inference.Window) error {
	return func(_ inference.RunControl, b []inference.Window) error {
		if batchHas(b, word) {
			return err
		}
		return nil
	}
}

func TestOnePoisonousWindowFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(100 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(100 * time.Millisecond)
		r.model.run = failing("poison", errRuntime)
		const n = 16
		errs := make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				text := fmt.Sprintf("window number %d", i)
				if i == 11 {
					text = "window of poison"
				}
				_, errs[i] = r.read(time.Second, text)
			})
		}
		wg.Wait()
		require.NoError(t, <-busy)
		for i, err := range errs {
			if i == 11 {
				requireFault(t, err, messages.ModelPoison)
				require.ErrorIs(t, err, errRuntime)
				f, _ := messages.ModelFaultOf(err)
				require.False(t, f.Sample())
				continue
			}
			require.NoError(t, err, "window %d", i)
		}
		// The whole batch, the canary, and two halves on each of four levels.
		require.Len(t, r.model.shapes(), 1+1+1+8)
		_, ready, _ := r.Info()
		require.True(t, ready)
	})
}

// Any set of bad windows: exactly those fail, in a bounded number of passes.
func TestHalvingFindsExactlyTheBadWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "n")
		bad := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "bad")
		f := &fakeModel{run: failing("bad", errRuntime)}
		canary := []inference.Window{{IDs: []int32{1}}}
		j := &job{model: &model{classifier: f, canary: canary}, started: time.Now()}
		any := false
		for i, b := range bad {
			w := inference.Window{IDs: []int32{int32(i + 2)}}
			if b {
				w.IDs, any = append(w.IDs, wordID("bad")), true
			}
			j.windows = append(j.windows, w)
		}
		out := j.execute()
		require.Nil(t, out.fault)
		require.Equal(t, !any, out.clean)
		require.LessOrEqual(t, f.runs.Load(), int64(2*n+1))
		for i, b := range bad {
			if b {
				require.NotNil(t, out.faultOf(i))
				require.Equal(t, messages.ModelPoison, out.faultOf(i).Fault)
				continue
			}
			require.InDelta(t, f.want(j.windows[i]), out.scores[i], 0)
			require.Nil(t, out.faultOf(i))
		}
	})
}

func TestABlockWinsOverAPoisonousWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{run: failing("poison", errRuntime)}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Limits = batch.Limits{Windows: 1} }).ready()
		defer r.stop()
		got, err := r.read(time.Second, "poison\nharmless\nevil")
		require.NoError(t, err)
		require.True(t, got.Segments[0].Blocked)
		_, err = r.read(time.Second, "poison\nharmless")
		requireFault(t, err, messages.ModelPoison)
	})
}

func TestANotANumberIsAnErrorOfItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, bad := range []float32{notANumber, -0.1, 1.5, float32(1) / float32(zero)} {
			model := &fakeModel{}
			model.score = func(w inference.Window) float32 {
				if has(w, "strange") {
					return bad
				}
				return (&fakeModel{}).want(w)
			}
			r := newRig(t, model, nil).ready()
			_, err := r.read(time.Second, "strange\nnormal")
			requireFault(t, err, messages.ModelBadScore)
			got, err := r.read(time.Second, "normal")
			require.NoError(t, err)
			require.Zero(t, got.Computed, "its neighbour was scored")
			r.stop()
		}
	})
}
