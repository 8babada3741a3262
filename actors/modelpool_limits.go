package actors

import (
	"context"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
)

// smallBatch is the cost of a full batch below which handing one over is a part of
// what it costs.
const smallBatch = 2 * time.Millisecond

// enlarge doubles the batches of a model so small that half as many hand-overs are
// worth more than what larger batches lose, and finds out whether its cost goes in
// steps. For transformers larger batches lose: their measured best is the default.
func (m *model) enlarge(ctx context.Context) error {
	if run := m.cost.Run(m.limits.Tokens); m.limits.Windows == 1 || run <= 0 || run >= smallBatch {
		return nil
	}
	m.limits.Windows, m.limits.Tokens = 2*m.limits.Windows, 2*m.limits.Tokens
	stepped, err := m.stepped(ctx)
	if stepped {
		m.limits.Step = stripPlaces
	}
	return err
}

// stripPlaces is how many places of a window the runtime's kernels compute at once
// where the windows are the columns of a product, as in a convolution. A window of one
// more costs as much as one of sixteen more.
const stripPlaces = 16

// stepped measures whether that is so: a batch of windows of one place more than a
// strip against batches of exactly one and of two. The quickest of a few runs each,
// in turns, counts: what else the machine does only ever adds. A batch too quick for
// a clock has no steps.
func (m *model) stepped(ctx context.Context) (bool, error) {
	const (
		rows   = 8
		rounds = 5
		least  = 20 * time.Microsecond
	)
	if m.windowTokens() < 2*stripPlaces {
		return false, nil
	}
	lengths := [...]int{stripPlaces, stripPlaces + 1, 2 * stripPlaces}
	var quickest [len(lengths)]time.Duration
	for round := range rounds {
		for i, n := range lengths {
			w := inference.Window{IDs: stretched(m.canary[0].IDs, n)}
			start := time.Now()
			if _, err := m.time(ctx, slices.Repeat([]inference.Window{w}, rows), false); err != nil {
				return false, err
			}
			if took := time.Since(start); round == 0 || took < quickest[i] {
				quickest[i] = took
			}
		}
	}
	more, whole := quickest[1]-quickest[0], quickest[2]-quickest[0]
	return more >= least && more > whole/2, nil
}

// stretched repeats ids up to so many.
func stretched(ids []int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = ids[i%len(ids)]
	}
	return out
}
