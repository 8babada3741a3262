package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/bench"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

func modelCommand() *cobra.Command {
	var o bench.Options
	var out output
	var mixes string
	cmd := &cobra.Command{
		Use:   "model",
		Short: "Measure batched inference: the model pool against the bare runtime",
		Long: `Measure batched inference, in one process, on the same texts with the same model.

Closed loop: the bare runtime with perfect batches, one by one, with naive batches,
and the pool, in interleaved rounds. Then what caching and early exit save. Then
texts that arrive at random (Poisson) at fractions of the measured capacity.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			o.Mixes, err = traffic.Mixes(mixes)
			if err = errors.Join(err, out.check()); err != nil {
				return err
			}
			o.Progress = measure.NewProgress(os.Stderr)
			if err := o.Check(); err != nil {
				return err
			}
			result, err := bench.Run(cmd.Context(), o)
			if err != nil {
				return failure{err}
			}
			if err := out.write(cmd, result.Report()); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Model, "model", "default", "default, or a model directory")
	f.StringVar(&o.File, "model-file", "", "network file of the directory (default model.onnx)")
	f.StringVar(&o.Lib, "lib", os.Getenv("ONNXRUNTIME_LIB"), "path of libonnxruntime")
	f.BoolVar(&o.Unproved, "unproved", false, "accept a model that does not tell the canary texts apart, such as random weights")
	f.BoolVar(&o.Gate, "gate", false, "also measure the embedded model as a gate in front of --model")
	f.IntVar(&o.Workers, "workers", 0, "runs side by side (default: the CPUs)")
	f.StringVar(&mixes, "mix", "short,mcp,long", "length mixes to compare")
	f.Float64Var(&o.RepeatShare, "repeat-share", 0.5, "share of repeated texts where the cache is measured")
	f.DurationVar(&o.Duration, "duration", 20*time.Second, "time for each comparison and each open loop, roughly")
	f.IntVar(&o.Rounds, "rounds", 11, "rounds of each comparison")
	f.Float64SliceVar(&o.Fractions, "fraction", []float64{0.7, 1.5}, "arrival rates, as fractions of the measured capacity")
	f.Float64Var(&o.Rate, "rate", 0, "one arrival rate in texts per second, in place of the fractions")
	f.IntVar(&o.Shapes, "shapes", 0, "also follow the resident size over so many differently shaped inputs")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of texts and arrivals")
	out.flags(cmd)
	return cmd
}
