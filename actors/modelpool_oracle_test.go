package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// A cascade of which both models panic, fail, get stuck and run late, with callers
// that leave. No answer is silent about what the gate did not clear: the judge read
// it, or the answer says that it did not. And when the last caller has left, the pool
// is as empty as it was before the first one came.
func TestCascadeUnderChaosHidesNothing(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { cascadeChaos(t, seed) })
		})
	}
}

func cascadeChaos(t *testing.T, seed uint64) {
	const callers, rounds, words = 24, 100, 30
	var passes atomic.Int64
	var calm atomic.Bool
	breaking := func(unit time.Duration) func(inference.RunControl, []inference.Window) error {
		return func(control inference.RunControl, b []inference.Window) error {
			if calm.Load() {
				return nil
			}
			switch n := passes.Add(1); {
			case batchHas(b, "poison"), n%173 == 0:
				return errRuntime
			case n%97 == 0:
				panic("bad tensor")
			case n%211 == 0:
				time.Sleep(3 * time.Second) // whatever it is told
				return nil
			case n%89 == 0:
				return computing(control, time.Minute)
			default:
				return computing(control, time.Duration(1+n%9)*unit)
			}
		}
	}
	calm.Store(true)
	suspects := map[string]float32{}
	for i := range words / 3 {
		suspects[fmt.Sprintf("word%d", i)] = 0.3 + float32(i)/50
	}
	r, gate := cascadeRig(t, &fakeModel{perWindow: 3, run: breaking(30 * time.Microsecond)}, suspects, func(c *ModelPoolConfig) {
		c.Workers, c.Cache, c.QueueTokens, c.JudgeWindows = 3, 16, 400, 3
		c.Hang, c.TerminateGrace = time.Second, 200*time.Millisecond
		c.RestartLimit = 1 << 20
	})
	r.model.run = breaking(300 * time.Microsecond)
	// The same pool again, with the actor in the test's hands.
	r.halt()
	var inside *poolActor
	o := guard.Options{OnPanic: func(string, any, []byte) { r.panics.Add(1) }}
	pid, err := r.sys.Root.SpawnNamed(r.props(func() actor.Actor {
		inside = &poolActor{h: r.ModelPool, options: o}
		return inside
	}, o), "modelpool")
	require.NoError(t, err)
	r.pid = pid
	defer r.stop()
	r.ready()
	calm.Store(false)

	var judged, partial, failed atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(seed, uint64(c)))
			for i := range rounds {
				segments := make([]ModelSegment, 1+rnd.IntN(3))
				for k := range segments {
					lines := make([]string, 1+rnd.IntN(4))
					for l := range lines {
						lines[l] = fmt.Sprintf("word%d word%d", rnd.IntN(words), rnd.IntN(words))
					}
					segments[k] = ModelSegment{Text: strings.Join(lines, "\n"), BlockAt: []float64{0, 0.9}[rnd.IntN(2)]}
				}
				if i%20 == 7 {
					segments[0].Text += "\nword1 evil"
				}
				if i%20 == 13 {
					segments[0].Text += "\nword2 poison"
				}
				within := time.Duration(5+rnd.IntN(1500)) * time.Millisecond
				ctx, cancel := context.WithTimeout(context.Background(), within)
				if rnd.IntN(6) == 0 {
					time.AfterFunc(within/3, cancel)
				}
				got, err := r.Classify(ctx, segments, ModelLimits{})
				cancel()
				time.Sleep(time.Duration(rnd.IntN(3000)) * time.Microsecond)
				if err != nil {
					failed.Add(1)
					continue
				}
				judged.Add(int64(got.Judged))
				if got.Dropped > 0 {
					partial.Add(1)
				}
				hides(t, gate, r.model, segments, got)
			}
		})
	}
	wg.Wait()
	require.Positive(t, judged.Load())
	require.Positive(t, partial.Load())
	require.Positive(t, failed.Load())

	calm.Store(true)
	time.Sleep(time.Minute)
	synctest.Wait()
	require.Zero(t, r.panics.Load(), "no actor panics")
	require.Zero(t, r.Abandoned())
	require.Empty(t, inside.open)
	require.Zero(t, inside.flights.n)
	require.Zero(t, inside.queue.Len())
	require.Zero(t, inside.queue.Tokens())
	require.Len(t, inside.idle, len(inside.slots))
	for _, s := range inside.slots {
		require.Nil(t, s.job)
		require.Nil(t, s.next)
		require.Empty(t, s.runner.jobs)
	}
	require.LessOrEqual(t, len(inside.suspects.order), mostSuspects)
	require.Len(t, inside.suspects.until, len(inside.suspects.order))
	require.Zero(t, r.pressure.wait.Load())
	require.Zero(t, r.pressure.queued.Load())
	require.Empty(t, r.reading.by)
	got, err := r.read(time.Second, "word1 evil")
	require.NoError(t, err)
	require.True(t, got.Segments[0].Blocked)
}

// hides reports what an answer is silent about.
func hides(t *testing.T, gate, judge *fakeModel, segments []ModelSegment, got ModelResult) {
	blocked := false
	for _, s := range got.Segments {
		blocked = blocked || s.Blocked
	}
	for k, s := range got.Segments {
		want := float32(0)
		for _, w := range gate.plan(segments[k].Text) {
			if gate.want(w) < 0.2 {
				continue
			}
			for _, j := range judge.plan(segments[k].Text[w.Start:w.End]) {
				want = max(want, judge.want(j))
			}
		}
		switch {
		case s.Complete():
			if float32(s.Score) != want {
				t.Errorf("complete, and scored %v, want %v", s.Score, want)
			}
		case float32(s.Score) > want:
			t.Errorf("scored %v, at most %v", s.Score, want)
		case s.Skipped > 0 && !blocked:
			t.Error("skipped, and nothing blocks")
		}
	}
}
