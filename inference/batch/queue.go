package batch

import (
	"slices"
	"time"
)

// Queue holds windows in order of urgency; equals keep their order of arrival.
// The zero value is an empty queue. A window's Need must not change while it is
// queued: take it out first.
type Queue[W Window] struct {
	windows []W
	tokens  map[int]int
	total   int
}

// Push adds a window.
func (q *Queue[W]) Push(w W) {
	n := w.Need()
	// Deadlines mostly rise with arrival, so the place is mostly the end.
	at := len(q.windows)
	if at > 0 && q.windows[at-1].Need().Urgent.After(n.Urgent) {
		at = q.after(n.Urgent)
	}
	q.windows = slices.Insert(q.windows, at, w)
	q.count(n, 1)
}

// Remove takes a window out and reports whether it was there.
func (q *Queue[W]) Remove(w W) bool {
	n := w.Need()
	from, _ := slices.BinarySearchFunc(q.windows, n.Urgent, func(x W, t time.Time) int {
		return x.Need().Urgent.Compare(t)
	})
	for i := from; i < len(q.windows); i++ {
		if q.windows[i] == w {
			q.windows = slices.Delete(q.windows, i, i+1)
			q.count(n, -1)
			return true
		}
		if q.windows[i].Need().Urgent.After(n.Urgent) {
			break
		}
	}
	return false
}

// Next plans a batch and takes it, and what has expired, out of the queue.
func (q *Queue[W]) Next(now time.Time, limits []Limits) (batch, expired []W) {
	c := Plan(q.windows, now, limits)
	batch, expired = q.pick(c.Batch), q.pick(c.Expired)
	gone := slices.Concat(c.Expired, c.Batch)
	if len(gone) == 0 {
		return nil, nil
	}
	slices.Sort(gone)
	// What is taken is mostly near the front, so the few windows in between move
	// back to close the gaps, and the queue begins later.
	to, next := gone[len(gone)-1], len(gone)-1
	for from := to; from >= 0; from-- {
		if next >= 0 && gone[next] == from {
			q.count(q.windows[from].Need(), -1)
			next--
			continue
		}
		q.windows[to] = q.windows[from]
		to--
	}
	clear(q.windows[:to+1])
	q.windows = q.windows[to+1:]
	return batch, expired
}

func (q *Queue[W]) pick(at []int) []W {
	if len(at) == 0 {
		return nil
	}
	out := make([]W, len(at))
	for i, k := range at {
		out[i] = q.windows[k]
	}
	return out
}

// Ahead is how many tokens of a group are queued before a window of such an urgency
// would be, which is behind those of the same.
func (q *Queue[W]) Ahead(urgent time.Time, group int) int {
	at := len(q.windows)
	if at == 0 || !q.windows[at-1].Need().Urgent.After(urgent) {
		return q.tokens[group]
	}
	at = q.after(urgent)
	// The shorter side is counted.
	from, to := 0, at
	if at > len(q.windows)/2 {
		from, to = at, len(q.windows)
	}
	n := 0
	for _, w := range q.windows[from:to] {
		if need := w.Need(); need.Group == group {
			n += need.Tokens
		}
	}
	if from > 0 {
		n = q.tokens[group] - n
	}
	return n
}

// after is the place behind every window that is at least as urgent.
func (q *Queue[W]) after(urgent time.Time) int {
	at, _ := slices.BinarySearchFunc(q.windows, urgent, func(x W, t time.Time) int {
		if x.Need().Urgent.After(t) {
			return 1
		}
		return -1
	})
	return at
}

// Clear empties the queue and returns what was in it, most urgent first.
func (q *Queue[W]) Clear() []W {
	all := q.windows
	*q = Queue[W]{}
	return all
}

// Head is the most urgent window; false when there is none.
func (q *Queue[W]) Head() (w W, ok bool) {
	if len(q.windows) == 0 {
		return w, false
	}
	return q.windows[0], true
}

// Len is the number of windows.
func (q *Queue[W]) Len() int { return len(q.windows) }

// Tokens is the sum of the lengths of all windows.
func (q *Queue[W]) Tokens() int { return q.total }

// GroupTokens is the sum of the lengths of the windows of one group.
func (q *Queue[W]) GroupTokens(group int) int { return q.tokens[group] }

func (q *Queue[W]) count(n Need, sign int) {
	if q.tokens == nil {
		q.tokens = make(map[int]int, 2)
	}
	q.tokens[n.Group] += sign * n.Tokens
	q.total += sign * n.Tokens
}
