package sallyport

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// admissionWait is how long an exchange may wait for a place before it is shed.
// A burst shorter than this is absorbed; a longer one is refused while the
// gateway's own timeout is still far away.
const admissionWait = 50 * time.Millisecond

// admission bounds what is in the engine at once: exchanges and their bytes.
// It is a pair of semaphores and not an actor because it stands in front of
// every exchange: a full mailbox must not be what tells callers we are full.
type admission struct {
	places, memory      *semaphore.Weighted
	maxBytes            int64
	inflight, heldBytes atomic.Int64
	gauge               func(exchanges, bytes int64)
}

// newAdmission admits that many exchanges and bytes, and tells gauge what is held.
func newAdmission(exchanges int, bytes int64, gauge func(exchanges, bytes int64)) *admission {
	return &admission{
		places:   semaphore.NewWeighted(int64(exchanges)),
		memory:   semaphore.NewWeighted(bytes),
		maxBytes: bytes,
		gauge:    gauge,
	}
}

// enter takes a place for a payload of size bytes and returns "". The caller must
// then call leave with the same size. When the engine stayed full for
// admissionWait, or ctx ended, it returns what was missing: one of telemetry's
// Shed constants.
func (a *admission) enter(ctx context.Context, size int) (shed string) {
	weight := a.weight(size)
	if !a.places.TryAcquire(1) && !waitFor(ctx, a.places, 1) {
		return telemetry.ShedInflight
	}
	if !a.memory.TryAcquire(weight) && !waitFor(ctx, a.memory, weight) {
		a.places.Release(1)
		return telemetry.ShedBytes
	}
	a.gauge(a.inflight.Add(1), a.heldBytes.Add(weight))
	return ""
}

func (a *admission) leave(size int) {
	weight := a.weight(size)
	a.gauge(a.inflight.Add(-1), a.heldBytes.Add(-weight))
	a.memory.Release(weight)
	a.places.Release(1)
}

// weight caps a payload at the whole budget: one that is larger still gets its
// proper answer from the parser instead of waiting for what can never be free.
func (a *admission) weight(size int) int64 { return min(int64(size), a.maxBytes) }

func waitFor(ctx context.Context, s *semaphore.Weighted, n int64) bool {
	ctx, cancel := context.WithTimeout(ctx, admissionWait)
	defer cancel()
	return s.Acquire(ctx, n) == nil
}
