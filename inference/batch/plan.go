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
const scanned = 256

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

// late reports whether nobody would wait any more for a window of this model that is
// begun now.
func (l Limits) late(n Need, now time.Time) bool {
	if l.Base > 0 || l.PerToken > 0 {
		now = now.Add(l.Base + time.Duration(n.Tokens)*l.PerToken)
	}
	return !n.Latest.After(now)
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
// length and of the same step, ties by urgency, as long as the limits hold. A window never waits for
// neighbours that are not there yet.
func Plan[W Window](queue []W, now time.Time, limits []Limits) Choice {
	var c Choice
	head, need, lim := -1, Need{}, Limits{}
	for i, w := range queue {
		n := w.Need()
		lim = Limits{}
		if n.Group >= 0 && n.Group < len(limits) {
			lim = limits[n.Group]
		}
		// Latest is never before Urgent, so what has expired gathers at the front; one
		// that hides behind a live window goes with a later plan.
		if !lim.late(n, now) {
			head, need = i, n
			break
		}
		c.Expired = append(c.Expired, i)
	}
	if head < 0 {
		return c
	}
	lim = lim.Complete()

	c.Batch = append(c.Batch, head)
	if need.Alone || lim.Windows == 1 || 2*need.Tokens > lim.Tokens {
		return c
	}
	sum, longest := need.Tokens, need.Tokens
	for _, m := range mates(queue, head, need, now, lim) {
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
func mates[W Window](queue []W, head int, need Need, now time.Time, lim Limits) []mate {
	end := min(len(queue), head+1+scanned)
	most := spare * lim.Windows
	found := make([]mate, 0, min(end-head, most+1))
	same, strips := 1, lim.Strips(need.Tokens)
	for i := head + 1; i < end; i++ {
		n := queue[i].Need()
		if n.Alone || n.Group != need.Group || lim.late(n, now) || lim.Step > 1 && lim.Strips(n.Tokens) != strips {
			continue
		}
		l := max(need.Tokens, n.Tokens)
		if 2*l > lim.Tokens || waste(need.Tokens+n.Tokens, 2*l) >= lim.Waste {
			continue
		}
		m := mate{index: i, tokens: n.Tokens, distance: max(longer*(n.Tokens-need.Tokens), need.Tokens-n.Tokens)}
		if len(found) < most || m.distance < found[len(found)-1].distance {
			found = nearest(found, m, most)
		}
		if m.distance == 0 {
			if same++; same == lim.Windows || (same+1)*need.Tokens > lim.Tokens {
				break
			}
		}
	}
	return found
}

// nearest puts m into its place among the nearest so far, behind equals, and keeps
// most of them.
func nearest(found []mate, m mate, most int) []mate {
	at := len(found)
	for at > 0 && found[at-1].distance > m.distance {
		at--
	}
	found = slices.Insert(found, at, m)
	return found[:min(len(found), most)]
}

// waste is the padded share of a batch.
func waste(tokens, padded int) float64 {
	return float64(padded-tokens) / float64(padded)
}
