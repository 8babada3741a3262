package actors

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

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

// A deadline that came without a reading of the steady clock gets one.
func TestDeadlinesKeepToTheSteadyClock(t *testing.T) {
	now := time.Now()
	for _, d := range []time.Duration{-time.Second, 0, time.Minute} {
		require.Equal(t, now.Add(d), steady(now.Add(d), now))
		require.Equal(t, now.Add(d), steady(now.Add(d).Round(0), now))
	}
}
