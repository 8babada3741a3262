package bench

import (
	"context"
	"errors"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/inference"
)

// Result is everything that was measured.
type Result struct {
	opts      Options
	info      inference.Info
	closed    []*comparison
	open      []*openRun
	economies []*saving
	shapes    *shapeRun
	loads     [2]string // load average before and after
}

// Run measures. It takes about (mixes + mixes x fractions + 1) durations.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Progress.Step("opening %s", o.Model)
	defer o.Progress.Done()
	s, err := open(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	r := &Result{opts: o, info: s.info}
	r.loads[0] = measure.LoadAverage()
	closed, err := s.start(ctx, poolSpec{cache: -1, roomy: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closed.stop()) }()
	if o.Shapes > 0 {
		// First, while nothing else has made the process large.
		if r.shapes, err = s.shapes(ctx, closed); err != nil {
			return nil, err
		}
	}
	for _, mix := range o.Mixes {
		c, err := s.compare(ctx, mix, closed)
		if err != nil {
			return nil, err
		}
		r.closed = append(r.closed, c)
	}
	main := mainMix(o.Mixes)
	if r.economies, err = s.economies(ctx, main, closed); err != nil {
		return nil, err
	}
	service, err := s.start(ctx, poolSpec{cache: -1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, service.stop()) }()
	fractions := o.Fractions
	if o.Rate > 0 {
		fractions = []float64{0}
	}
	for _, f := range fractions {
		run, err := s.openLoop(ctx, main, service, closed, f, o.Rate)
		if err != nil {
			return nil, err
		}
		r.open = append(r.open, run)
	}
	r.loads[1] = measure.LoadAverage()
	return r, nil
}

// mainMix is the MCP mix when it is among them, else the first.
func mainMix(mixes []traffic.Mix) traffic.Mix {
	for _, m := range mixes {
		if m.Name == traffic.MCP.Name {
			return m
		}
	}
	return mixes[0]
}
