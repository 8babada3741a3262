package guard_test

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestWarmRunsEverythingAndLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := guard.NewWarm(3)
		before := runtime.NumGoroutine()
		var wg sync.WaitGroup
		gate := make(chan struct{})
		for range 50 {
			wg.Add(1)
			w.Schedule(func() { <-gate; wg.Done() })
		}
		close(gate)
		wg.Wait()
		synctest.Wait()
		require.LessOrEqual(t, runtime.NumGoroutine(), before+3, "only the idle ones stay")
		w.Close()
		w.Close()
		synctest.Wait()
		wg.Add(1)
		w.Schedule(wg.Done)
		wg.Wait() // still works after Close, and leaves nothing behind
	})
}

func TestWarmUnderGuardedActors(t *testing.T) {
	w := guard.NewWarm(4)
	defer w.Close()
	s := newSystem(t)
	pid := s.Root.Spawn(props(echo, guard.Options{Dispatcher: w}))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				v, err := send(s, pid, i).Await(t.Context())
				if err != nil || v != i {
					t.Errorf("asked %d, answered %d, %v", i, v, err)
				}
			}
		})
	}
	wg.Wait()
	stopAndWait(t, s, pid)
}
