package inference

import (
	"errors"
	"fmt"
	"math"
)

// invariance is how far a score may move with the batch it is computed in.
const invariance = 1e-5

// prove runs a freshly opened model on what could go wrong.
func (c *Classifier) prove(src Source, selfTest bool) error {
	refuse := func(file, want string, err error) error {
		return &LoadError{File: src.path(file), Reason: err.Error(), Want: want, Err: err}
	}
	// The largest id: the embedding may have fewer rows than the
	// configuration says.
	if _, err := c.Run(RunControl{}, []Window{c.probe(8, int32(c.info.VocabSize-1))}); err != nil {
		return refuse(src.model, fmt.Sprintf("an embedding of %d rows and logits for the labels %v", c.info.VocabSize, c.info.Labels), err)
	}
	if _, err := c.Run(RunControl{}, []Window{c.probe(c.info.MaxTokens, 0)}); err != nil {
		return refuse(src.model, fmt.Sprintf("to read %d ids, as %s says", c.info.MaxTokens, configFile), err)
	}
	if err := c.findInvariance(); err != nil {
		return refuse(src.model, "to score texts in a batch", err)
	}
	if !selfTest {
		return nil
	}
	separation, err := c.SelfTest()
	if err != nil {
		return refuse(src.model, "a prompt-injection classifier", err)
	}
	c.info.Separation = separation
	return nil
}

// probe is a window of n ids that are all id but for the frame.
func (c *Classifier) probe(n int, id int32) Window {
	ids := append([]int32{}, c.tok.Prefix()...)
	for len(ids) < n-len(c.tok.Suffix()) {
		ids = append(ids, id)
	}
	return Window{IDs: append(ids, c.tok.Suffix()...)}
}

// findInvariance scores canaries alone and together. Models quantised
// dynamically take one scale for a whole batch, so that a neighbour's text
// moves a score; those are then run alone.
func (c *Classifier) findInvariance() error {
	var batch []Window
	for _, text := range []string{canaryInjections[0], canaryBenign[4], canaryInjections[4], canaryBenign[3]} {
		batch, _ = c.Windows(batch, text, math.MaxInt)
	}
	together, err := c.Run(RunControl{}, batch)
	if err != nil {
		return err
	}
	for i := range batch {
		one, err := c.Run(RunControl{}, batch[i:i+1])
		if err != nil {
			var w *WindowError
			if errors.As(err, &w) {
				w.Index = i
			}
			return err
		}
		if math.Abs(float64(one[0]-together[i])) > invariance {
			c.info.BatchInvariant = false
			c.alone = true
		}
	}
	return nil
}
