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

	keywords []foundAt // in it, where they were heard
	heard    bool

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
	var r trailRoom
	if !r.rewrite(src, step) {
		return "", false
	}
	return string(r.text), true
}

// viewRoom is where the views of a string live. They keep their place while others are added.
type viewRoom struct {
	rooms [][]view
	used  int
	most  int // that were used of any string
}

// viewsAtOnce is how many views are allocated together: some texts are made of encodings.
const viewsAtOnce = 16

// add keeps a view and returns its place.
func (r *viewRoom) add(v view) *view {
	n := r.used / viewsAtOnce
	if n == len(r.rooms) {
		r.rooms = append(r.rooms, make([]view, viewsAtOnce))
	}
	kept := &r.rooms[n][r.used%viewsAtOnce]
	*kept = v
	r.used++
	r.most = max(r.most, r.used)
	return kept
}

// clear forgets the views and keeps the room.
func (r *viewRoom) clear() {
	for i := 0; i*viewsAtOnce < r.most; i++ {
		clear(r.rooms[i])
	}
	r.used, r.most = 0, 0
}
