package traffic

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPoissonArrivals(t *testing.T) {
	const rate, d = 1000.0, 30 * time.Second
	at := Poisson(rate, d, 5)
	require.True(t, slices.IsSorted(at))
	require.InEpsilon(t, rate*d.Seconds(), len(at), 0.03)
	require.Less(t, at[len(at)-1], d)
	// The gaps of a Poisson process have a spread equal to their mean.
	mean, square := 0.0, 0.0
	for i := 1; i < len(at); i++ {
		gap := (at[i] - at[i-1]).Seconds()
		mean, square = mean+gap, square+gap*gap
	}
	n := float64(len(at) - 1)
	mean, square = mean/n, square/n
	require.InEpsilon(t, mean, math.Sqrt(square-mean*mean), 0.05)
	require.Equal(t, at, Poisson(rate, d, 5))
	require.NotEqual(t, at, Poisson(rate, d, 6))
	require.Empty(t, Poisson(0, d, 1))
}

func TestEvenArrivals(t *testing.T) {
	require.Equal(t, []time.Duration{0, 20 * time.Millisecond, 40 * time.Millisecond}, Even(20*time.Millisecond, 60*time.Millisecond))
	require.Empty(t, Even(0, time.Second))
}
