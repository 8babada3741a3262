package actors

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
)

// A load that does not end is told of once its time is over, at every attempt, of which
// none joins it in the call that hangs; what it brings after all is closed, and the
// attempt after that serves.
func TestALoadThatHangsIsGivenUp(t *testing.T) {
	hang := make(chan struct{})
	for name, c := range map[string]struct {
		load func() // in every Load
		run  func() // in every forward pass
	}{
		"while it is opened": {load: func() { <-hang }},
		"while it is proved": {run: func() { <-hang }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hang = make(chan struct{})
				model := &fakeModel{}
				if c.run != nil {
					model.run = func(inference.RunControl, []inference.Window) error { c.run(); return nil }
				}
				var loads, given atomic.Int64
				var other atomic.Pointer[error]
				r := newRig(t, model, func(cfg *ModelPoolConfig) {
					cfg.Judge.Load = func(context.Context) (Classifier, error) {
						loads.Add(1)
						if c.load != nil {
							c.load()
						}
						return model, nil
					}
					cfg.OnLoadFailed = func(err error) {
						if errors.Is(err, ErrModelHangs) {
							given.Add(1)
						} else {
							other.Store(&err)
						}
					}
				})
				defer r.stop()
				time.Sleep(loadTime - time.Second)
				require.Zero(t, given.Load())
				time.Sleep(2 * time.Second)
				require.EqualValues(t, 1, given.Load())
				_, ready, reason := r.Info()
				require.False(t, ready)
				require.Equal(t, "models cannot be loaded: not ended after 5m0s", reason)

				time.Sleep(time.Hour)
				require.Greater(t, given.Load(), int64(5), "it is tried again")
				r.halt()
				r.spawn()
				time.Sleep(time.Hour)
				require.EqualValues(t, 1, loads.Load(), "and nothing joins the call that hangs")

				close(hang)
				r.ready()
				require.EqualValues(t, 2, loads.Load())
				require.EqualValues(t, 1, model.closed.Load(), "what came too late is closed")
				require.Nil(t, other.Load())
			})
		})
	}
}

// A runtime that fails is loaded afresh; when that hangs, the models that were in force
// are probed all the same, and serve again once they can.
func TestAReloadThatHangsKeepsTheModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		var loads atomic.Int64
		hang := make(chan struct{})
		model := &fakeModel{run: func(inference.RunControl, []inference.Window) error {
			if broken.Load() {
				return errRuntime
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Judge.Load = func(context.Context) (Classifier, error) {
				if loads.Add(1) > 1 {
					<-hang
				}
				return model, nil
			}
		}).ready()
		broken.Store(true)
		for loads.Load() < 2 {
			_, _ = r.read(time.Second, "anything")
			time.Sleep(time.Second)
		}
		broken.Store(false)
		time.Sleep(loadTime - time.Minute)
		_, ready, _ := r.Info()
		require.False(t, ready)
		r.ready()
		_, err := r.read(time.Second, "harmless")
		require.NoError(t, err)
		require.EqualValues(t, 2, loads.Load())
		close(hang)
		synctest.Wait()
		require.EqualValues(t, 1, model.closed.Load(), "what came too late")
		r.stop()
	})
}

// Models that others have replaced are let go, whatever became of the time that their
// own attempt to load was given.
func TestReplacedModelsAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		var loads atomic.Int32
		var loaded [8]weak.Pointer[fakeModel]
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) {
			c.Judge.Load = func(context.Context) (Classifier, error) {
				broken.Store(false)
				model := &fakeModel{run: func(inference.RunControl, []inference.Window) error {
					if broken.Load() {
						return errRuntime
					}
					return nil
				}}
				loaded[loads.Load()] = weak.Make(model)
				loads.Add(1)
				return model, nil
			}
		}).ready()
		broken.Store(true)
		for loads.Load() < 2 {
			_, _ = r.read(time.Second, "anything")
			time.Sleep(time.Second)
		}
		r.ready()
		_, err := r.read(time.Second, "harmless")
		require.NoError(t, err)
		synctest.Wait()
		runtime.GC()
		require.Nil(t, loaded[0].Value())
		require.NotNil(t, loaded[1].Value())
		r.stop()
	})
}
