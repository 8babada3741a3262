package actors

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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
		model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if batchHas(b, "bomb") {
				panic("x")
			}
			return nil
		}}
		r := newRig(t, model, nil).ready()
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
		model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if batchHas(b, "bomb") {
				panic("x")
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Restart = guard.Backoff{Min: time.Second, Max: time.Second} }).ready()
		defer r.stop()
		_, err := r.read(time.Minute, "bomb")
		requireFault(t, err, messages.ModelPanic)
		_, err = r.read(100*time.Millisecond, "fine")
		requireFault(t, err, messages.ModelLost)
		_, err = r.read(time.Minute, "fine")
		require.NoError(t, err)
	})
}

// down reports whether no worker takes jobs, once everything has settled.
func (r *rig) down() bool {
	synctest.Wait()
	var w [4]int
	r.rec.state(func() { w = r.rec.workers })
	return w[0]+w[1] == 0
}

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
				var e *messages.ModelError
				require.ErrorAs(t, out.errs[i], &e)
				require.Equal(t, messages.ModelPoison, e.Fault)
				continue
			}
			require.InDelta(t, f.want(j.windows[i]), out.scores[i], 0)
			if any {
				require.NoError(t, out.errs[i])
			}
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
			return nil
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

func TestTheRestartLimitFailsThePoolUntilItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if batchHas(b, "bomb") {
				panic("x")
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Restart = guard.Backoff{Min: time.Millisecond, Max: time.Millisecond} }).ready()
		defer r.stop()
		for i := range 10 {
			_, err := r.read(time.Minute, fmt.Sprintf("bomb %d", i))
			requireFault(t, err, messages.ModelPanic)
		}
		_, ready, _ := r.Info()
		require.True(t, ready, "ten are tolerated")
		_, err := r.read(time.Minute, "bomb 11")
		requireFault(t, err, messages.ModelPanic)
		failed := time.Now()
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model workers: more than 10 restarts in 1m0s", reason)
		<-r.changed
		r.ready()
		require.InDelta(t, 61, time.Since(failed).Seconds(), 1)
		_, err = r.read(time.Minute, "fine")
		require.NoError(t, err)
	})
}

func TestSlowPanicsStayBelowTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if batchHas(b, "bomb") {
				panic("x")
			}
			return nil
		}}
		r := newRig(t, model, nil).ready()
		defer r.stop()
		for i := range 40 {
			_, err := r.read(time.Minute, fmt.Sprintf("bomb %d", i))
			requireFault(t, err, messages.ModelPanic)
			time.Sleep(7 * time.Second)
			_, err = r.read(time.Minute, fmt.Sprintf("fine %d", i))
			require.NoError(t, err)
		}
	})
}

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
	require.False(t, m.sane(&outcome{scores: []float32{0.1, 0.9}, errs: make([]error, 2)}))
	require.False(t, m.sane(&outcome{fault: &messages.ModelError{}}))
}

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
