package actors

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
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

func TestPoolAnswersRepeatsWithoutTokenising(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, nil).ready()
		defer r.stop()
		first, err := r.read(time.Second, "one list of tools", "another text\nwith lines")
		require.NoError(t, err)
		r.model.reset()
		again, err := r.read(time.Second, "one list of tools", "another text\nwith lines")
		require.NoError(t, err)
		require.Zero(t, r.model.tokenised.Load())
		require.Zero(t, r.model.windows.Load())
		require.Equal(t, first.Score, again.Score)
		require.Equal(t, 3, again.Cached)
		require.True(t, again.Segments[1].Cached)
		require.Equal(t, first.Segments[1].Start, again.Segments[1].Start)

		// Another text with one known line computes only the new one.
		mixed, err := r.read(time.Second, "with lines\nnever seen before")
		require.NoError(t, err)
		require.Equal(t, 1, mixed.Cached)
		require.Equal(t, 1, mixed.Computed)
		r.rec.state(func() {
			require.Equal(t, [2]int{2, 3}, r.rec.cache["segment"])
			require.Equal(t, [2]int{1, 4}, r.rec.cache["window"])
		})
	})
}

func TestPoolWithoutCacheComputesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.Cache = -1 }).ready()
		defer r.stop()
		for range 3 {
			got, err := r.read(time.Second, "same text")
			require.NoError(t, err)
			require.Equal(t, 1, got.Computed)
		}
		require.EqualValues(t, 3, r.model.windows.Load())
	})
}

func TestPoolComputesIdenticalRequestsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(5*time.Millisecond, 0)}, func(c *ModelPoolConfig) { c.Workers = 4 }).ready()
		defer r.stop()
		var wg sync.WaitGroup
		results := make([]ModelResult, 100)
		for i := range results {
			wg.Go(func() {
				var err error
				results[i], err = r.read(time.Second, "the same list\nof tools for all")
				require.NoError(t, err)
			})
		}
		wg.Wait()
		require.EqualValues(t, 2, r.model.windows.Load())
		computed := 0
		for _, x := range results {
			require.Equal(t, results[0].Score, x.Score)
			computed += x.Computed
		}
		require.Equal(t, 2, computed)
	})
}

// The same, with real goroutines and no pause anywhere: a score that arrives
// between a caller's look-up and its turn is not computed again.
func TestPoolComputesIdenticalRequestsOnceAtFullSpeed(t *testing.T) {
	r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.Workers = 4 }).ready()
	defer r.stop()
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			<-start
			_, err := r.read(time.Minute, "the same list\nof tools for all")
			require.NoError(t, err)
		})
	}
	close(start)
	wg.Wait()
	require.EqualValues(t, 2, r.model.windows.Load())
}

// busy occupies the only worker for so long with a window of its own.
func (r *rig) busy(d time.Duration) (done chan error) {
	done = make(chan error, 1)
	go func() {
		_, err := r.read(d*2, "occupy")
		done <- err
	}()
	synctest.Wait()
	return done
}

// slowly makes "occupy" take so long and everything else a moment.
func slowly(d time.Duration) func(inference.RunControl, []inference.Window) error {
	return func(control inference.RunControl, batch []inference.Window) error {
		if batchHas(batch, "occupy") {
			return costs(d, 0)(control, batch)
		}
		return costs(time.Millisecond, 0)(control, batch)
	}
}

func TestPoolOneOfTwoWaitersCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)

		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error, 2)
		go func() { _, err := r.Classify(ctx, seg("shared window"), ModelLimits{}); errs <- err }()
		synctest.Wait()
		go func() { _, err := r.read(time.Second, "shared window"); errs <- err }()
		synctest.Wait()
		cancel()
		requireFault(t, <-errs, messages.ModelCancelled)
		require.NoError(t, <-errs)
		require.NoError(t, <-busy)
		require.EqualValues(t, 2, r.model.windows.Load())
	})
}

func TestPoolDropsWhatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error, 1)
		go func() { _, err := r.Classify(ctx, seg("unwanted one\nunwanted two"), ModelLimits{}); errs <- err }()
		synctest.Wait()
		r.rec.state(func() { require.Equal(t, 2, r.rec.queueWindows) })
		cancel()
		requireFault(t, <-errs, messages.ModelCancelled)
		synctest.Wait()
		r.rec.state(func() { require.Zero(t, r.rec.queueWindows) })
		require.NoError(t, <-busy)
		require.EqualValues(t, 1, r.model.windows.Load())
	})
}

func TestPoolEndsARunNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(time.Minute)}, func(c *ModelPoolConfig) { c.Hang = 2 * time.Minute }).ready()
		defer r.stop()
		ctx, cancel := context.WithCancel(context.Background())
		errs := make(chan error, 1)
		go func() { _, err := r.Classify(ctx, seg("occupy"), ModelLimits{}); errs <- err }()
		synctest.Wait()
		cancel()
		requireFault(t, <-errs, messages.ModelCancelled)
		start := time.Now()
		_, err := r.read(time.Second, "next")
		require.NoError(t, err)
		require.Less(t, time.Since(start), 100*time.Millisecond)
		require.Zero(t, r.Abandoned())
	})
}

func TestPoolExitsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(10*time.Millisecond, 0), perWindow: 100}, func(c *ModelPoolConfig) {
			c.Judge.Limits = batch.Limits{Windows: 2}
		}).ready()
		defer r.stop()
		var text strings.Builder
		text.WriteString("something evil first\n")
		for i := range 60 {
			fmt.Fprintf(&text, "line number %d\n", i)
		}
		start := time.Now()
		got, err := r.read(time.Minute, text.String())
		require.NoError(t, err)
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		require.True(t, got.Segments[0].Blocked)
		require.Equal(t, 60, got.Skipped, "the rest of its own batch is not waited for either")
		synctest.Wait()
		r.rec.state(func() { require.Zero(t, r.rec.queueWindows) })
		require.EqualValues(t, 2, r.model.windows.Load())

		// The block is remembered: nothing is computed to say it again.
		got, err = r.read(time.Minute, "harmless\n"+text.String())
		require.NoError(t, err)
		require.True(t, got.Segments[0].Blocked)
		require.Zero(t, got.Computed)
		require.EqualValues(t, 2, r.model.windows.Load())

		// Without a threshold everything is read.
		all, err := r.Classify(context.Background(), []ModelSegment{{Text: text.String()}}, ModelLimits{})
		require.NoError(t, err)
		require.Zero(t, all.Skipped)
		require.False(t, all.Segments[0].Blocked)
		require.Equal(t, 61, all.Segments[0].Windows)
	})
}

func TestPoolCountsWhatIsBeyondTheWindowLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.MaxWindows = 3 }).ready()
		defer r.stop()
		got, err := r.read(time.Second, "a\nb", "c\nd\ne")
		require.NoError(t, err)
		require.Equal(t, 2, got.Dropped)
		require.True(t, got.Segments[0].Complete())
		require.Equal(t, 2, got.Segments[1].Dropped)

		// An incomplete result is not kept as if it were the whole.
		got, err = r.Classify(context.Background(), seg("c\nd\ne"), ModelLimits{MaxWindows: 9})
		require.NoError(t, err)
		require.Equal(t, 3, got.Segments[0].Windows)
		require.Zero(t, got.Dropped)
	})
}

func TestPoolReadsFlaggedSpansInNarrowWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{perWindow: 2}, func(c *ModelPoolConfig) { c.Judge.Wide = true }).ready()
		defer r.stop()
		text := "a b c d e f g h\ni j k l\nm n o p q r s t"
		flagged := []inference.Span{{Start: 19, End: 20}, {Start: 17, End: 19}, {Start: 18, End: 19}}
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: text, Flagged: flagged}}, ModelLimits{})
		require.NoError(t, err)
		require.Equal(t, 5, got.Segments[0].Windows, "three wide ones, and the flagged line in two narrow ones")
		lengths := map[int]int{}
		for _, shape := range r.model.shapes() {
			for _, n := range shape {
				lengths[n]++
			}
		}
		require.Equal(t, map[int]int{8: 2, 4: 1, 2: 2}, lengths)

		// What was flagged decides what is read, so the segment is not known as a whole.
		got, err = r.Classify(context.Background(), []ModelSegment{{Text: text}}, ModelLimits{})
		require.NoError(t, err)
		require.False(t, got.Segments[0].Cached)
		require.Equal(t, 3, got.Segments[0].Windows)
		require.Zero(t, got.Computed)
	})
}

func TestPoolReadsOnWhereTheTokenizerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{max: 16}, nil).ready()
		defer r.stop()
		text := strings.Repeat("seven b\n", 10) + "evil 11"
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: text}}, ModelLimits{})
		require.NoError(t, err)
		require.Equal(t, 11, got.Segments[0].Windows)
		require.Equal(t, "evil 11", text[got.Segments[0].Start:got.Segments[0].End])
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

func TestPoolRefusesBeyondItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, func(c *ModelPoolConfig) { c.QueueTokens = 6 }).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)
		queued := make(chan error, 1)
		// More than the bound, but alone in the queue.
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); queued <- err }()
		synctest.Wait()
		start := time.Now()
		_, err := r.read(time.Second, "one more")
		requireFault(t, err, messages.ModelQueueFull)
		require.Zero(t, time.Since(start))
		// What is in flight already costs nothing.
		same := make(chan error, 1)
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); same <- err }()
		require.NoError(t, <-queued)
		require.NoError(t, <-same)
		require.NoError(t, <-busy)
		r.rec.state(func() { require.Equal(t, 1, r.rec.faults[messages.ModelQueueFull]) })
	})
}

func TestPoolRefusesADeadlineItCannotMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 10 ms a token, so the canaries have taught the rate.
		r := newRig(t, &fakeModel{run: costs(0, 10*time.Millisecond)}, nil).ready()
		defer r.stop()
		first := make(chan error, 1)
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); first <- err }()
		synctest.Wait()

		start := time.Now()
		_, err := r.read(100*time.Millisecond, "i j k l")
		requireFault(t, err, messages.ModelUnreachable)
		require.Zero(t, time.Since(start), "refused at once")
		_, err = r.read(200*time.Millisecond, "i j k l")
		require.NoError(t, err)
		require.NoError(t, <-first)

		// An idle pool tries, whatever it has learned.
		_, err = r.read(10*time.Millisecond, "q r s t u v w")
		requireFault(t, err, messages.ModelTimeout)
		_, err = r.Classify(context.Background(), seg("x"), ModelLimits{Deadline: time.Now().Add(-time.Second)})
		requireFault(t, err, messages.ModelUnreachable)
	})
}

func TestPoolDropsWhatExpiresInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)
		// Sent past the handle, so that nobody cancels it.
		m := &messages.Classify{Promise: guard.NewPromise[messages.Classification](), Deadline: time.Now().Add(50 * time.Millisecond),
			Windows: []inference.Window{{IDs: []int32{1}, Key: [16]byte{1}}}}
		r.send(m)
		_, err := m.Await(context.Background())
		requireFault(t, err, messages.ModelUnreachable)
		require.NoError(t, <-busy)
		require.EqualValues(t, 1, r.model.windows.Load())
	})
}

func TestPoolTellsATimeoutOfStartedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(400 * time.Millisecond)}, nil).ready()
		defer r.stop()
		_, err := r.read(100*time.Millisecond, "occupy")
		requireFault(t, err, messages.ModelTimeout)
	})
}

// Work that was too slow while the model gave others their scores is load, and no
// illness: a caller must not be able to switch readiness off with too much of it.
func TestPoolTellsLateFromIll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "occupy") {
				return computing(control, time.Hour)
			}
			return computing(control, 10*time.Millisecond)
		}}, func(c *ModelPoolConfig) { c.Workers = 2 }).ready()
		defer r.stop()
		late := make(chan error, 1)
		go func() { _, err := r.read(100*time.Millisecond, "occupy"); late <- err }()
		synctest.Wait()
		_, err := r.read(time.Second, "quick")
		require.NoError(t, err)
		requireFault(t, <-late, messages.ModelLate)

		_, err = r.read(100*time.Millisecond, "occupy again")
		requireFault(t, err, messages.ModelTimeout)
	})
	require.True(t, messages.ModelTimeout.Sample())
	require.False(t, messages.ModelLate.Sample())
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

// An answered request holds on to nothing: through the runs that it shared with others
// it would keep all that ever came.
func TestPoolForgetsWhatItAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "occupy") {
				return computing(control, time.Hour)
			}
			return nil
		}}, nil).ready()
		defer r.stop()
		for name, c := range map[string]struct {
			texts []string
			fails bool
		}{
			"one window":    {texts: []string{"a"}},
			"three windows": {texts: []string{"b", "c", "d"}},
			"out of time":   {texts: []string{"e", "occupy"}, fails: true},
		} {
			m := &submission{Classify: messages.Classify{Promise: guard.NewPromise[messages.Classification](), Deadline: time.Now().Add(time.Second)}}
			m.request.msg = &m.Classify
			for _, text := range c.texts {
				m.Windows = append(m.Windows, r.model.plan(text)...)
			}
			_, err := r.submit(t.Context(), m)
			require.Equal(t, c.fails, err != nil, name)
			require.Empty(t, m.request.flights, name)
			require.Nil(t, m.request.one.flights[0], name)
		}
	})
}
