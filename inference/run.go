package inference

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/sallyport-mcp/sallyport/inference/onnx"
)

// RunControl ends a Run early. The zero value never does. It is cheap and
// spent once terminated; copies are the same control. It needs no end: nothing native
// outlives the last Run.
type RunControl struct{ native *onnx.Control }

// NewRunControl returns a control of one or more Runs.
func NewRunControl() RunControl { return RunControl{onnx.NewControl()} }

// Terminate makes the Runs in flight return ErrTerminated when their current
// operator is done (milliseconds), and later ones at once. It does not wait.
func (c RunControl) Terminate() {
	if c.native != nil {
		c.native.Terminate()
	}
}

// Terminated reports whether Terminate was called.
func (c RunControl) Terminated() bool { return c.native != nil && c.native.Terminated() }

// Run returns, for every window, the probability that it is malicious. It blocks
// the calling goroutine's thread for as long as the model computes and is safe
// for concurrent use. Windows are checked first, because the runtime accepts
// ids and lengths for which its answer means nothing. An error concerns the
// whole batch; a *WindowError names the window where one is to blame (ErrInput,
// ErrNotFinite). Other errors are ErrTerminated, ErrClosed, or the runtime's.
func (c *Classifier) Run(control RunControl, batch []Window) ([]float32, error) {
	if len(batch) == 0 {
		return nil, nil
	}
	for i := range batch {
		if err := c.validate(batch[i].IDs); err != nil {
			return nil, &WindowError{i, err}
		}
	}
	scores := make([]float32, 0, len(batch))
	if !c.alone {
		return c.score(scores, control, batch, 0)
	}
	for i := range batch {
		var err error
		if scores, err = c.score(scores, control, batch[i:i+1], i); err != nil {
			return nil, err
		}
	}
	return scores, nil
}

func (c *Classifier) validate(ids []int32) error {
	if len(ids) == 0 || len(ids) > c.info.MaxTokens {
		return fmt.Errorf("%w: %d ids, want 1 to %d", ErrInput, len(ids), c.info.MaxTokens)
	}
	for at, id := range ids {
		if id < 0 || int(id) >= c.info.VocabSize {
			return fmt.Errorf("%w: id %d at %d, want 0 to %d", ErrInput, id, at, c.info.VocabSize-1)
		}
	}
	return nil
}

// score runs one batch and appends its scores. first is the place of batch[0]
// in the caller's batch.
func (c *Classifier) score(scores []float32, control RunControl, batch []Window, first int) ([]float32, error) {
	memory := paddings.Get().(*[]int64)
	defer paddings.Put(memory)
	logits, labels, err := c.model.Run(control.native, c.pad(memory, batch))
	if err != nil {
		return nil, err
	}
	if labels != len(c.info.Labels) || len(logits) != labels*len(batch) {
		return nil, fmt.Errorf("model answered %d logits in rows of %d, want %d rows of %d", len(logits), labels, len(batch), len(c.info.Labels))
	}
	for i := range batch {
		p, ok := softmaxAt(logits[i*labels:(i+1)*labels], c.label)
		if !ok {
			return nil, &WindowError{first + i, ErrNotFinite}
		}
		scores = append(scores, p)
	}
	return scores, nil
}

// paddings are the memory of padded batches, which no model keeps beyond its Run. Made
// anew for each, it was a seventh of all that a short window had allocated.
var paddings = sync.Pool{New: func() any { return new([]int64) }}

// pad writes a batch into memory, which it grows as needed.
func (c *Classifier) pad(memory *[]int64, batch []Window) onnx.Batch {
	length := 0
	for i := range batch {
		length = max(length, len(batch[i].IDs))
	}
	n := len(batch) * length
	*memory = slices.Grow((*memory)[:0], 2*n)
	cells := (*memory)[:2*n]
	b := onnx.Batch{Rows: len(batch), Length: length, IDs: cells[:n:n], Mask: cells[n:]}
	pad := int64(c.tok.Pad())
	for i := range batch {
		row := i * length
		for k, id := range batch[i].IDs {
			b.IDs[row+k], b.Mask[row+k] = int64(id), 1
		}
		for k := len(batch[i].IDs); k < length; k++ {
			b.IDs[row+k], b.Mask[row+k] = pad, 0
		}
	}
	return b
}

// softmaxAt returns the probability of one label, and whether all logits are
// finite.
func softmaxAt(logits []float32, label int) (float32, bool) {
	top := math.Inf(-1)
	for _, l := range logits {
		v := float64(l)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, false
		}
		top = max(top, v)
	}
	sum := 0.0
	for _, l := range logits {
		sum += math.Exp(float64(l) - top)
	}
	return float32(math.Exp(float64(logits[label])-top) / sum), true
}
