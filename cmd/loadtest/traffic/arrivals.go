package traffic

import (
	"math/rand/v2"
	"time"
)

// Poisson returns the moments, from zero on, at which independent callers arrive
// at a mean rate per second until d is over: the gaps are exponential. What comes
// back is a schedule that no slow answer can delay.
func Poisson(rate float64, d time.Duration, seed uint64) []time.Duration {
	if rate <= 0 || d <= 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0xa111)) //nolint:gosec // load must be repeatable, not unpredictable
	var out []time.Duration
	for at := 0.0; ; {
		at += r.ExpFloat64() / rate
		if at >= d.Seconds() {
			return out
		}
		out = append(out, time.Duration(at*float64(time.Second)))
	}
}

// Even returns the moments of a metronome: every gap, until d is over.
func Even(gap, d time.Duration) []time.Duration {
	var out []time.Duration
	for at := time.Duration(0); gap > 0 && at < d; at += gap {
		out = append(out, at)
	}
	return out
}
