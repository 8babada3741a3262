package batch

import (
	"cmp"
	"slices"
	"time"
)

// Queue holds windows in order of urgency; equals keep their order of arrival.
// The zero value is an empty queue. A window's Need must not change while it is
// queued: take it out first.
type Queue[W Window] struct {
	// all holds the queue from head on; what is before it is free.
	all  []entry[W]
	head int
	// epoch is what the moments of the entries are measured from: the urgency of the
	// first window ever.
	epoch   time.Time
	tokens  []int // by group
	total   int
	planner planner[W]
}

func (q *Queue[W]) queued() []entry[W] { return q.all[q.head:] }

// Push adds a window.
func (q *Queue[W]) Push(w W) {
	if q.epoch.IsZero() {
		q.epoch = w.Need().Urgent
	}
	e := entryOf(w, q.epoch)
	if len(q.all) == cap(q.all) && 2*q.head > len(q.all) {
		n := copy(q.all, q.queued())
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	// Deadlines mostly rise with arrival, so the place is mostly the end.
	at := len(q.all)
	if at > q.head && q.all[at-1].urgent > e.urgent {
		at = q.head + q.after(e.urgent)
	}
	q.all = slices.Insert(q.all, at, e)
	q.count(&e, 1)
}

// Remove takes a window out and reports whether it was there.
func (q *Queue[W]) Remove(w W) bool {
	urgent := w.Need().Urgent.Sub(q.epoch)
	from, _ := slices.BinarySearchFunc(q.queued(), urgent, func(e entry[W], t time.Duration) int { return cmp.Compare(e.urgent, t) })
	for i := q.head + from; i < len(q.all) && q.all[i].urgent == urgent; i++ {
		if e := q.all[i]; e.window == w {
			q.all = slices.Delete(q.all, i, i+1)
			q.count(&e, -1)
			return true
		}
	}
	return false
}

// Next plans a batch and takes it, and what has expired, out of the queue.
func (q *Queue[W]) Next(now time.Time, limits []Limits) (batch, expired []W) {
	queued := q.queued()
	c := q.planner.plan(queued, now.Sub(q.epoch), limits)
	batch, expired = pick(queued, c.Batch), pick(queued, c.Expired)
	// What has expired stands before the batch. What is taken is mostly near the front,
	// so the few windows in between move back to close the gaps, and the queue begins
	// later.
	q.take(c.Batch)
	q.take(c.Expired)
	return batch, expired
}

// take removes the entries at the places given, which rise.
func (q *Queue[W]) take(gone []int) {
	if len(gone) == 0 {
		return
	}
	queued := q.queued()
	to, next := gone[len(gone)-1], len(gone)-1
	for from := to; from >= 0; from-- {
		if next >= 0 && gone[next] == from {
			q.count(&queued[from], -1)
			next--
			continue
		}
		queued[to] = queued[from]
		to--
	}
	clear(queued[:to+1])
	q.head += to + 1
}

func pick[W Window](queued []entry[W], at []int) []W {
	if len(at) == 0 {
		return nil
	}
	out := make([]W, len(at))
	for i, k := range at {
		out[i] = queued[k].window
	}
	return out
}

// Ahead is how many tokens of a group are queued before a window of such an urgency
// would be, which is behind those of the same.
func (q *Queue[W]) Ahead(urgent time.Time, group int) int {
	queued, moment := q.queued(), urgent.Sub(q.epoch)
	at := len(queued)
	if at == 0 || queued[at-1].urgent <= moment {
		return q.GroupTokens(group)
	}
	at = q.after(moment)
	// The shorter side is counted.
	from, to := 0, at
	if at > len(queued)/2 {
		from, to = at, len(queued)
	}
	n := 0
	for i := from; i < to; i++ {
		if e := &queued[i]; int(e.group) == group {
			n += int(e.tokens)
		}
	}
	if from > 0 {
		n = q.GroupTokens(group) - n
	}
	return n
}

// after is the place behind every window that is at least as urgent.
func (q *Queue[W]) after(urgent time.Duration) int {
	at, _ := slices.BinarySearchFunc(q.queued(), urgent, func(e entry[W], t time.Duration) int {
		if e.urgent > t {
			return 1
		}
		return -1
	})
	return at
}

// Clear empties the queue and returns what was in it, most urgent first.
func (q *Queue[W]) Clear() []W {
	all := make([]W, q.Len())
	for i, e := range q.queued() {
		all[i] = e.window
	}
	*q = Queue[W]{}
	return all
}

// Head is the most urgent window; false when there is none.
func (q *Queue[W]) Head() (w W, ok bool) {
	if q.Len() == 0 {
		return w, false
	}
	return q.all[q.head].window, true
}

// Len is the number of windows.
func (q *Queue[W]) Len() int { return len(q.all) - q.head }

// Tokens is the sum of the lengths of all windows.
func (q *Queue[W]) Tokens() int { return q.total }

// GroupTokens is the sum of the lengths of the windows of one group.
func (q *Queue[W]) GroupTokens(group int) int {
	if group >= len(q.tokens) {
		return 0
	}
	return q.tokens[group]
}

func (q *Queue[W]) count(e *entry[W], sign int) {
	for int(e.group) >= len(q.tokens) {
		q.tokens = append(q.tokens, 0)
	}
	q.tokens[e.group] += sign * int(e.tokens)
	q.total += sign * int(e.tokens)
}
