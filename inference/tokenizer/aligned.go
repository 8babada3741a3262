package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// aligned is text on its way through the pipeline. Byte i of text stands for
// the bytes [from[i], to[i]) of the original; both never decrease along the
// text, and all bytes of one rune share their span.
type aligned struct {
	text     []byte
	from, to []int32
	// ascii is true only while every byte of text is below 0x80. It lets
	// the steps that cannot change ASCII return at once.
	ascii bool
	// form is where the normalisation forms put one segment.
	form []byte
}

// load makes a the text s itself. Bytes that are not UTF-8 become U+FFFD,
// which stands for the one byte it replaces.
func (a *aligned) load(s string) {
	a.reset(len(s))
	a.ascii = true
	for i := 0; i < len(s); {
		if n := asciiPrefix(s[i:]); n > 0 {
			a.pushOwn(s[i:i+n], int32(i))
			i += n
			continue
		}
		a.ascii = false
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			a.pushString("\uFFFD", int32(i), int32(i+1))
		} else {
			a.pushString(s[i:i+size], int32(i), int32(i+size))
		}
		i += size
	}
}

// asciiPrefix is the number of bytes below 0x80 that s begins with.
func asciiPrefix(s string) int {
	n := 0
	for n < len(s) && s[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// pushOwn appends s, each byte of which stands for itself, the first for byte at.
func (a *aligned) pushOwn(s string, at int32) {
	n := len(a.text)
	a.text = append(a.text, s...)
	a.from = slices.Grow(a.from, len(s))[:n+len(s)]
	a.to = slices.Grow(a.to, len(s))[:n+len(s)]
	from, to := a.from[n:], a.to[n:]
	for i := range from {
		from[i] = at + int32(i)
	}
	for i := range to {
		to[i] = at + int32(i) + 1
	}
}

func (a *aligned) reset(capacity int) {
	if cap(a.text) < capacity {
		capacity += capacity / 4
		a.text = make([]byte, 0, capacity)
		a.from = make([]int32, 0, capacity)
		a.to = make([]int32, 0, capacity)
	}
	a.truncate(0)
}

func (a *aligned) truncate(n int) {
	a.text, a.from, a.to = a.text[:n], a.from[:n], a.to[:n]
}

func (a *aligned) push(c byte, from, to int32) {
	a.text = append(a.text, c)
	a.from = append(a.from, from)
	a.to = append(a.to, to)
}

func (a *aligned) pushString(s string, from, to int32) {
	a.text = append(a.text, s...)
	for range len(s) {
		a.from = append(a.from, from)
		a.to = append(a.to, to)
	}
}

func (a *aligned) pushRune(r rune, from, to int32) {
	n := len(a.text)
	a.text = utf8.AppendRune(a.text, r)
	for range len(a.text) - n {
		a.from = append(a.from, from)
		a.to = append(a.to, to)
	}
}

// pushSpan copies bytes [lo, hi) of src with their spans.
func (a *aligned) pushSpan(src *aligned, lo, hi int) {
	a.text = append(a.text, src.text[lo:hi]...)
	a.from = append(a.from, src.from[lo:hi]...)
	a.to = append(a.to, src.to[lo:hi]...)
}

// keep reduces a to its bytes [lo, hi), in place.
func (a *aligned) keep(lo, hi int) {
	if lo > 0 {
		copy(a.text, a.text[lo:hi])
		copy(a.from, a.from[lo:hi])
		copy(a.to, a.to[lo:hi])
	}
	a.truncate(hi - lo)
}

// set moves byte src to place dst, for steps that compact in place.
func (a *aligned) set(dst, src int) {
	a.text[dst], a.from[dst], a.to[dst] = a.text[src], a.from[src], a.to[src]
}
