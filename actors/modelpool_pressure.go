package actors

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
)

// pressure is what the pool publishes of its backlog, so that a caller who would be
// refused anyway is refused before it has cost anything: no tokenizing, no message.
// Above capacity that is what keeps the cores for those who were let in. What is
// published may be a moment old; the pool decides again about those that pass.
type pressure struct {
	// wait is how long a request that comes now waits for the work that is queued, in
	// nanoseconds; 0 while nothing is.
	wait atomic.Int64
	// queued is that work, in tokens of the judge.
	queued atomic.Int64
	// perToken is what a token costs with all workers at it, by stage, in nanoseconds;
	// perByte how many tokens a byte of text makes. Bits of a float64.
	perToken [2]atomic.Uint64
	perByte  atomic.Uint64
}

func load(f *atomic.Uint64) float64     { return math.Float64frombits(f.Load()) }
func store(f *atomic.Uint64, v float64) { f.Store(math.Float64bits(v)) }

// pressed publishes the backlog.
func (p *poolActor) pressed() {
	out := &p.h.pressure
	if p.queue.Len() == 0 {
		out.wait.Store(0)
		out.queued.Store(0)
		return
	}
	workers := max(int(p.h.up.Load()), 1)
	var wait time.Duration
	weighed := 0.0
	for stage := range p.costs {
		wait += p.costs[stage].Drain(p.queue.GroupTokens(stage), workers)
		weighed += p.models[stage].weight * float64(p.queue.GroupTokens(stage))
		if rate := p.costs[stage].Rate(); rate > 0 && stage < len(out.perToken) {
			store(&out.perToken[stage], 1e9/rate/float64(workers))
		}
	}
	out.queued.Store(int64(weighed))
	out.wait.Store(int64(float64(wait) * max(p.stretch, 1)))
}

// noteDensity learns how many tokens a byte makes. Texts of code and of other scripts
// differ; a few dozen texts are remembered.
func (r *pressure) noteDensity(bytes int, windows []inference.Window) {
	const weight, least = 0.02, 64
	tokens := 0
	for i := range windows {
		tokens += len(windows[i].IDs)
	}
	if bytes < least || tokens == 0 {
		return
	}
	now := float64(tokens) / float64(bytes)
	if old := load(&r.perByte); old > 0 {
		now = old + weight*(now-old)
	}
	store(&r.perByte, now) // a lost update costs nothing
}

// hopeless says whether texts of so many bytes that nobody has read yet must be
// refused at once. Without a backlog everything is tried.
func (c *classification) hopeless(bytes int) (messages.ModelFault, bool) {
	r := &c.h.pressure
	wait := time.Duration(r.wait.Load())
	if wait == 0 {
		return 0, false
	}
	stage := len(c.models) - 1 // who reads first
	m := c.models[stage]
	tokens := min(float64(bytes)*load(&r.perByte), float64(c.lim.MaxWindows*max(m.windowTokens(), batch.DefaultTokens)))
	if float64(r.queued.Load())+tokens*m.weight > float64(c.h.cfg.QueueTokens) {
		return messages.ModelQueueFull, true
	}
	deadline := c.lim.Deadline
	if have, ok := c.ctx.Deadline(); ok && (deadline.IsZero() || have.Before(deadline)) {
		deadline = have
	}
	if deadline.IsZero() {
		return 0, false
	}
	own := time.Duration(tokens * load(&r.perToken[stage]))
	if (wait + own).Seconds() > headroom*time.Until(deadline).Seconds() {
		return messages.ModelUnreachable, true
	}
	return 0, false
}
