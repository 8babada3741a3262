package actors

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
)

// A model of convolutions computes places sixteen at a time; one of products over
// tokens does not. In a bubble the runs take exactly what they say.
func TestThePoolFindsOutWhetherLengthsCostInSteps(t *testing.T) {
	strips := func(perStrip time.Duration) func(inference.RunControl, []inference.Window) error {
		return func(control inference.RunControl, batch []inference.Window) error {
			longest := 0
			for _, w := range batch {
				longest = max(longest, len(w.IDs))
			}
			time.Sleep(perStrip * time.Duration(len(batch)*((longest+15)/16)))
			return nil
		}
	}
	for _, c := range []struct {
		name string
		run  func(inference.RunControl, []inference.Window) error
		want int
	}{
		{"in steps", strips(20 * time.Microsecond), 16},
		{"by the token", costs(10*time.Microsecond, time.Microsecond), 1},
		{"too quick for a clock", strips(time.Microsecond), 1},
		{"too slow to matter", strips(time.Millisecond), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &fakeModel{run: c.run, tokens: 64}, nil).ready()
				defer r.stop()
				limits := r.view.Load().models[0].limits
				require.Equal(t, c.want, limits.Complete().Step)
			})
		})
	}
}

// A full batch of a transformer may be too large for the processor's caches.
func TestBatchesAreHalvedWhereTwoHalvesCostLess(t *testing.T) {
	for _, c := range []struct {
		name string
		more time.Duration // what a place costs more in batches of over 128
		want int
	}{
		{"a fifth more", 200 * time.Microsecond, 128},
		{"hardly more", 20 * time.Microsecond, 256},
		{"as much", 0, 256},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run := func(_ inference.RunControl, batch []inference.Window) error {
					longest := 0
					for _, w := range batch {
						longest = max(longest, len(w.IDs))
					}
					each := time.Millisecond
					if longest*len(batch) > 128 {
						each += c.more
					}
					time.Sleep(time.Duration(longest*len(batch)) * each)
					return nil
				}
				r := newRig(t, &fakeModel{run: run, tokens: 64}, nil).ready()
				defer r.stop()
				require.Equal(t, c.want, r.view.Load().models[0].limits.Tokens)
			})
		})
	}
}

func TestBatchesOfASmallModelAreLarger(t *testing.T) {
	for _, c := range []struct {
		name        string
		perToken    time.Duration
		windows     int
		wantTokens  int
		wantWindows int
	}{
		{"unknown", 0, 16, 256, 16},
		{"small", time.Microsecond, 16, 512, 48},
		{"a transformer", time.Millisecond, 16, 256, 16},
		{"one that runs alone", time.Microsecond, 1, 256, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &model{limits: batch.Limits{Windows: c.windows, Tokens: 256, Waste: 0.15}}
			m.cost.Observe(100, 100, 100*c.perToken)
			require.NoError(t, m.fit(t.Context()))
			require.Equal(t, c.wantTokens, m.limits.Tokens)
			require.Equal(t, c.wantWindows, m.limits.Windows)
		})
	}
}
