package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// Options are what is measured and how long.
type Options struct {
	// Model is "default" or a model directory; File picks its network, "" model.onnx.
	Model, File string
	// Lib is the runtime library, "" finds it.
	Lib string
	// Unproved accepts a model with random weights: the cost is real though the
	// scores mean nothing.
	Unproved bool
	// Gate puts the embedded model in front of Model and measures what it saves.
	Gate bool
	// Workers is the number of runs side by side, 0 the CPUs.
	Workers int
	Mixes   []traffic.Mix
	// RepeatShare is the share of texts that repeat an earlier one where the cache is
	// measured, in [0, 1).
	RepeatShare float64
	// Duration is about what each comparison and each open loop takes.
	Duration time.Duration
	// Rounds is how often each contestant runs.
	Rounds int
	// Fractions of the measured capacity at which texts arrive.
	Fractions []float64
	// Rate, when positive, is the arrival rate in texts per second in place of
	// Fractions.
	Rate float64
	// Shapes, when positive, is how many differently shaped inputs the resident size
	// is followed over.
	Shapes int
	Seed   uint64
	// Progress is told each step.
	Progress *measure.Progress
}

// Check completes o and says what is wrong with it.
func (o *Options) Check() error {
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = measure.NewProgress(nil)
	}
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(o.Workers > 0 && o.Workers <= 256, "workers is %d, want 1 to 256", o.Workers)
	require(len(o.Mixes) > 0, "no mix is named")
	require(o.RepeatShare >= 0 && o.RepeatShare < 1, "repeat-share is %v, want 0 up to, not including, 1", o.RepeatShare)
	require(o.Duration >= 50*time.Millisecond && o.Duration <= time.Hour, "duration is %v, want 50ms to 1h", o.Duration)
	require(o.Rounds >= 1 && o.Rounds <= 1000, "rounds is %d, want 1 to 1000", o.Rounds)
	require(o.Rate >= 0 && o.Rate <= 1e6, "rate is %v, want 0 to 1000000", o.Rate)
	require(o.Shapes >= 0 && o.Shapes <= 10_000_000, "shapes is %d, want 0 to 10000000", o.Shapes)
	require(!o.Gate || o.Model != "default", "the gate is the default model: name another model with --model")
	for _, f := range o.Fractions {
		require(f > 0 && f <= 10, "fraction %v, want above 0 up to 10", f)
	}
	return errors.Join(errs...)
}
