package actors

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

// cascadeRig is a pool whose gate finds everything suspicious that has a word of
// suspects, by their order, and whose judge decides.
func cascadeRig(t *testing.T, gate *fakeModel, suspects map[string]float32, change func(*ModelPoolConfig)) (*rig, *fakeModel) {
	t.Helper()
	gate.name = "gate"
	gate.score = func(w inference.Window) float32 {
		worst := (&fakeModel{}).want(w)
		for word, s := range suspects {
			if has(w, word) {
				worst = max(worst, s)
			}
		}
		return worst
	}
	judge := &fakeModel{name: "judge", perWindow: 4}
	r := newRig(t, judge, func(c *ModelPoolConfig) {
		c.Gate = &ModelStage{Load: gate.load}
		c.GateClear = 0.2
		if change != nil {
			change(c)
		}
	}).ready()
	gate.reset()
	return r, gate
}

func TestCascadeJudgesOnlyWhatTheGateDoesNotClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, gate := cascadeRig(t, &fakeModel{perWindow: 100}, map[string]float32{"instructions": 0.4}, nil)
		defer r.stop()
		text := "a harmless line\nread the instructions before use and after it\nanother one\nthese instructions are evil"
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: text}, {Text: "all quiet here"}}, ModelLimits{})
		require.NoError(t, err)
		require.EqualValues(t, 5, gate.windows.Load())
		// The first suspect is two windows of the judge, the second one.
		require.EqualValues(t, 3, r.model.windows.Load())
		require.Equal(t, 3, got.Judged)
		s := got.Segments[0]
		require.InDelta(t, 0.95, s.Score, 1e-6)
		require.Equal(t, "these instructions are evil", text[s.Start:s.End])
		require.Equal(t, 4, s.Windows)
		require.Equal(t, 3, s.Judged)
		require.Equal(t, SegmentResult{Gate: got.Segments[1].Gate, Windows: 1}, got.Segments[1])
		require.Positive(t, got.Segments[1].Gate)
		require.Equal(t, "judge-id", got.Model)
		info, ok := r.GateInfo()
		require.True(t, ok)
		require.Equal(t, "gate-id", info.ID)

		gate.reset()
		r.model.reset()
		again, err := r.Classify(context.Background(), []ModelSegment{{Text: "all quiet here", BlockAt: 0.9}}, ModelLimits{})
		require.NoError(t, err)
		require.True(t, again.Segments[0].Cached)
		require.Zero(t, gate.tokenised.Load()+r.model.tokenised.Load())
	})
}

func TestCascadeExitsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := cascadeRig(t, &fakeModel{perWindow: 100}, map[string]float32{"odd": 0.4}, func(c *ModelPoolConfig) {
			c.Judge.Limits.Windows = 1
		})
		defer r.stop()
		got, err := r.read(time.Second, "an odd one\nanother odd one\nan evil one")
		require.NoError(t, err)
		require.True(t, got.Segments[0].Blocked)
		require.EqualValues(t, 1, r.model.windows.Load(), "the most suspicious one was enough")
		require.Equal(t, 2, got.Skipped)
	})
}

// What the judge is asked to read takes long and must not hold up all else.
func TestCascadeLetsTheGateGoAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string // one worker: no two runs at once
		note := func(name string, d time.Duration) func(inference.RunControl, []inference.Window) error {
			return func(c inference.RunControl, _ []inference.Window) error {
				order = append(order, name)
				return computing(c, d)
			}
		}
		gate := &fakeModel{perWindow: 100}
		r, _ := cascadeRig(t, gate, map[string]float32{"odd": 0.4}, func(c *ModelPoolConfig) { c.Workers, c.Judge.Limits.Windows = 1, 1 })
		defer r.stop()
		gate.run, r.model.run = note("gate", time.Millisecond), note("judge", 100*time.Millisecond)
		var group sync.WaitGroup
		ask := func(text string) {
			group.Go(func() {
				_, err := r.read(10*time.Second, text)
				require.NoError(t, err)
			})
			synctest.Wait()
		}
		ask("odd one\nodd two\nodd three") // the gate has read them; the judge is at the first
		time.Sleep(10 * time.Millisecond)
		ask("a quiet line")
		group.Wait()
		require.Equal(t, []string{"gate", "judge", "gate", "judge", "judge"}, order)
	})
}

func TestCascadeJudgesTheMostSuspiciousFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := cascadeRig(t, &fakeModel{perWindow: 100}, map[string]float32{"low": 0.3, "middle": 0.5, "high": 0.7},
			func(c *ModelPoolConfig) { c.JudgeWindows = 2 })
		defer r.stop()
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: "x low\ny middle"}, {Text: "z high"}}, ModelLimits{})
		require.NoError(t, err)
		require.Equal(t, 2, got.Judged)
		require.Equal(t, 1, got.Dropped)
		require.Equal(t, 1, got.Segments[0].Dropped)
		require.Equal(t, 2, got.Segments[0].Windows)
		require.True(t, got.Segments[1].Complete())
		want := func(text string) float64 { return float64(r.model.want(r.model.plan(text)[0])) }
		require.InDelta(t, want("y middle"), got.Segments[0].Score, 1e-6)
		require.InDelta(t, want("z high"), got.Segments[1].Score, 1e-6)

		// With a larger allowance the rest is read, and nothing is read twice.
		got, err = r.Classify(context.Background(), []ModelSegment{{Text: "x low\ny middle"}}, ModelLimits{JudgeWindows: 9})
		require.NoError(t, err)
		require.Zero(t, got.Dropped)
		require.Equal(t, 1, got.Computed)
	})
}

func TestCascadeTakesTheGatesOwnThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{thresholds: map[string]inference.Thresholds{
			"default": {Review: 0.6}, "description": {Review: 0.3}}}
		r, _ := cascadeRig(t, gate, map[string]float32{"odd": 0.4}, func(c *ModelPoolConfig) { c.GateClear = 0 })
		defer r.stop()
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: "an odd text", Surface: "result"}}, ModelLimits{})
		require.NoError(t, err)
		require.Zero(t, got.Judged)
		got, err = r.Classify(context.Background(), []ModelSegment{{Text: "an odd text", Surface: "description"}}, ModelLimits{})
		require.NoError(t, err)
		require.False(t, got.Segments[0].Cached, "another surface is another question")
		require.Equal(t, 1, got.Judged)
	})
}

func TestCascadeFailsWithItsGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{run: failing("poison", errRuntime)}
		r, _ := cascadeRig(t, gate, nil, nil)
		defer r.stop()
		_, err := r.read(time.Second, "poison")
		requireFault(t, err, messages.ModelPoison)
		require.Zero(t, r.model.windows.Load())
	})
}

// What the gate does not clear and the judge did not read is never taken for harmless,
// whatever kept the judge from it.
func TestCascadeFailsWithItsJudge(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(inference.RunControl, []inference.Window) error
		want messages.ModelFault
	}{
		"poison":  {failing("odd", errRuntime), messages.ModelPoison},
		"late":    {costs(time.Hour, 0), messages.ModelTimeout},
		"panic":   {func(inference.RunControl, []inference.Window) error { panic("x") }, messages.ModelPanic},
		"runtime": {func(inference.RunControl, []inference.Window) error { return errRuntime }, messages.ModelRuntime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var on atomic.Bool
				r, _ := cascadeRig(t, &fakeModel{perWindow: 100}, map[string]float32{"odd": 0.4}, nil)
				defer r.stop()
				r.model.run = func(control inference.RunControl, b []inference.Window) error {
					if on.Load() {
						return c.run(control, b)
					}
					return nil
				}
				on.Store(true)
				got, err := r.read(time.Second, "a quiet line\nan odd one")
				requireFault(t, err, c.want)
				require.Zero(t, got)
				on.Store(false)
				time.Sleep(time.Minute)
				got, err = r.read(time.Second, "a quiet line\nan odd one")
				require.NoError(t, err)
				require.False(t, got.Segments[0].Cached, "half a result is not kept")
				require.Equal(t, 1, got.Judged)
			})
		})
	}
}

func TestCascadeProbesBothModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		gate := &fakeModel{run: stuck(free)}
		r, _ := cascadeRig(t, gate, nil, func(c *ModelPoolConfig) { c.Hang = time.Second })
		defer r.stop()
		for _, text := range []string{"stuck 1", "stuck 2"} {
			_, err := r.read(time.Minute, text)
			requireFault(t, err, messages.ModelHung)
		}
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model gate: 2 runs abandoned and still stuck", reason)
		gate.reset()
		r.model.reset()
		close(free)
		time.Sleep(time.Minute)
		_, ready, _ = r.Info()
		require.True(t, ready)
		require.EqualValues(t, 1, gate.runs.Load())
		require.EqualValues(t, 1, r.model.runs.Load())
	})
}

// The bound of the queue is meant in time: a gate's tokens weigh what they cost.
func TestQueueWeighsTheGatesTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{name: "gate", run: costs(0, 100*time.Microsecond), perWindow: 1000}
		judge := &fakeModel{name: "judge", run: costs(0, 10*time.Millisecond)}
		r := newRig(t, judge, func(c *ModelPoolConfig) {
			c.QueueTokens, c.GateClear = 20, 0.2
			c.Gate = &ModelStage{Load: gate.load}
		}).ready()
		defer r.stop()
		errs := make(chan error, 3)
		for _, word := range []string{"a ", "b ", "c "} {
			go func() {
				_, err := r.read(time.Minute, strings.Repeat(word, 500))
				errs <- err
			}()
			synctest.Wait()
		}
		for range 3 {
			require.NoError(t, <-errs)
		}
	})
}

func TestCascadeRefusesAGateThatProvesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{score: func(inference.Window) float32 { return 0 }}
		judge := &fakeModel{}
		r := newRig(t, judge, func(c *ModelPoolConfig) { c.Gate = &ModelStage{Load: gate.load} })
		defer r.stop()
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Contains(t, reason, "prove gate: canary")
		require.EqualValues(t, 1, gate.closed.Load())
		require.EqualValues(t, 1, judge.closed.Load())
	})
}

func TestCascadeWhoseGateBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{perWindow: 100, thresholds: map[string]inference.Thresholds{"default": {Review: 0.6, Block: 0.8}}}
		r, _ := cascadeRig(t, gate, map[string]float32{"odd": 0.4, "bad": 0.85}, func(c *ModelPoolConfig) { c.GateBlocks = true })
		defer r.stop()
		text := "a quiet line\na bad one\nan odd one"
		for range 2 {
			got, err := r.read(time.Second, text)
			require.NoError(t, err)
			s := got.Segments[0]
			require.True(t, s.Blocked)
			require.True(t, s.GateBlocked)
			require.Zero(t, s.Score)
			require.InDelta(t, 0.85, s.Gate, 1e-6)
		}
		require.Zero(t, r.model.windows.Load(), "the judge was not asked")

		// A segment that must not end the payload is read by the judge, too.
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: "another bad one"}, {Text: "an odd thing"}}, ModelLimits{})
		require.NoError(t, err)
		require.True(t, got.Segments[0].GateBlocked)
		require.False(t, got.Segments[0].Blocked)
		require.Equal(t, 1, got.Segments[0].Judged)
		require.False(t, got.Segments[1].GateBlocked)
		require.Equal(t, 1, got.Segments[1].Judged)
	})
}

// What a gate was calibrated with counts, unless the pool is told otherwise.
func TestCascadeTakesTheGatesClearingThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{clear: 0.5, thresholds: map[string]inference.Thresholds{"default": {Review: 0.1}}}
		r, _ := cascadeRig(t, gate, map[string]float32{"odd": 0.4}, func(c *ModelPoolConfig) { c.GateClear = 0 })
		defer r.stop()
		info, gated := r.GateInfo()
		require.True(t, gated)
		require.InDelta(t, 0.5, info.Clear, 0)
		got, err := r.read(time.Second, "an odd text")
		require.NoError(t, err)
		require.Zero(t, got.Judged)
	})
}

// A result that two models gave is no result of the same models that work together
// in another way.
func TestIdentityOfACascade(t *testing.T) {
	judge := &model{identity: "j", info: inference.Info{ID: "j"}}
	gate := &model{identity: "g", info: inference.Info{ID: "g", Clear: 0.2}}
	seen := map[string]bool{}
	for _, c := range []struct {
		cfg    ModelPoolConfig
		models []*model
	}{
		{ModelPoolConfig{}, []*model{judge}},
		{ModelPoolConfig{}, []*model{judge, gate}},
		{ModelPoolConfig{GateClear: 0.3}, []*model{judge, gate}},
		{ModelPoolConfig{GateBlocks: true}, []*model{judge, gate}},
		{ModelPoolConfig{}, []*model{judge, {identity: "g", info: inference.Info{ID: "g", Clear: 0.4}}}},
		{ModelPoolConfig{}, []*model{{identity: "k"}, gate}},
	} {
		id := NewModelPool(c.cfg).identity(c.models)
		require.False(t, seen[id], "%q", id)
		seen[id] = true
	}
}

// MaxWindows is a bound of work: a gate with narrow windows reads as much text in more
// of them.
func TestGateReadsAsMuchTextInNarrowerWindows(t *testing.T) {
	for _, c := range []struct{ most, tokens, want int }{
		{256, 256, 256}, {256, 512, 256}, {256, 96, 683}, {2, 96, 6}, {1, 255, 2}, {7, 0, 7}, {math.MaxInt, 96, math.MaxInt},
	} {
		require.Equal(t, c.want, gateWindows(c.most, c.tokens), "%+v", c)
	}
	synctest.Test(t, func(t *testing.T) {
		r, gate := cascadeRig(t, &fakeModel{perWindow: 9, tokens: 64}, nil, func(c *ModelPoolConfig) { c.MaxWindows = 1 })
		defer r.stop()
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: "one\ntwo\nthree\nfour\nfive\nsix"}}, ModelLimits{})
		require.NoError(t, err)
		require.EqualValues(t, 4, gate.windows.Load(), "four windows of 64 ids for one of 256")
		require.Equal(t, 2, got.Dropped)
	})
}

// The gate clears with the threshold of the segment's surface, where it has one.
func TestGateClearsEachSurfaceByItsOwnThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &fakeModel{perWindow: 100, clear: 0.2, thresholds: map[string]inference.Thresholds{
			"default": {Block: 0.9, Review: 0.5}, "description": {Block: 0.9, Review: 0.5, Clear: 0.6},
		}}
		r, _ := cascadeRig(t, gate, map[string]float32{"odd": 0.4}, func(c *ModelPoolConfig) { c.GateClear = 0 })
		defer r.stop()
		for surface, judged := range map[string]int{"result": 1, "description": 0} {
			got, err := r.Classify(context.Background(), []ModelSegment{{Text: "an odd text", Surface: surface}}, ModelLimits{})
			require.NoError(t, err)
			require.Equal(t, judged, got.Judged, surface)
		}
	})
}
