package main

import (
	"errors"

	"github.com/sallyport-mcp/sallyport/inference"
)

const (
	// maxScoreWindows bounds the windows of one text.
	maxScoreWindows = 1 << 20
	// scoreBatch is how many windows run together.
	scoreBatch = 8
)

// reader scores whole texts the way the sidecar reads them: with a model of the user's
// own, wide windows; behind a gate or in the binary, those it was calibrated on.
type reader struct {
	judge *inference.Classifier
	gate  *inference.Classifier // nil for none
	wide  bool
}

// scored is what became of one text.
type scored struct {
	top     float32 // the highest score, in [0,1]; 0 for a text without windows
	windows int     // windows of the model that reads everything
	judged  *int    // windows that the judge read behind a gate; nil without one
}

// wide reports whether the argument names a directory.
func wide(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case wordDefault, wordGate, wordJudge:
		return false
	}
	return true
}

// each calls f with every model, the first to read first.
func (r reader) each(f func(*inference.Classifier) error) error {
	if r.gate != nil {
		if err := f(r.gate); err != nil {
			return err
		}
	}
	return f(r.judge)
}

func (r reader) close() error {
	var errs []error
	for _, c := range []*inference.Classifier{r.gate, r.judge} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// score reads a text. Unlike the sidecar it puts no bound on what the judge reads.
func (r reader) score(text string) (scored, error) {
	if r.gate == nil {
		return read(r.judge, text, r.wide, nil)
	}
	judged := 0
	of, err := read(r.gate, text, false, func(w inference.Window, score float32) (float32, error) {
		if float64(score) < r.gate.Info().ClearAt(inference.DefaultSurface) {
			return score, nil
		}
		one, err := read(r.judge, text[w.Start:w.End], false, nil)
		judged += one.windows
		return one.top, err
	})
	of.judged = &judged
	return of, err
}

// read scores the windows of a text with one model; second, when given, has the last
// word on each.
func read(c *inference.Classifier, text string, wide bool, second func(inference.Window, float32) (float32, error)) (scored, error) {
	all, _ := c.Plan(nil, text, inference.PlanOptions{Budget: maxScoreWindows, Wide: wide})
	of := scored{windows: len(all)}
	for at := 0; at < len(all); at += scoreBatch {
		batch := all[at:min(at+scoreBatch, len(all))]
		scores, err := c.Run(inference.RunControl{}, batch)
		if err != nil {
			return scored{}, err
		}
		for i, s := range scores {
			if second != nil {
				if s, err = second(batch[i], s); err != nil {
					return scored{}, err
				}
			}
			of.top = max(of.top, s)
		}
	}
	return of, nil
}
