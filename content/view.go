package content

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
	layer  int // decodings below the raw text

	// Position reached by the last origin call: calls come in rising order, which makes them linear together.
	in, out int
}

// stepFunc reads the unit of src at i: how many bytes it takes, and what it becomes. A unit may be a whole run
// of text that stays as it is, and then returns that text.
type stepFunc func(src string, i int) (n int, to string)

// origin returns the span of the raw text that the span start..end of the view was made from.
func (v *view) origin(start, end int) (int, int) {
	switch {
	case v.up == nil:
		return start, end
	case v.whole:
		return v.up.origin(v.lo, v.hi)
	}
	if start < v.out {
		v.in, v.out = 0, 0
	}
	src := v.up.text
	lo, hi := -1, len(src)
	for v.in < len(src) {
		n, to := v.step(src, v.in)
		same := to == src[v.in:v.in+n]
		if lo < 0 && v.out+len(to) > start {
			lo = v.in
			if same {
				lo += start - v.out
			}
		}
		if lo >= 0 && v.out+len(to) >= end {
			hi = v.in + n
			if same {
				hi = v.in + end - v.out
			}
			break
		}
		v.in += n
		v.out += len(to)
	}
	if lo < 0 {
		lo = len(src)
	}
	return v.up.origin(lo, hi)
}

// rewrite builds the text of a stepping view. It returns false when nothing changed.
func rewrite(src string, step stepFunc) (string, bool) {
	i := 0
	for i < len(src) {
		n, to := step(src, i)
		if to != src[i:i+n] {
			break
		}
		i += n
	}
	if i >= len(src) {
		return "", false
	}
	b := make([]byte, 0, len(src))
	b = append(b, src[:i]...)
	for i < len(src) {
		n, to := step(src, i)
		b = append(b, to...)
		i += n
	}
	return string(b), true
}
