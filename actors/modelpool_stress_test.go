package actors

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// A minute of many callers, few distinct windows, and everything that can go
// wrong at once: panics in runs, runs that fail, windows that poison a batch, runs
// that end when told to and runs that do not, callers that leave, the pool's actor
// stopped and spawned anew. Every call ends by its deadline, and every score is the
// window's own.
func TestPoolUnderChaos(t *testing.T) {
	// Long runs, and runs so short that batches are sent ahead.
	for _, unit := range []time.Duration{time.Millisecond, 20 * time.Microsecond} {
		t.Run(unit.String(), func(t *testing.T) { chaos(t, unit) })
	}
}

func chaos(t *testing.T, unit time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		const (
			callers = 24
			words   = 40
			long    = time.Minute
		)
		end := time.Now().Add(long)
		var passes, panics, hangs atomic.Int64
		model := &fakeModel{perWindow: 3}
		model.run = func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "poison") {
				return errRuntime
			}
			n := passes.Add(1)
			if n < 100 || time.Now().After(end) { // loading, and the calm afterwards
				return nil
			}
			switch {
			case n%197 == 0:
				panics.Add(1)
				panic("bad tensor")
			case n%611 == 0:
				hangs.Add(1)
				time.Sleep(20 * time.Second) // whatever it is told
				return nil
			case n%151 == 0:
				return computing(control, time.Minute)
			case n%499 < 3:
				return errRuntime
			}
			return computing(control, time.Duration(1+n%20)*unit)
		}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.Workers, c.Cache, c.QueueTokens = 3, 16, 200
			c.Hang, c.TerminateGrace = 3*time.Second, 500*time.Millisecond
		}).ready()
		defer r.stop()

		var good, failed, spawned atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for time.Now().Before(end) {
				time.Sleep(7 * time.Second)
				r.halt()
				time.Sleep(100 * time.Millisecond)
				r.spawn()
				spawned.Add(1)
			}
		})
		for c := range callers {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(c)))
				for i := 0; time.Now().Before(end); i++ {
					texts := make([]string, 1+rnd.IntN(3))
					for k := range texts {
						texts[k] = fmt.Sprintf("word%d and word%d\nword%d", rnd.IntN(words), rnd.IntN(words), rnd.IntN(words))
					}
					if i%50 == 7 {
						texts[0] += "\npoison"
					}
					within := time.Duration(10+rnd.IntN(2000)) * time.Millisecond
					ctx, cancel := context.WithTimeout(context.Background(), within)
					if rnd.IntN(8) == 0 {
						time.AfterFunc(within/2, cancel)
					}
					start := time.Now()
					got, err := r.Classify(ctx, seg(texts...), ModelLimits{})
					cancel()
					if took := time.Since(start); took > within {
						t.Errorf("answered after %v, asked for within %v", took, within)
					}
					if err != nil {
						var own *messages.ModelError
						if !errors.As(err, &own) {
							t.Errorf("foreign error %v", err)
						}
						failed.Add(1)
						time.Sleep(time.Duration(rnd.IntN(100)) * time.Millisecond)
						continue
					}
					good.Add(1)
					time.Sleep(time.Duration(rnd.IntN(20)) * unit)
					for k, s := range got.Segments {
						if want := model.worst(texts[k]); float32(s.Score) != want {
							t.Errorf("segment scored %v, want %v", s.Score, want)
						}
					}
				}
			})
		}
		wg.Wait()
		t.Logf("%d scored, %d failed; %d passes, %d panics, %d stuck, %d respawns", good.Load(), failed.Load(),
			passes.Load(), panics.Load(), hangs.Load(), spawned.Load())
		require.Greater(t, good.Load(), int64(500))
		require.Positive(t, failed.Load())
		require.Positive(t, panics.Load())
		require.Positive(t, hangs.Load())
		require.Zero(t, r.panics.Load(), "no actor panics")

		// What is left of it works, and nothing is stuck.
		time.Sleep(2 * time.Minute)
		require.Zero(t, r.Abandoned())
		got, err := r.read(time.Second, "a last word\nevil")
		require.NoError(t, err)
		require.True(t, got.Segments[0].Blocked)
		synctest.Wait()
		r.rec.state(func() {
			require.Zero(t, r.rec.queueWindows)
			require.Equal(t, [4]int{3, 0, 0, 0}, r.rec.workers)
		})
	})
}

// Callers at full speed, with real parallelism: what is computed is what is
// distinct.
func TestPoolSharesUnderLoad(t *testing.T) {
	model := &fakeModel{perWindow: 2}
	r := newRig(t, model, func(c *ModelPoolConfig) { c.Workers = 3 }).ready()
	defer r.stop()
	var wg sync.WaitGroup
	for c := range 16 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(2, uint64(c)))
			for range 100 {
				text := fmt.Sprintf("word%d\nword%d", rnd.IntN(50), rnd.IntN(50))
				if _, err := r.read(time.Minute, text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 50, model.windows.Load())
}

// Faults at full speed, with real parallelism, for the race detector: panics and
// failures of passes, cancellations, and a pool that is stopped and spawned anew.
func TestPoolFaultsAtFullSpeed(t *testing.T) {
	var passes atomic.Int64
	model := &fakeModel{perWindow: 2}
	model.run = func(_ inference.RunControl, b []inference.Window) error {
		switch n := passes.Add(1); {
		case n > 100 && n%61 == 0:
			panic("bad tensor")
		case n > 100 && n%29 == 0, batchHas(b, "poison"):
			return errRuntime
		}
		return nil
	}
	r := newRig(t, model, func(c *ModelPoolConfig) {
		c.Workers, c.Cache = 3, 8
		c.Restart = guard.Backoff{Min: time.Millisecond, Max: time.Millisecond}
		c.Probe = guard.Backoff{Min: time.Millisecond, Max: time.Millisecond}
		c.RestartLimit = 1 << 20
	}).ready()
	defer r.stop()
	var wg sync.WaitGroup
	for c := range 16 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(3, uint64(c)))
			for i := range 150 {
				text := fmt.Sprintf("word%d\nword%d", rnd.IntN(50), rnd.IntN(50))
				if i%40 == 39 {
					text += "\npoison"
				}
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				if rnd.IntN(4) == 0 {
					go cancel()
				}
				got, err := r.Classify(ctx, seg(text), ModelLimits{})
				cancel()
				if err == nil && float32(got.Score) != model.worst(text) {
					t.Errorf("scored %v, want %v", got.Score, model.worst(text))
				}
				if c == 0 && i%50 == 49 {
					r.halt()
					r.spawn()
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, r.panics.Load())
}
