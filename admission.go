package sallyport

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// admissionWait is how long an exchange may wait for a place before it is shed.
// A burst shorter than this is absorbed; a longer one is refused while the
// gateway's own timeout is still far away.
const admissionWait = 50 * time.Millisecond

// vainHold is how long a wait in vain is remembered. Once in so long a flood may wait
// again, which finds out whether it still is one.
const vainHold = time.Second

// admission bounds what is in the engine at once: exchanges and their bytes.
// It is a pair of semaphores and not an actor because it stands in front of
// every exchange: a full mailbox must not be what tells callers we are full.
//
// Those who wait stand in a line. A burst may make it as long as it likes; but after
// somebody has waited in vain, the line is held for vainHold to what leaves within
// half of admissionWait: who comes after that would most likely wait in vain too, and
// to keep thousands waiting for nothing costs more than to refuse them.
type admission struct {
	places, memory      *semaphore.Weighted
	maxBytes            int64
	inflight, heldBytes atomic.Int64
	waiting             atomic.Int64
	vain                atomic.Int64 // until when the line is held, in nanoseconds of age
	pace                pace
	// age is how old the admission is: a clock that is set meanwhile does not change it.
	age func() time.Duration
}

// newAdmission admits that many exchanges and bytes.
func newAdmission(exchanges int, bytes int64, now func() time.Time) *admission {
	made := now()
	return &admission{
		places:   semaphore.NewWeighted(int64(exchanges)),
		memory:   semaphore.NewWeighted(bytes),
		maxBytes: bytes,
		age:      func() time.Duration { return now().Sub(made) },
	}
}

// enter takes a place for a payload of size bytes and returns "". The caller must
// then call leave with the same size. When the engine stayed full for admissionWait,
// or is about to, or ctx ended, it returns what was missing: one of telemetry's Shed
// constants.
func (a *admission) enter(ctx context.Context, size int) (shed string) {
	weight := a.weight(size)
	if !a.places.TryAcquire(1) && !a.wait(ctx, a.places, 1) {
		return telemetry.ShedInflight
	}
	if !a.memory.TryAcquire(weight) && !a.wait(ctx, a.memory, weight) {
		a.places.Release(1)
		return telemetry.ShedBytes
	}
	a.inflight.Add(1)
	a.heldBytes.Add(weight)
	return ""
}

func (a *admission) leave(size int) {
	weight := a.weight(size)
	a.pace.left(a.age())
	a.inflight.Add(-1)
	a.heldBytes.Add(-weight)
	a.memory.Release(weight)
	a.places.Release(1)
}

// weight caps a payload at the whole budget: one that is larger still gets its
// proper answer from the parser instead of waiting for what can never be free.
func (a *admission) weight(size int) int64 { return min(int64(size), a.maxBytes) }

// wait stands in line, unless the line is held and as long as it may be.
func (a *admission) wait(ctx context.Context, s *semaphore.Weighted, n int64) bool {
	defer a.waiting.Add(-1)
	line, now := a.waiting.Add(1), a.age()
	if int64(now) < a.vain.Load() && line > a.pace.half(now) {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, admissionWait)
	defer cancel()
	if s.Acquire(waiting, n) == nil {
		return true
	}
	if ctx.Err() == nil {
		a.vain.Store(int64(a.age() + vainHold))
	}
	return false
}

// pace counts how many exchanges leave within admissionWait.
type pace struct {
	mu         sync.Mutex
	slot       int64 // the time in units of admissionWait that count is of
	count, was int64 // in this slot, and in the one before
}

// left counts one.
func (p *pace) left(now time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn(now)
	p.count++
}

// half returns half of how many left in the last slot that is over, or in this one where
// that is more already; at least 1, so that the line never closes for good.
func (p *pace) half(now time.Duration) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn(now)
	return max(p.was/2, p.count/2, 1)
}

func (p *pace) turn(now time.Duration) {
	switch slot := int64(now / admissionWait); slot - p.slot {
	case 0:
	case 1:
		p.slot, p.was, p.count = slot, p.count, 0
	default:
		p.slot, p.was, p.count = slot, 0, 0
	}
}
