package content

import "strings"

// view is one reading of a string.
type view struct {
	text  string
	label string
	up    *view // the reading it was made from, nil for the raw text
	// whole is true when the text was decoded from the span lo..hi of up, so that no part of it can be told
	// apart there; otherwise trail leads back to the text of up.
	whole  bool
	lo, hi int
	trail  *trail
	layer  int // decodings below the raw text
	// abridged is true when something was left out, here or in what it was made from.
	abridged bool
	undone   uint64 // the ciphers that were undone on the way, a bit for each

	known *known // nil where it is short, or made of keywords

	place   Range // of all of the view in the raw text, once it was asked for
	located bool
}

// stepFunc reads the unit of src at i: how many bytes it takes, and what it becomes. A unit may be a whole run
// of text that stays as it is, and then returns that text.
type stepFunc func(src string, i int) (n int, to string)

// upTo is the unit of a step that takes what stands from byte i up to the next mark behind it.
func upTo(src string, i int, mark byte) (int, string) {
	n := strings.IndexByte(src[i+1:], mark) + 1
	if n == 0 {
		n = len(src) - i
	}
	return n, src[i : i+n]
}

// origin returns the span of the raw text that the span start..end of the view was made from.
func (v *view) origin(start, end int) (int, int) {
	switch {
	case v.up == nil:
		return start, end
	case v.whole || start == 0 && end == len(v.text):
		// All of it stands for one span, which is asked for again and again.
		if !v.located {
			v.located = true
			if v.whole {
				v.place.Start, v.place.End = v.up.origin(v.lo, v.hi)
			} else {
				v.place.Start, v.place.End = v.retrace(start, end)
			}
		}
		return v.place.Start, v.place.End
	}
	return v.retrace(start, end)
}

// retrace is origin for a part of a view that a step made.
func (v *view) retrace(start, end int) (int, int) {
	lo, hi := v.trail.origin(start, end)
	return v.up.origin(lo, hi)
}

// root returns the view that v was made from by steps alone: the raw text, or what was decoded from one span.
func (v *view) root() *view {
	for !v.whole && v.up != nil {
		v = v.up
	}
	return v
}

// rewrite returns the text that steps make of src. changed is false when it is src itself.
func rewrite(src string, step stepFunc) (text string, changed bool) {
	var b strings.Builder
	b.Grow(len(src))
	for i := 0; i < len(src); {
		n, to := step(src, i)
		b.WriteString(to)
		i += n
	}
	if b.String() == src {
		return "", false
	}
	return b.String(), true
}

// room is where values live that are found by their place. They keep it while others are added.
type room[T any] struct {
	chunks [][]T
	used   int
	most   int // that were used at once
}

// chunk is how many values of a room are allocated together: some texts are made of encodings.
const chunk = 16

// add keeps a value and returns its place.
func (r *room[T]) add(v T) *T {
	n := r.used / chunk
	if n == len(r.chunks) {
		r.chunks = append(r.chunks, make([]T, chunk))
	}
	kept := &r.chunks[n][r.used%chunk]
	*kept = v
	r.used++
	r.most = max(r.most, r.used)
	return kept
}

// clear forgets the values and keeps the room.
func (r *room[T]) clear() {
	for i := 0; i*chunk < r.most; i++ {
		clear(r.chunks[i])
	}
	r.used, r.most = 0, 0
}
