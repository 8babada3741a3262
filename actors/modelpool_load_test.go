package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// sequence loads one model after the other and stays with the last.
func sequence(count *atomic.Int64, models ...*fakeModel) LoadModel {
	return func(context.Context) (Classifier, error) {
		n := int(count.Add(1))
		return models[min(n, len(models))-1], nil
	}
}

func TestPoolIsNotReadyUntilTheModelIsProved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := make(chan struct{})
		model := &fakeModel{}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Judge.Load = func(context.Context) (Classifier, error) { <-wait; return model, nil }
		})
		defer r.stop()
		synctest.Wait()
		info, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model loading", reason)
		require.Equal(t, inference.Info{}, info)
		require.Zero(t, r.BatchCost())
		_, err := r.read(time.Second, "too early")
		requireFault(t, err, messages.ModelNotReady)
		close(wait)
		r.ready()
		info, _, _ = r.Info()
		require.Equal(t, "fake", info.Name)
	})
}

func TestPoolLearnsTheCostOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(10*time.Millisecond, time.Millisecond)}, nil).ready()
		defer r.stop()
		require.InDelta(t, 266, r.BatchCost().Milliseconds(), 10)
	})
}

func TestPoolSaysWhyItDoesNotLoadAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{}
		n := 0
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Judge.Load = func(context.Context) (Classifier, error) {
				n++
				switch n {
				case 1:
					return nil, errors.New(`model.onnx: no such file`)
				case 2:
					panic("corrupt")
				}
				return model, nil
			}
		}).ready()
		defer r.stop()
		require.Equal(t, []string{"model loading", "load judge: model.onnx: no such file", "load model: panic", "ready"}, r.history())
	})
}

func TestPoolRefusesAModelThatProvesNothing(t *testing.T) {
	cases := []struct {
		name  string
		model *fakeModel
		want  string
	}{
		{"swapped labels", &fakeModel{score: func(w inference.Window) float32 { return 1 - (&fakeModel{}).want(w) }}, "canary: attacks score -"},
		{"random head", &fakeModel{score: func(inference.Window) float32 { return 0.5 }}, "canary: attacks score 0.00 above benign texts, want at least 0.30"},
		{"not a number", &fakeModel{score: func(inference.Window) float32 { return notANumber }}, "canary: not a probability"},
		{"failing runtime", &fakeModel{run: failing("Ignore", errRuntime)}, "canary: runtime error 7"},
		{"fails on a full batch", &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if len(b) > 1 {
				return errRuntime
			}
			return nil
		}}, "warm-up: runtime error 7"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, c.model, nil)
				defer r.stop()
				synctest.Wait()
				_, ready, reason := r.Info()
				require.False(t, ready)
				require.Contains(t, reason, "prove judge: "+c.want)
				_, err := r.read(time.Second, "x")
				requireFault(t, err, messages.ModelNotReady)
				require.EqualValues(t, 1, c.model.closed.Load(), "what does not serve is closed")
			})
		})
	}
}

func TestPoolAcceptsAnUnprovedModelForMeasurements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{score: func(inference.Window) float32 { return 0.5 }}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Unproved = true }).ready()
		defer r.stop()
		got, err := r.read(time.Second, "x")
		require.NoError(t, err)
		require.InDelta(t, 0.5, got.Score, 0)
	})
}

func TestStopWhileLoadingClosesWhatArrivesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{}
		wait := make(chan struct{})
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Judge.Load = func(context.Context) (Classifier, error) { <-wait; return model, nil }
		})
		synctest.Wait()
		r.stop()
		close(wait)
		synctest.Wait()
		require.EqualValues(t, 1, model.closed.Load())
	})
}

func TestStopAnswersEveryone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(time.Hour)}, func(c *ModelPoolConfig) { c.Hang = 2 * time.Hour }).ready()
		errs := make(chan error, 5)
		for i := range 5 {
			go func() {
				_, err := r.read(time.Minute, fmt.Sprintf("occupy %d", i))
				errs <- err
			}()
		}
		synctest.Wait()
		start := time.Now()
		r.halt()
		for range 5 {
			requireFault(t, <-errs, messages.ModelLost)
		}
		require.Zero(t, time.Since(start))
		_, err := r.read(time.Minute, "after")
		requireFault(t, err, messages.ModelLost)
		r.Close()
		r.model.active.Wait()
		require.EqualValues(t, 1, r.model.closed.Load())
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model closed", reason)
		synctest.Wait()
		require.Zero(t, r.Abandoned())
	})
}

func TestARespawnedPoolKeepsItsModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int64
		model := &fakeModel{}
		r := newRig(t, model, func(c *ModelPoolConfig) { c.Judge.Load = sequence(&loads, model) }).ready()
		defer r.stop()
		r.halt()
		_, ready, _ := r.Info()
		require.False(t, ready)
		_, err := r.read(time.Second, "nobody there")
		requireFault(t, err, messages.ModelLost)
		r.spawn()
		r.ready()
		_, err = r.read(time.Second, "somebody there")
		require.NoError(t, err)
		require.EqualValues(t, 1, loads.Load())
	})
}

// A panic in the pool's own turn: everyone who waits is answered, and the next
// incarnation serves with the same models.
func TestPoolCrashAnswersEveryoneAndKeepsTheModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(100 * time.Millisecond)}, nil).ready()
		defer r.stop()
		r.rec.state(func() {
			r.rec.onBatch = func() {
				r.rec.state(func() { r.rec.onBatch = nil })
				panic("a bug")
			}
		})
		errs := make(chan error, 3)
		for _, text := range []string{"occupy", "queued one", "queued two"} {
			go func() { _, err := r.read(time.Minute, text); errs <- err }()
			synctest.Wait()
		}
		start := time.Now()
		lost := 0
		for range 3 {
			if err := <-errs; err != nil {
				requireFault(t, err, messages.ModelLost)
				lost++
			}
		}
		require.Equal(t, 2, lost, "the first had its answer before the crash")
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		require.EqualValues(t, 1, r.panics.Load())
		r.ready()
		_, err := r.read(time.Second, "afterwards")
		require.NoError(t, err)
	})
}

// A worker actor that crashes outside of any run is stopped and comes back.
func TestWorkerActorCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
			if batchHas(b, "bomb") {
				panic("x")
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Random = func() float64 {
				if calls.Add(1) == 1 {
					panic("a bug in the worker's turn")
				}
				return 0
			}
		}).ready()
		defer r.stop()
		start := time.Now()
		_, err := r.read(time.Minute, "bomb")
		requireFault(t, err, messages.ModelPanic)
		require.Zero(t, time.Since(start))
		_, err = r.read(time.Minute, "fine")
		require.NoError(t, err)
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		require.EqualValues(t, 1, r.panics.Load())
	})
}

func TestClassifyErrorsOfTheMailbox(t *testing.T) {
	h := NewModelPool(ModelPoolConfig{})
	for err, want := range map[error]messages.ModelFault{
		guard.ErrFull: messages.ModelQueueFull, guard.ErrPanic: messages.ModelPanic,
		guard.ErrStopped: messages.ModelNotReady, guard.ErrDown: messages.ModelNotReady,
	} {
		got, ok := h.mailboxFault(fmt.Errorf("send: %w", err))
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	_, ok := h.mailboxFault(context.Canceled)
	require.False(t, ok)
}
