package mesh

import (
	"errors"
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

// Options are what is measured and how long.
type Options struct {
	// Addr and Admin are a running sidecar's; with an empty Addr one is started.
	Addr, Admin string
	// Sallyport is the binary to start, Env its settings.
	Sallyport string
	Env       sidecar.Env
	// SidecarCPUs are how many of the machine's CPUs the started sidecar has for itself,
	// while the load generator keeps to the others; with 0 they share them all.
	SidecarCPUs int
	// Connections is how many a gateway keeps open.
	Connections int
	// Callers is how many wait for answers at once when the capacity is measured.
	Callers int
	// RepeatShare is the share of texts that are known already, in [0, 1): those of the
	// mesh that repeat all the time.
	RepeatShare float64
	// Duration is what each open loop takes.
	Duration time.Duration
	// Fractions of the measured capacity, or else one Rate in exchanges per second.
	Fractions []float64
	Rate      float64
	Seed      uint64
	// Yardstick sends the load of each open loop to a bare server, too.
	Yardstick bool
	Progress  *measure.Progress
}

// Check completes o and says what is wrong with it.
func (o *Options) Check() error {
	if o.Progress == nil {
		o.Progress = measure.NewProgress(nil)
	}
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(o.Connections >= 1 && o.Connections <= 200, "connections is %d, want 1 to 200", o.Connections)
	require(o.SidecarCPUs == 0 || o.Addr == "", "sidecar-cpus is %d, but a sidecar that runs already stays where it is: leave out addr", o.SidecarCPUs)
	require(o.Callers >= 1 && o.Callers <= 10_000, "callers is %d, want 1 to 10000", o.Callers)
	require(o.RepeatShare >= 0 && o.RepeatShare < 1, "repeat-share is %v, want 0 up to, not including, 1", o.RepeatShare)
	require(o.Duration >= 100*time.Millisecond && o.Duration <= 4*time.Hour, "duration is %v, want 100ms to 4h", o.Duration)
	require(o.Rate >= 0 && o.Rate <= 100_000, "rate is %v, want 0 to 100000", o.Rate)
	require(o.Rate > 0 || len(o.Fractions) > 0, "neither a rate nor a fraction is given")
	for _, f := range o.Fractions {
		require(f > 0 && f <= 10, "fraction %v, want above 0 up to 10", f)
	}
	return errors.Join(errs...)
}
