package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/mesh"
)

func soakCommand() *cobra.Command {
	var o mesh.SoakOptions
	var out output
	var env []string
	var picture string
	cmd := &cobra.Command{
		Use:   "soak",
		Short: "Keep one sidecar under a load that it can carry, and look at what grows",
		Long: `Keep one sidecar under a load that it can carry, and look at what grows: the
capacity is measured first, then a share of it arrives at random (Poisson) for as
long as asked. Exit 1 when resident size, goroutines or p99 of the last third lie
above the first by more than a margin that the report states.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := prepare(&o.Options, env, out, picture, o.Check); err != nil {
				return err
			}
			soak, err := mesh.RunSoak(cmd.Context(), o)
			if err != nil {
				return failure{err}
			}
			if err := out.show(cmd, soak, picture); err != nil {
				return err
			}
			if err := soak.Held(); err != nil {
				return failure{err}
			}
			return nil
		},
	}
	loadFlags(cmd, &o.Options, &env)
	f := cmd.Flags()
	f.DurationVar(&o.Duration, "duration", 30*time.Minute, "time of the soak")
	f.Float64Var(&o.Share, "share", 0.8, "arrival rate, as a share of the measured capacity")
	f.Float64Var(&o.Rate, "rate", 0, "arrival rate in exchanges per second, in place of the share; the capacity is then not measured")
	f.StringVar(&picture, "picture", "", "also write the charts as an SVG file")
	out.flags(cmd)
	return cmd
}

// loadFlags are the flags of every command that puts a sidecar under load.
func loadFlags(cmd *cobra.Command, o *mesh.Options, env *[]string) {
	f := cmd.Flags()
	f.StringVar(&o.Addr, "addr", "", "gRPC address of a running sidecar on this machine (default: start one)")
	f.StringVar(&o.Admin, "admin", "", "admin address of that sidecar, for memory and goroutines")
	f.StringVar(&o.Sallyport, "sallyport", "bin/sallyport", "the sidecar to start")
	f.StringArrayVar(env, "set", nil, "a setting of the sidecar to start, NAME=value; may be repeated")
	f.IntVar(&o.SidecarCPUs, "sidecar-cpus", 0, "CPUs that the sidecar to start has for itself, while the load generator keeps to the others (Linux); 0: both share all")
	f.IntVar(&o.Connections, "connections", 4, "connections of the gateway")
	f.IntVar(&o.Callers, "callers", 64, "callers of the closed loop that measures the capacity")
	f.Float64Var(&o.RepeatShare, "repeat-share", 0.3, "share of texts that are known already: 512 that repeat all the time")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of exchanges and arrivals")
}

// writePicture writes what draw draws into a file, when one is named.
func writePicture(file string, draw func() ([]byte, error)) error {
	if file == "" {
		return nil
	}
	svg, err := draw()
	if err != nil {
		return err
	}
	return os.WriteFile(file, svg, pageMode)
}

// pageMode is that of a file of the manual, which is for everyone.
const pageMode = 0o644
