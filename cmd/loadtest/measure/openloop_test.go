package measure

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOpenLoopDoesNotWaitForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		schedule := []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}
		starts := make([]time.Duration, len(schedule))
		n := OpenLoop(t.Context(), schedule, 10, func(i int, scheduled time.Time) {
			starts[i] = time.Since(begin)
			require.Equal(t, begin.Add(schedule[i]), scheduled)
			time.Sleep(10 * time.Second)
		}, func(int) { t.Error("nothing is lost") })
		require.Equal(t, 4, n)
		require.Equal(t, schedule, starts)
		require.Equal(t, 13*time.Second, time.Since(begin), "it waits for the last")
	})
}

func TestOpenLoopIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done, lost atomic.Int64
		OpenLoop(t.Context(), make([]time.Duration, 50), 20,
			func(int, time.Time) { time.Sleep(time.Second); done.Add(1) },
			func(int) { lost.Add(1) })
		require.EqualValues(t, 20, done.Load())
		require.EqualValues(t, 30, lost.Load())
	})
}

func TestOpenLoopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		n := OpenLoop(ctx, []time.Duration{0, time.Minute, 2 * time.Minute}, 5, func(int, time.Time) {}, func(int) {})
		require.Equal(t, 2, n)
	})
}

// A caller whose call has ended makes the next one.
func TestOpenLoopKeepsItsCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		c := callers{most: 10, do: func(int, time.Time) { time.Sleep(time.Millisecond) }}
		for i := range n {
			require.True(t, c.start(call{i: i}))
			if i%2 == 1 {
				time.Sleep(time.Second)
			}
		}
		c.leave()
		require.Equal(t, 2, c.count)
		require.Len(t, c.idle, 2)
	})
}
