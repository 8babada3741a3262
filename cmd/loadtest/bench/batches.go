package bench

import (
	"cmp"
	"slices"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnx"
)

// batches is work for the bare runtime, padded beforehand.
type batches struct {
	runs           []onnx.Batch
	tokens, padded int
}

func (b *batches) padding() float64 {
	if b.padded == 0 {
		return 0
	}
	return float64(b.padded-b.tokens) / float64(b.padded)
}

// inOrder cuts windows into batches of size in the order of their arrival, each
// padded to its longest: size 1 is one by one, more is what a naive batcher does.
func inOrder(windows []inference.Window, size int) *batches {
	b := &batches{}
	for group := range slices.Chunk(windows, size) {
		b.add(group)
	}
	return b
}

// mostRows bounds a perfect batch.
const mostRows = 64

// perfect makes the batches of someone who knows the whole queue: sorted by
// length, so that there is next to no padding, each at most budget padded tokens.
// The longest come first, so that no worker is left with a long one at the end.
func perfect(windows []inference.Window, budget int) *batches {
	sorted := slices.Clone(windows)
	slices.SortStableFunc(sorted, func(a, b inference.Window) int { return cmp.Compare(len(b.IDs), len(a.IDs)) })
	b := &batches{}
	for at := 0; at < len(sorted); {
		rows := min(max(1, budget/max(1, len(sorted[at].IDs))), mostRows, len(sorted)-at)
		b.add(sorted[at : at+rows])
		at += rows
	}
	return b
}

func (b *batches) add(group []inference.Window) {
	length := 0
	for _, w := range group {
		length = max(length, len(w.IDs))
		b.tokens += len(w.IDs)
	}
	n := len(group) * length
	run := onnx.Batch{Rows: len(group), Length: length, IDs: make([]int64, n), Mask: make([]int64, n)}
	for i, w := range group {
		for k, id := range w.IDs {
			// What stands behind the mask changes no cost: zero is a valid id everywhere.
			run.IDs[i*length+k], run.Mask[i*length+k] = int64(id), 1
		}
	}
	b.padded += n
	b.runs = append(b.runs, run)
}
