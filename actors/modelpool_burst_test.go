package actors

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What is in the mailbox when a worker is free runs together; and a mailbox that is
// never empty holds nothing up.
func TestABurstIsDealtOutTogether(t *testing.T) {
	for _, c := range []struct{ burst, first int }{{12, 12}, {3 * mostDue, 16}} {
		t.Run(fmt.Sprint(c.burst), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &fakeModel{run: costs(20*time.Millisecond, 0)}, nil).ready()
				defer r.stop()
				turn, held := make(chan struct{}), sync.Once{}
				r.rec.state(func() { r.rec.onBatch = func() { held.Do(func() { <-turn }) } })
				var callers sync.WaitGroup
				call := func(text string) {
					callers.Go(func() {
						if _, err := r.read(time.Minute, text); err != nil {
							t.Error(err)
						}
					})
				}
				call("the first")
				synctest.Wait()
				time.Sleep(25 * time.Millisecond) // its run is over, and the pool's turn holds
				for i := range c.burst {
					call(fmt.Sprint("word ", i))
				}
				synctest.Wait()
				close(turn)
				callers.Wait()
				require.Len(t, r.model.shapes()[1], c.first)
			})
		})
	}
}

// Callers that are ready when the first of them wakes the pool run with it, though a
// worker is free: on a busy processor each would run alone otherwise, one after the
// other.
func TestCallersThatAreReadyRunTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := newRig(t, &fakeModel{run: costs(time.Millisecond, 0)}, nil).ready()
	defer r.stop()
	// The scheduler now and then takes the pool's turn out of order: not every time.
	largest := 0
	for try := 0; try < 20 && largest < 2; try++ {
		before := len(r.model.shapes())
		var callers sync.WaitGroup
		for i := range 12 {
			callers.Go(func() {
				if _, err := r.read(time.Minute, fmt.Sprint("word ", try, " ", i)); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		largest = len(r.model.shapes()[before])
	}
	require.Greater(t, largest, 1)
}
