package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference"
)

const (
	// mostWindows bounds the windows of one text that are read first, judgeWindows those
	// that a judge reads behind a gate: the default settings.
	mostWindows, judgeWindows = 1 << 12, 8
	// fullBatch is the padded tokens that the pool puts into one batch of a transformer.
	fullBatch = 256
)

// contestant is one way to read texts.
type contestant struct {
	name  string
	judge *inference.Classifier
	gate  *inference.Classifier // nil: the judge reads everything
	wide  bool                  // a model of one's own without a gate reads wide windows
}

// cost is what a contestant took for all texts.
type cost struct {
	name string
	cpu  time.Duration
	// tokens are those of all windows that the first reader read, judged those of the
	// judge behind a gate.
	tokens, judged int
}

// per512 is the processor time for 512 tokens of the first reader.
func (c cost) per512() time.Duration {
	return time.Duration(float64(c.cpu) / float64(max(1, c.tokens)) * 512)
}

// compare lets all contestants read all texts, in turn text by text.
func compare(ctx context.Context, contestants []contestant, texts []text, progress *measure.Progress) ([]cost, error) {
	out := make([]cost, len(contestants))
	for i, c := range contestants {
		out[i].name = c.name
		if err := new(cost).read(c, texts[0]); err != nil { // the first run prepares memory
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for n, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		progress.Step("text %d of %d", n+1, len(texts))
		for k := range contestants {
			i := (n + k) % len(contestants)
			if err := out[i].read(contestants[i], t); err != nil {
				return nil, fmt.Errorf("%s: %w", contestants[i].name, err)
			}
		}
	}
	return out, nil
}

// read has the contestant read a text and adds what it took.
func (c *cost) read(by contestant, t text) error {
	u, err := measure.Of(func() error {
		if by.gate == nil {
			windows, _ := by.judge.Plan(nil, t.text, inference.PlanOptions{Budget: mostWindows, Wide: by.wide})
			c.tokens += tokensOf(windows)
			_, err := scores(by.judge, windows)
			return err
		}
		windows, _ := by.gate.Plan(nil, t.text, inference.PlanOptions{Budget: mostWindows})
		c.tokens += tokensOf(windows)
		found, err := scores(by.gate, windows)
		if err != nil {
			return err
		}
		asked := suspects(by, t, windows, found)
		c.judged += tokensOf(asked)
		_, err = scores(by.judge, asked)
		return err
	})
	c.cpu += u.CPU
	return err
}

// suspects are the judge's windows of what the gate does not clear, most suspicious first.
func suspects(by contestant, t text, windows []inference.Window, scores []float32) []inference.Window {
	order := make([]int, 0, len(windows))
	for i, s := range scores {
		if float64(s) >= by.gate.Info().ClearAt(t.surface) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var asked []inference.Window
	for _, i := range order {
		asked, _ = by.judge.Windows(asked, t.text[windows[i].Start:windows[i].End], judgeWindows-len(asked))
	}
	return asked
}

// scores runs windows in batches as large as the pool's, longest first, so that those
// of a batch are of near length.
func scores(c *inference.Classifier, windows []inference.Window) ([]float32, error) {
	out := make([]float32, len(windows))
	order := make([]int, len(windows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(windows[b].IDs) - len(windows[a].IDs) })
	for len(order) > 0 {
		size := min(len(order), max(1, fullBatch/len(windows[order[0]].IDs)))
		batch := make([]inference.Window, size)
		for k, i := range order[:size] {
			batch[k] = windows[i]
		}
		got, err := c.Run(inference.RunControl{}, batch)
		if err != nil {
			return nil, err
		}
		for k, i := range order[:size] {
			out[i] = got[k]
		}
		order = order[size:]
	}
	return out, nil
}

func tokensOf(windows []inference.Window) (n int) {
	for i := range windows {
		n += len(windows[i].IDs)
	}
	return n
}
