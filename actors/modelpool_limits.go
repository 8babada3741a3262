package actors

import (
	"context"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
)

const (
	// sampleTokens are the places of a run by whose cost a model is small or not, and
	// smallSample the cost below which handing a batch over is a part of what it costs.
	sampleTokens = 256
	smallSample  = 2 * time.Millisecond
	// smallTokens and smallWindows bound the batches of a small model.
	smallTokens  = 512
	smallWindows = 48
)

// enlarge lets four times as much into the batches of a model so small that fewer
// hand-overs are worth more than what larger batches lose; it finds out whether the
// model's cost goes in steps. For transformers larger batches lose: their measured best
// is the default.
func (m *model) enlarge(ctx context.Context) error {
	// The runs at load are few, and a busy machine makes them look longer: only what is
	// far beyond small is taken at their word.
	const far = 5
	run := m.cost.Run(sampleTokens)
	if m.limits.Windows == 1 || run <= 0 || run >= far*smallSample {
		return nil
	}
	stepped := false
	if m.windowTokens() >= 2*stripPlaces {
		took, err := m.quickest(ctx)
		if err != nil {
			return err
		}
		run, stepped = took[2], inSteps(took)
	}
	if run >= smallSample {
		return nil
	}
	m.limits.Windows, m.limits.Tokens = smallWindows, smallTokens
	if stepped {
		m.limits.Step = stripPlaces
	}
	return nil
}

const (
	// stripPlaces is how many places of a window the runtime's kernels compute at once
	// where the places are the columns of a product, as in a convolution. A window of
	// one more costs as much as one of sixteen more.
	stripPlaces = 16
	// stripRows makes a sample of windows of two strips.
	stripRows = sampleTokens / (2 * stripPlaces)
)

// quickest measures batches of windows of exactly one strip, of one place more, and of
// two. The quickest of a few runs each, in turns, counts: what else the machine does
// only ever adds.
func (m *model) quickest(ctx context.Context) (took [3]time.Duration, err error) {
	const rounds = 5
	for round := range rounds {
		for i, n := range [...]int{stripPlaces, stripPlaces + 1, 2 * stripPlaces} {
			w := inference.Window{IDs: stretched(m.canary[0].IDs, n)}
			start := time.Now()
			if _, err := m.time(ctx, slices.Repeat([]inference.Window{w}, stripRows), false); err != nil {
				return took, err
			}
			if d := time.Since(start); round == 0 || d < took[i] {
				took[i] = d
			}
		}
	}
	return took, nil
}

// inSteps reports whether one place more costs the better part of a whole strip more,
// by a difference that a clock can tell.
func inSteps(took [3]time.Duration) bool {
	const least = 20 * time.Microsecond
	more, strip := took[1]-took[0], took[2]-took[0]
	return more >= least && more > strip/2
}

// stretched repeats ids up to so many.
func stretched(ids []int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = ids[i%len(ids)]
	}
	return out
}
