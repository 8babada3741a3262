package actors

import (
	"context"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
)

const (
	// smallBatch is the cost of a full batch below which handing one over is a part of
	// what it costs.
	smallBatch = 2 * time.Millisecond
	// stripPlaces is how many places of a window the runtime's kernels compute at once
	// where the places are the columns of a product, as in a convolution. A window of
	// one more costs as much as one of sixteen more.
	stripPlaces = 16
	// stripRows makes a full batch of windows of two strips.
	stripRows = batch.DefaultTokens / (2 * stripPlaces)
)

// fit finds out which batches suit a model on this machine.
//
// Those of a small model are larger. Those of a transformer are halved where a full
// batch no longer fits the processor's caches and two halves of it cost less: a fifth
// less was measured for the shape of Prompt Guard 2 22M, and nothing for that of 86M.
func (m *model) fit(ctx context.Context) error {
	// The runs at load are few, and a busy machine makes them look longer: only what is
	// far beyond small is taken at their word.
	const far = 5
	run := m.cost.Run(m.limits.Tokens)
	if m.limits.Windows == 1 || run <= 0 {
		return nil
	}
	if run >= far*smallBatch {
		return m.halve(ctx)
	}
	return m.enlarge(ctx, run)
}

// enlarge doubles the batches of a model so small that half as many hand-overs are
// worth more than what larger batches lose, and lets three times as many of its shortest
// windows into one; it finds out whether the model's cost goes in steps.
func (m *model) enlarge(ctx context.Context, run time.Duration) error {
	stepped := false
	if m.windowTokens() >= 2*stripPlaces {
		took, err := m.quickest(ctx, 5, oneStrip, onePlaceMore, twoStrips)
		if err != nil {
			return err
		}
		run, stepped = took[2], inSteps(took)
	}
	if run >= smallBatch {
		return nil
	}
	m.limits.Windows, m.limits.Tokens = 3*m.limits.Windows, 2*m.limits.Tokens
	if stepped {
		m.limits.Step = stripPlaces
	}
	return nil
}

// halve takes half of the tokens for a full batch where two such batches cost clearly
// less than one, by short windows, of which batches are made.
func (m *model) halve(ctx context.Context) error {
	const clearly = 0.9
	if m.windowTokens() < stripPlaces {
		return nil
	}
	took, err := m.quickest(ctx, 3, oneStrip, twiceAsMany)
	if err != nil {
		return err
	}
	if half, full := took[0], took[1]; 2*half.Seconds() < clearly*full.Seconds() {
		m.limits.Tokens /= 2
	}
	return nil
}

// sample is a batch whose cost says something about the model: windows of so many
// tokens.
type sample struct{ windows, tokens int }

var (
	oneStrip     = sample{stripRows, stripPlaces}
	onePlaceMore = sample{stripRows, stripPlaces + 1}
	twoStrips    = sample{stripRows, 2 * stripPlaces}
	twiceAsMany  = sample{2 * stripRows, stripPlaces}
)

// quickest measures samples in turns. The quickest of so many runs each counts: what
// else the machine does only ever adds.
func (m *model) quickest(ctx context.Context, rounds int, samples ...sample) ([]time.Duration, error) {
	took := make([]time.Duration, len(samples))
	for round := range rounds {
		for i, s := range samples {
			w := inference.Window{IDs: stretched(m.canary[0].IDs, s.tokens)}
			start := time.Now()
			if _, err := m.time(ctx, slices.Repeat([]inference.Window{w}, s.windows), false); err != nil {
				return nil, err
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
func inSteps(took []time.Duration) bool {
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
