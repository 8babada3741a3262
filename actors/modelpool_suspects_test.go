package actors

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
)

// A window that made a batch fail is not put beside others again.
func TestAPoisonousWindowRunsAloneTheNextTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.Cache = -1 }).ready()
		defer r.stop()
		together := func(round int) (passes int) {
			r.model.run = slowly(100 * time.Millisecond)
			busy := r.busy(100 * time.Millisecond)
			r.model.reset()
			r.model.run = failing("poison", errRuntime)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					if i == 3 {
						_, err := r.read(time.Minute, "window of poison")
						requireFault(t, err, messages.ModelPoison)
						return
					}
					_, err := r.read(time.Minute, fmt.Sprintf("window %d %d", round, i))
					require.NoError(t, err)
				})
			}
			wg.Wait()
			require.NoError(t, <-busy)
			return len(r.model.shapes())
		}
		// The whole batch, the canary, and two halves on each of three levels.
		require.Equal(t, 1+1+6, together(1))
		// Seven together; the eighth alone, and the canary that tells it from the runtime.
		require.Equal(t, 1+2, together(2))
		time.Sleep(suspectFor)
		require.Equal(t, 1+1+6, together(3), "forgotten")
	})
}

func TestSuspectsAreBoundedAndCleared(t *testing.T) {
	var s suspects
	now := time.Now()
	key := func(i int) (k flightKey) {
		k.key[0], k.key[1] = byte(i), byte(i>>8)
		return k
	}
	require.False(t, s.has(key(0), now))
	for i := range mostSuspects + 10 {
		s.add(key(i), now)
	}
	require.Len(t, s.until, mostSuspects)
	require.Len(t, s.order, mostSuspects)
	require.False(t, s.has(key(9), now), "the oldest are forgotten")
	require.True(t, s.has(key(10), now))
	require.False(t, s.has(key(10), now.Add(suspectFor)))
	s.clear(key(10))
	require.False(t, s.has(key(10), now))
	s.add(key(10), now)
	require.True(t, s.has(key(10), now))
	require.Len(t, s.order, mostSuspects)
}
