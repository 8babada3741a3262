package actors

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

// pressure is what the pool publishes of its backlog, so that a caller who would be
// refused anyway is refused before it has cost anything: no tokenizing, no message.
// Above capacity that is what keeps the cores for those who were let in. What is
// published may be a moment old; the pool decides again about those that pass.
type pressure struct {
	// wait is how long a text that comes now waits for what is queued for the model
	// that reads first, in nanoseconds; 0 while nothing is queued at all.
	wait atomic.Int64
	// entering is what those add who were let in and are being tokenized, in
	// nanoseconds: a crowd must not pass while the first of it is on the way.
	entering atomic.Int64
	// offered sums up what texts cost that came, whatever became of them, as the time
	// that all workers need, in nanoseconds.
	offered atomic.Int64
	// refused is set when a text was refused for what others have queued.
	refused atomic.Bool
	// limit, when positive, is the wait from which on nobody else is let in, in
	// nanoseconds; see standing.
	limit atomic.Int64
	// queued is all that is queued, in tokens of the judge.
	queued atomic.Int64
	// perToken is what a token costs with all workers at it, by stage, in nanoseconds;
	// perByte how many tokens a byte of text makes. Bits of a float64.
	perToken [2]atomic.Uint64
	perByte  atomic.Uint64
}

// standing finds out whether a backlog is more than a burst: texts are refused for the
// sake of it, and for a while more has come than can be computed. Then a longer queue
// gets no more done, and everybody only waits longer for the same. From then on it is
// held so short that the workers just do not run out of work, until less comes. A
// backlog that is merely long, of callers who wait for their answers before they send
// more, is left alone: it refuses nobody.
type standing struct {
	is, refused bool
	since       time.Time
}

const (
	// burst is the time over which what comes is compared with what can be computed.
	burst = 500 * time.Millisecond
	// linger is the wait that is short in any case, by default.
	linger = 25 * time.Millisecond
)

// note takes in whether a text was refused for what others have queued, and where the
// work that came is summed up. It returns the wait to hold: short, or 0 for none.
func (s *standing) note(now time.Time, refused bool, offered *atomic.Int64, short time.Duration) time.Duration {
	s.refused = s.refused || refused
	if past := now.Sub(s.since); past >= burst {
		more := time.Duration(offered.Swap(0)) > past
		s.is = more && (s.is || s.refused)
		s.since, s.refused = now, false
	}
	if !s.is {
		return 0
	}
	return short
}

func load(f *atomic.Uint64) float64     { return math.Float64frombits(f.Load()) }
func store(f *atomic.Uint64, v float64) { f.Store(math.Float64bits(v)) }

// pressed publishes the backlog. Of a gate and a judge it is the gate's that a new text
// waits for: what waits for the judge mostly comes later, and the pool counts what comes
// before.
func (p *poolActor) pressed() {
	out := &p.h.pressure
	workers := max(int(p.h.up.Load()), 1)
	weighed, first := 0.0, len(p.costs)-1
	for stage := range p.costs {
		weighed += p.models[stage].weight * float64(p.queue.GroupTokens(stage))
		if rate := p.costs[stage].Rate(); rate > 0 && stage < len(out.perToken) {
			store(&out.perToken[stage], 1e9/rate/float64(workers))
		}
	}
	if first >= 0 {
		// A full batch is what a worker takes next; two keep it busy.
		full := p.costs[first].Run(p.limits[first].Tokens)
		out.limit.Store(int64(p.standing.note(time.Now(), out.refused.Swap(false), &out.offered, max(p.h.cfg.Linger, 2*full))))
	}
	out.queued.Store(int64(weighed))
	var wait time.Duration
	if p.queue.Len() > 0 {
		wait = p.costs[first].Drain(p.queue.GroupTokens(first), workers)
	}
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
	stage := len(c.models) - 1 // who reads first
	m := c.models[stage]
	tokens := min(float64(bytes)*load(&r.perByte), float64(c.lim.MaxWindows*max(m.windowTokens(), fullWindow)))
	own := time.Duration(tokens * load(&r.perToken[stage]))
	r.offered.Add(int64(own))
	wait := time.Duration(r.wait.Load())
	if wait == 0 {
		return 0, false
	}
	wait += time.Duration(max(r.entering.Load(), 0))
	patience, bounded := c.patience()
	var fault messages.ModelFault
	switch limit := time.Duration(r.limit.Load()); {
	case limit > 0 && wait > limit,
		float64(r.queued.Load())+tokens*m.weight > float64(c.h.cfg.QueueTokens):
		fault = messages.ModelQueueFull
	case bounded && (wait+own).Seconds() > headroom*patience.Seconds():
		fault = messages.ModelUnreachable
	default:
		c.entering = own
		r.entering.Add(int64(own))
		return 0, false
	}
	if wait > own {
		r.refused.Store(true)
	}
	return fault, true
}

// patience is how long the caller waits from now on; false when it does not say.
func (c *classification) patience() (time.Duration, bool) {
	deadline := c.lim.Deadline
	if have, ok := c.ctx.Deadline(); ok && (deadline.IsZero() || have.Before(deadline)) {
		deadline = have
	}
	return time.Until(deadline), !deadline.IsZero()
}

// entered takes the call off those that are on their way to the queue.
func (c *classification) entered() {
	if c.entering > 0 {
		c.h.pressure.entering.Add(-int64(c.entering))
		c.entering = 0
	}
}
