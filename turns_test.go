package sallyport

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// TestWhoWaitsForACPUInVain: a heavy payload that gets no turn until our deadline is load, and one whose caller went away
// or brought the deadline is nobody's fault; a light one needs none. None of it is a sample of health.
func TestWhoWaitsForACPUInVain(t *testing.T) {
	reg := prometheus.NewRegistry()
	e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.Registerer = reg })
	places := int64(runtime.GOMAXPROCS(0))
	require.NoError(t, e.turns.Acquire(t.Context(), places))
	before := e.tree().Health.View()
	heavy, light := result(strings.Repeat("x", heavyBody)), result(harmless)
	counted := map[string]float64{}
	for cause, want := range map[error]decision.FaultKind{
		errScannerTimeout:        decision.FaultQueueFull,
		context.DeadlineExceeded: decision.FaultCancelled,
		context.Canceled:         decision.FaultCancelled,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		r := newRun(e, heavy, decision.Response)
		require.False(t, r.turn(ctx))
		require.Len(t, r.in.Faults, 1)
		require.Equal(t, decision.ScannerContent, r.in.Faults[0].Scanner)
		require.Equal(t, want, r.in.Faults[0].Kind, cause)
		if want == decision.FaultQueueFull {
			counted[telemetry.ScanShed]++
		} else {
			counted[telemetry.ScanCancelled]++
		}
		for _, outcome := range []string{telemetry.ScanShed, telemetry.ScanCancelled} {
			require.InDelta(t, counted[outcome], counterOf(t, reg, telemetry.NameScannerResults, "scanner", decision.ScannerContent, "outcome", outcome), 0)
		}
		r.yield() // a turn that was not had is not given back

		r = newRun(e, light, decision.Response)
		require.True(t, r.turn(ctx))
		require.Empty(t, r.in.Faults)
	}
	require.False(t, e.turns.TryAcquire(1))
	e.turns.Release(places)
	require.Equal(t, decision.Allow, e.CheckResponse(t.Context(), heavy).Outcome)
	require.True(t, e.turns.TryAcquire(places), "every turn was given back")
	e.turns.Release(places)
	e.tree().Health.Flush()
	require.Equal(t, before.Scanners[decision.ScannerContent].Bad, e.tree().Health.View().Scanners[decision.ScannerContent].Bad)
}
