package batch

import "time"

// memory is the weight that an observation keeps with each later one: the last
// twenty runs decide, which follows a change of load within a second or two.
const memory = 0.95

// Cost learns what running a batch takes on one worker: a fixed part and a part
// per padded token, by least squares with exponentially fading weights, and how
// many tokens, padding apart, a second of work brings. The zero value knows
// nothing.
type Cost struct {
	n, x, xx, y, xy float64
	tokens          float64
}

// Observe adds one finished run of so many tokens, and so many with padding. Runs
// without tokens or without a duration say nothing and are ignored.
func (c *Cost) Observe(tokens, padded int, took time.Duration) {
	if tokens <= 0 || padded <= 0 || took <= 0 {
		return
	}
	c.tokens = c.tokens*memory + float64(tokens)
	t, s := float64(padded), took.Seconds()
	c.n = c.n*memory + 1
	c.x = c.x*memory + t
	c.xx = c.xx*memory + t*t
	c.y = c.y*memory + s
	c.xy = c.xy*memory + t*s
}

// Rate is the measured speed of one worker in tokens per second, padding not
// counted, 0 when unknown.
func (c *Cost) Rate() float64 {
	if c.y == 0 {
		return 0
	}
	return c.tokens / c.y
}

// Run estimates one run of so many padded tokens, 0 when unknown. Until runs of
// different lengths were seen the estimate is proportional.
func (c *Cost) Run(padded int) time.Duration {
	if c.n == 0 {
		return 0
	}
	base, slope := 0.0, c.y/c.x
	// The spread of lengths relative to their mean; with hardly any, the slope is
	// noise.
	if d := c.n*c.xx - c.x*c.x; d > 1e-3*c.x*c.x {
		b := (c.n*c.xy - c.x*c.y) / d
		a := (c.y - b*c.x) / c.n
		// Neither part can be negative; where the fit says so the proportional
		// estimate is the better one.
		if a >= 0 && b >= 0 {
			base, slope = a, b
		}
	}
	return seconds(base + slope*float64(padded))
}

// Drain estimates how long so many workers need for so many queued tokens at the
// measured rate, 0 when unknown.
func (c *Cost) Drain(tokens, workers int) time.Duration {
	if c.n == 0 || tokens <= 0 {
		return 0
	}
	return seconds(float64(tokens) / c.Rate() / float64(max(workers, 1)))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
