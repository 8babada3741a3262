package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLatencyQuantiles(t *testing.T) {
	l := NewLatency()
	require.Zero(t, l.At(0.99))
	for i := 1; i <= 1000; i++ {
		l.Record(time.Duration(i) * time.Millisecond)
	}
	require.EqualValues(t, 1000, l.Count())
	for p, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.9: 900 * time.Millisecond, 0.99: 990 * time.Millisecond, 1: time.Second} {
		require.InEpsilon(t, float64(want), float64(l.At(p)), 0.002)
	}
	l.Record(-time.Second)
	l.Record(time.Hour)
	require.InEpsilon(t, float64(10*time.Minute), float64(l.Max()), 0.002, "an hour counts at the end of the range")
}
