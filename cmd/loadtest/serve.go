package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/mesh"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

func serveCommand() *cobra.Command {
	var o mesh.Options
	var out output
	var env []string
	var picture string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Measure the whole sidecar through gRPC, under an open loop",
		Long: `Measure the whole sidecar through gRPC: calls, results and lists of tools of the
MCP length mix arrive at random (Poisson) at fractions of the capacity, which a
closed loop measures before and after. Without --addr a sidecar is started.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := prepare(&o, env, out, picture, o.Check); err != nil {
				return err
			}
			result, err := mesh.Run(cmd.Context(), o)
			if err != nil {
				return failure{err}
			}
			return out.show(cmd, result, picture)
		},
	}
	loadFlags(cmd, &o, &env)
	f := cmd.Flags()
	f.DurationVar(&o.Duration, "duration", 20*time.Second, "time of each open loop")
	f.Float64SliceVar(&o.Fractions, "fraction", []float64{0.7, 1.5}, "arrival rates, as fractions of the measured capacity")
	f.BoolVar(&o.Yardstick, "yardstick", false, "send the load of each open loop to a bare server that decides nothing, too")
	f.StringVar(&picture, "picture", "", "also write the charts of the last open loop as an SVG file")
	f.Float64Var(&o.Rate, "rate", 0, "one arrival rate in exchanges per second, in place of the fractions")
	out.flags(cmd)
	return cmd
}

// prepare completes the options of a load and finds mistakes before anything is
// measured.
func prepare(o *mesh.Options, env []string, out output, picture string, check func() error) error {
	settings, err := settingsOf(env)
	if err = errors.Join(err, out.check(picture)); err != nil {
		return err
	}
	o.Env, o.Progress = settings, measure.NewProgress(os.Stderr)
	return check()
}

// settingsOf reads NAME=value pairs.
func settingsOf(pairs []string) (sidecar.Env, error) {
	env := sidecar.Env{}
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("set %q: want NAME=value", p)
		}
		env[name] = value
	}
	return env, nil
}
