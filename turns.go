package sallyport

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// heavyBody is the size from which parsing and scanning take turns, in bytes.
// Smaller ones cost well under a millisecond and run at once.
const heavyBody = 64 << 10

// newTurns lets as many heavy payloads be computed on at once as there are CPUs.
// More would not be faster, only all of them slower: each would miss its deadline,
// and health checks and small exchanges would wait behind them.
func newTurns() *semaphore.Weighted {
	return semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
}

// turn waits for a CPU when the payload is a heavy one. The turn ends with yield.
// An exchange whose deadline passes while it waits has not been started: that is
// load, and no sample of health.
func (r *run) turn(ctx context.Context) bool {
	if len(r.ex.Body) < heavyBody {
		return true
	}
	began := r.e.now()
	if err := r.e.turns.Acquire(ctx, 1); err != nil {
		kind, result := decision.FaultCancelled, telemetry.ScanCancelled
		if ours(ctx) {
			kind, result = decision.FaultQueueFull, telemetry.ScanShed
		}
		r.fault(decision.ScannerContent, kind, "no CPU in time")
		r.e.metrics.Scanner(decision.ScannerContent, result, r.e.now().Sub(began))
		return false
	}
	r.computing = true
	return true
}

// yield gives the CPU to the next heavy payload.
func (r *run) yield() {
	if r.computing {
		r.computing = false
		r.e.turns.Release(1)
	}
}
