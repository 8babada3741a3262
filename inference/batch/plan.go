package batch

import (
	"slices"
	"time"
)

// The limits that hold where [Limits] names none.
const (
	DefaultWindows = 16
	DefaultTokens  = 256
	DefaultWaste   = 0.15
)

// scanned bounds the windows that are looked at for one batch: enough to find close
// lengths, little enough that planning stays far below the cost of the smallest forward
// pass, and that late windows do not overtake urgent ones of an odd length again and
// again.
const scanned = 512

// longer is how much worse a mate is that is longer than the most urgent window than
// one that is as much shorter: it lengthens every row of the batch, the shorter one
// only wastes its own.
const longer = 2

// spare is how many mates are kept to choose from, in multiples of a batch: not every
// near length fits beside the others.
const spare = 2

// Need is what the planner knows about one queued window.
type Need struct {
	// Tokens is the window's length in ids, special ones included; at least 1.
	Tokens int
	// Urgent is the earliest deadline of those who wait for the window. The queue
	// is ordered by it.
	Urgent time.Time
	// Latest is the latest deadline of those who wait; from then on nobody does.
	Latest time.Time
	// Group is the model that reads the window, an index into the limits. Windows
	// of different groups never share a batch.
	Group int
	// Alone keeps every other window out of its batch.
	Alone bool
}

// Window is anything that can be queued and planned.
type Window interface {
	comparable
	Need() Need
}

// Limits bound one batch. A zero field takes the default above.
type Limits struct {
	// Windows is the number of windows in a batch, at most. 1 makes every window
	// run alone and unpadded, which is what a model needs whose score depends on
	// its batch mates.
	Windows int
	// Tokens is windows times the longest window, at most. A single window longer
	// than this runs alone.
	Tokens int
	// Waste is the share of padding in a batch, which stays strictly below it; in
	// (0, 1).
	Waste float64
	// Step is by how many ids a window can become longer before it costs more: a
	// kernel that computes so many places at once computes the last ones whether they
	// are there or not. Windows of different steps never share a batch, for the
	// shorter would cost what the longer does. 0 and 1: every id costs.
	Step int
	// Base and PerToken are what a run takes at least: a window that cannot be ready by
	// its latest moment any more is taken for expired. Zero: it can be ready at once.
	Base, PerToken time.Duration
}

// Complete returns l with the defaults in place of zero fields.
func (l Limits) Complete() Limits {
	if l.Windows <= 0 {
		l.Windows = DefaultWindows
	}
	if l.Tokens <= 0 {
		l.Tokens = DefaultTokens
	}
	if l.Waste <= 0 || l.Waste >= 1 {
		l.Waste = DefaultWaste
	}
	if l.Step <= 0 {
		l.Step = 1
	}
	return l
}

// Strips is how many steps a window of so many ids takes.
func (l Limits) Strips(tokens int) int {
	if l.Step <= 1 {
		return tokens
	}
	return (tokens + l.Step - 1) / l.Step
}

// Choice is what a plan takes out of the queue. The two lists are disjoint and
// hold indexes into the queue that was given, in rising order.
type Choice struct {
	// Batch is what a worker runs together. Empty only when nothing is queued that
	// somebody still waits for.
	Batch []int
	// Expired are windows that nobody waits for any more.
	Expired []int
}

// Plan picks the next batch. The queue must be in order of urgency, as [Queue]
// keeps it; limits are per group, and a group without an entry has the defaults.
//
// The first window that somebody still waits for is always in the batch, so no
// window starves: its urgency is a fixed moment, and what arrives later is more
// urgent only if its deadline is nearer. The neighbours are those of the nearest
// length and of the same step, ties by urgency, as long as the limits hold. A window
// never waits for neighbours that are not there yet.
func Plan[W Window](queue []W, now time.Time, limits []Limits) Choice {
	entries := make([]entry[W], len(queue))
	for i, w := range queue {
		entries[i] = entryOf(w, now)
	}
	return new(planner[W]).plan(entries, 0, limits)
}

// entry is a queued window with what planning asks of it. A plan looks at hundreds:
// side by side they cost a fraction of what it takes to fetch each window's own memory.
type entry[W Window] struct {
	window W
	// urgent and latest are Need's moments, as distances from the queue's epoch.
	urgent, latest time.Duration
	tokens         int32
	group          int16
	alone          bool
}

// mostTokens is the longest window there is to an entry; a longer one is taken for it,
// which changes no plan.
const mostTokens = 1 << 30

func entryOf[W Window](w W, epoch time.Time) entry[W] {
	n := w.Need()
	return entry[W]{window: w, urgent: n.Urgent.Sub(epoch), latest: n.Latest.Sub(epoch),
		tokens: int32(min(n.Tokens, mostTokens)), group: int16(n.Group), alone: n.Alone}
}

// late reports whether nobody would wait any more for a window of this model that is
// begun now.
func late[W Window](l *Limits, e *entry[W], now time.Duration) bool {
	return e.latest <= now+l.Base+time.Duration(e.tokens)*l.PerToken
}

// planner is the memory of one plan after the other.
type planner[W Window] struct {
	choice Choice
	found  []mate
	sorted []mate
	counts []int
}

// plan is [Plan] on entries. The choice is valid until the next one.
func (p *planner[W]) plan(queue []entry[W], now time.Duration, limits []Limits) Choice {
	c := Choice{Batch: p.choice.Batch[:0], Expired: p.choice.Expired[:0]}
	defer func() { p.choice = c }()
	head, lim := -1, Limits{}
	for i := range queue {
		lim = Limits{}
		if g := int(queue[i].group); g >= 0 && g < len(limits) {
			lim = limits[g]
		}
		// Latest is never before Urgent, so what has expired gathers at the front; one
		// that hides behind a live window goes with a later plan.
		if !late(&lim, &queue[i], now) {
			head = i
			break
		}
		c.Expired = append(c.Expired, i)
	}
	if head < 0 {
		return c
	}
	lim = lim.Complete()

	c.Batch = append(c.Batch, head)
	longest := int(queue[head].tokens)
	if queue[head].alone || lim.Windows == 1 || 2*longest > lim.Tokens {
		return c
	}
	sum := longest
	for _, m := range p.mates(queue, head, now, lim) {
		n, l := len(c.Batch)+1, max(longest, m.tokens)
		if n > lim.Windows {
			break
		}
		if n*l > lim.Tokens || waste(sum+m.tokens, n*l) >= lim.Waste {
			continue
		}
		c.Batch = append(c.Batch, m.index)
		sum, longest = sum+m.tokens, l
	}
	slices.Sort(c.Batch)
	return c
}

type mate struct{ index, tokens, distance int }

// mates are the windows that could share a batch with the head alone, nearest
// length first. It stops looking once enough of them have exactly the length of
// the head.
func (p *planner[W]) mates(queue []entry[W], head int, now time.Duration, lim Limits) []mate {
	tokens, group := int(queue[head].tokens), queue[head].group
	// What fits beside the head lies between two lengths: found once, they spare
	// everything else but a comparison.
	shortest, longest := p.near(tokens, lim)
	found, farthest, same := p.found[:0], 0, 1
	end := min(len(queue), head+1+scanned)
	for i := head + 1; i < end; i++ {
		e := &queue[i]
		n := int(e.tokens)
		if n < shortest || n > longest || e.alone || e.group != group || late(&lim, e, now) {
			continue
		}
		m := mate{index: i, tokens: n, distance: max(longer*(n-tokens), tokens-n)}
		found, farthest = append(found, m), max(farthest, m.distance)
		if m.distance == 0 {
			if same++; same == lim.Windows || (same+1)*tokens > lim.Tokens {
				break
			}
		}
	}
	p.found = found
	found = p.nearest(found, farthest)
	return found[:min(len(found), spare*lim.Windows)]
}

// near are the lengths that could share a batch with a window of so many tokens.
func (p *planner[W]) near(tokens int, lim Limits) (shortest, longest int) {
	fits := func(n int) bool {
		l := max(tokens, n)
		return 2*l <= lim.Tokens && waste(tokens+n, 2*l) < lim.Waste && (lim.Step <= 1 || lim.Strips(n) == lim.Strips(tokens))
	}
	shortest, longest = tokens, tokens
	for shortest > 1 && fits(shortest-1) {
		shortest--
	}
	for fits(longest + 1) {
		longest++
	}
	return shortest, longest
}

// nearest sorts mates by distance, equals in their order: by counting, for the
// distances are few.
func (p *planner[W]) nearest(found []mate, farthest int) []mate {
	if farthest == 0 {
		return found
	}
	p.counts = append(p.counts[:0], make([]int, farthest+2)...)
	for _, m := range found {
		p.counts[m.distance+1]++
	}
	for d := range farthest {
		p.counts[d+1] += p.counts[d]
	}
	p.sorted = append(p.sorted[:0], found...)
	for _, m := range found {
		p.sorted[p.counts[m.distance]] = m
		p.counts[m.distance]++
	}
	return p.sorted
}

// waste is the padded share of a batch.
func waste(tokens, padded int) float64 {
	return float64(padded-tokens) / float64(padded)
}
