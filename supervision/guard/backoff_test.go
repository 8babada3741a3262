package guard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestBackoffSteps(t *testing.T) {
	b := guard.Backoff{Min: 100 * time.Millisecond, Max: 10 * time.Second}
	for attempt, want := range map[int][2]time.Duration{
		0:    {100 * time.Millisecond, 200 * time.Millisecond},
		1:    {200 * time.Millisecond, 400 * time.Millisecond},
		5:    {3200 * time.Millisecond, 6400 * time.Millisecond},
		6:    {5 * time.Second, 10 * time.Second},
		1000: {5 * time.Second, 10 * time.Second},
	} {
		require.Equal(t, want[0], b.Delay(attempt, 0), attempt)
		require.Equal(t, want[1], b.Delay(attempt, 1), attempt)
	}
	require.Equal(t, 100*time.Millisecond, guard.Backoff{}.Delay(0, 0), "defaults")
	require.Equal(t, 10*time.Second, guard.Backoff{}.Delay(99, 1), "defaults")
	require.Equal(t, time.Minute, guard.Backoff{Min: time.Minute, Max: time.Second}.Delay(3, 0.5))
}

func TestBackoffStaysInItsRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := guard.Backoff{
			Min: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "min")),
			Max: time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "max")),
		}
		d := b.Delay(rapid.IntRange(0, 200).Draw(t, "attempt"), rapid.Float64Range(0, 1).Draw(t, "rnd"))
		require.GreaterOrEqual(t, d, b.Min)
		require.LessOrEqual(t, d, max(b.Min, b.Max))
	})
}
