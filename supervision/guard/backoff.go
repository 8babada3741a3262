package guard

import "time"

// Backoff is the delay before a failed actor comes back: it doubles from Min to
// Max and is spread over the upper half of each step, so that actors which
// failed together do not come back together.
type Backoff struct {
	// Min is the shortest delay. Zero or less: 100 ms.
	Min time.Duration
	// Max is the longest delay. Less than Min: Min. Zero: 10 s.
	Max time.Duration
}

// Delay returns the delay before attempt number attempt (the first is 0), for a
// random number rnd in [0, 1). The result is between Min and Max.
func (b Backoff) Delay(attempt int, rnd float64) time.Duration {
	if b.Min <= 0 {
		b.Min = 100 * time.Millisecond
	}
	if b.Max == 0 {
		b.Max = 10 * time.Second
	}
	b.Max = max(b.Max, b.Min)
	upper := b.Min
	for i := 0; i <= attempt && upper < b.Max; i++ {
		upper *= 2
	}
	upper = min(upper, b.Max)
	lower := max(upper/2, b.Min)
	return lower + time.Duration(min(max(rnd, 0), 1)*float64(upper-lower))
}
