package actors

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestPoolScores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, nil).ready()
		defer r.stop()
		got, err := r.read(time.Second, "a quiet line", "two lines\nand then something evil here", "")
		require.NoError(t, err)
		require.InDelta(t, 0.95, got.Score, 1e-6)
		require.Equal(t, "fake-id", got.Model)
		require.Len(t, got.Segments, 3)
		require.False(t, got.Segments[0].Blocked)
		require.Equal(t, SegmentResult{Score: got.Score, Start: 10, End: 38, Windows: 2, Blocked: true}, got.Segments[1])
		require.Equal(t, SegmentResult{}, got.Segments[2])
		require.Equal(t, 3, got.Computed)
	})
}

// Whatever the composition of batches, the order, the cache and the neighbours:
// a window's score is its own.
func TestPoolScoresAreTheWindowsOwn(t *testing.T) {
	for _, alone := range []bool{false, true} {
		t.Run(fmt.Sprintf("alone=%v", alone), func(t *testing.T) {
			model := &fakeModel{alone: alone}
			r := newRig(t, model, func(c *ModelPoolConfig) { c.Workers, c.Cache = 3, 64 }).ready()
			defer r.stop()
			line := rapid.StringMatching(`([a-d]{1,3} ){1,12}`)
			rapid.Check(t, func(rt *rapid.T) {
				texts := rapid.SliceOfN(line, 1, 12).Draw(rt, "texts")
				callers := rapid.IntRange(1, 4).Draw(rt, "callers")
				var wg sync.WaitGroup
				got, errs := make([]ModelResult, callers), make([]error, callers)
				for c := range callers {
					wg.Go(func() {
						mine := append(append([]string(nil), texts[c%len(texts):]...), texts[:c%len(texts)]...)
						got[c], errs[c] = r.Classify(context.Background(), seg(mine...), ModelLimits{})
					})
				}
				wg.Wait()
				for c := range callers {
					require.NoError(rt, errs[c])
					for i, s := range got[c].Segments {
						windows := model.plan(texts[(i+c)%len(texts)])
						want := float32(0)
						for _, w := range windows {
							want = max(want, model.want(w))
						}
						require.InDelta(rt, want, s.Score, 1e-5)
						require.Equal(rt, len(windows), s.Windows)
					}
				}
			})
		})
	}
}

// A call knows the size of the batches that it ran in.
func TestPoolTellsTheSizeOfBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(100 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(100 * time.Millisecond)
		sizes := make(chan float64, 4)
		for i := range 4 {
			go func() {
				got, _ := r.read(time.Second, fmt.Sprintf("window number %d", i))
				sizes <- got.MeanBatch()
			}()
		}
		for range 4 {
			require.InDelta(t, 4, <-sizes, 0)
		}
		require.NoError(t, <-busy)
		got, err := r.read(time.Second, "window number 1")
		require.NoError(t, err)
		require.Zero(t, got.MeanBatch(), "remembered")
	})
}

func TestPoolSplitsAShortQueueOverIdleWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(time.Millisecond, time.Millisecond)}, func(c *ModelPoolConfig) { c.Workers = 4 }).ready()
		defer r.stop()
		synctest.Wait() // until the workers are up, too
		_, err := r.read(time.Second, "a b c d\ne f g h\ni j k l\nm n o p\nq r s t\nu v w x\n1 2 3 4\n5 6 7 8")
		require.NoError(t, err)
		require.Len(t, r.model.shapes(), 4)
		for _, shape := range r.model.shapes() {
			require.Equal(t, []int{4, 4}, shape)
		}
	})
}

func TestPoolRefusesNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, nil).ready()
		defer r.stop()
		for _, m := range []*messages.Classify{
			{Stage: messages.StageGate, Windows: make([]inference.Window, 1)},
			{Stage: -1},
			{Windows: make([]inference.Window, 2), BlockAts: []float64{1}},
		} {
			m.Promise = guard.NewPromise[messages.Classification]()
			r.send(m)
			_, err := m.Await(context.Background())
			requireFault(t, err, messages.ModelPoison)
		}
		m := &messages.Classify{Promise: guard.NewPromise[messages.Classification]()}
		r.send(m)
		got, err := m.Await(context.Background())
		require.NoError(t, err)
		require.Empty(t, got.Scores)
	})
}

func TestPoolTellsItsObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(100 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(100 * time.Millisecond)
		_, err := r.read(time.Second, "a b c d e f g\n1 2 3 4 5 6 7 8\nx")
		require.NoError(t, err)
		require.NoError(t, <-busy)
		synctest.Wait()
		r.rec.state(func() {
			require.Len(t, r.rec.batches, 3)
			pair := r.rec.batches[1]
			require.Equal(t, BatchStats{Model: "judge", Windows: 2, Tokens: 15, Padded: 16, Wait: 100 * time.Millisecond, Run: time.Millisecond}, pair)
			require.InDelta(t, 1.0/16, pair.Padding(), 1e-9)
			require.Zero(t, BatchStats{}.Padding())
			require.Equal(t, [4]int{1, 0, 0, 0}, r.rec.workers)
			require.Zero(t, r.rec.queueWindows)
			require.Empty(t, r.rec.faults)
		})
	})
}
