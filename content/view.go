package content

import "slices"

// view is one reading of a string.
type view struct {
	text  string
	label string
	up    *view // the reading it was made from, nil for the raw text
	// whole is true when the text was decoded from the span lo..hi of up, so that no part of it can be told
	// apart there; otherwise step retraces the text of up.
	whole  bool
	lo, hi int
	step   stepFunc
	layer  int    // decodings below the raw text
	undone uint64 // the ciphers that were undone on the way, a bit for each

	place   Range // of all of the view in the raw text, once it was asked for
	located bool

	// The unit that the last origin call began in: calls come in rising order, which makes them linear together. ways are
	// units on the way, in order, for calls that are far apart.
	at   unit
	ways []waypoint
}

// waypoint is where a unit begins in the text that a view was made from, and in the view.
type waypoint struct{ in, out uint32 }

// wayLength is how far apart waypoints are in a view, in bytes, at least.
const wayLength = 128

// unit is one step of a view: n bytes of src at in became to, at out.
type unit struct {
	in, out, n int
	to         string
	same       bool
}

// stepFunc reads the unit of src at i: how many bytes it takes, and what it becomes. A unit may be a whole run
// of text that stays as it is, and then returns that text.
type stepFunc func(src string, i int) (n int, to string)

// unitAt reads the unit at byte in of the text that v was made from.
func (v *view) unitAt(in, out int) unit {
	u := unit{in: in, out: out}
	if src := v.up.text; in < len(src) {
		u.n, u.to = v.step(src, in)
		u.same = u.to == src[in:in+u.n]
	}
	return u
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
	u := v.at
	if u.n == 0 || start < u.out {
		u = v.unitAt(0, 0)
	}
	if start-u.out > 2*wayLength {
		u = v.nearer(u, start)
	}
	for u.n > 0 && u.out+len(u.to) <= start {
		u = v.unitAt(u.in+u.n, u.out+len(u.to))
	}
	v.at = u
	lo := u.in
	if u.same {
		lo += start - u.out
	}
	if end-u.out > 2*wayLength {
		u = v.nearer(u, end-1)
	}
	for u.n > 0 && u.out+len(u.to) < end {
		u = v.unitAt(u.in+u.n, u.out+len(u.to))
	}
	hi := u.in + u.n
	if u.same && u.n > 0 {
		hi = u.in + end - u.out
	}
	return v.up.origin(lo, hi)
}

// nearer returns the last unit on the way from u to byte at of the view, u itself when there is none.
func (v *view) nearer(u unit, at int) unit {
	n, found := slices.BinarySearchFunc(v.ways, at, func(w waypoint, at int) int { return int(w.out) - at })
	if !found {
		n--
	}
	if n < 0 || int(v.ways[n].out) <= u.out {
		return u
	}
	return v.unitAt(int(v.ways[n].in), int(v.ways[n].out))
}

// rewrite returns the text of a stepping view. changed is false when it is src itself.
func rewrite(src string, step stepFunc) (text string, changed bool) {
	b, _, changed := appendRewritten(nil, nil, src, step)
	if !changed {
		return "", false
	}
	return string(b), true
}

// appendRewritten appends the text of a stepping view to b, and its waypoints to ways, unless nothing changes.
func appendRewritten(b []byte, ways []waypoint, src string, step stepFunc) (text []byte, on []waypoint, changed bool) {
	i := 0
	for i < len(src) {
		n, to := step(src, i)
		if to != src[i:i+n] {
			break
		}
		i += n
	}
	if i >= len(src) {
		return b, ways, false
	}
	b = append(slices.Grow(b, len(src)), src[:i]...)
	next := i
	for i < len(src) {
		if len(b) >= next {
			ways = append(ways, waypoint{uint32(i), uint32(len(b))})
			next = len(b) + wayLength
		}
		n, to := step(src, i)
		b = append(b, to...)
		i += n
	}
	return b, ways, true
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
