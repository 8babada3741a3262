package content

import (
	"math/bits"
	"unicode/utf8"
)

// minSpaced is how many letters must stand apart for the text to be spelled out: fewer are initials and lists.
const minSpaced = 6

// minDistinct is how many different letters spell something.
const minDistinct = 4

// spelled reports whether a word is letters with the same hyphen or underscore between all of them.
func spelled(w string) bool {
	if c := w[1]; c != '-' && c != '_' || w[3] != c {
		return false
	}
	n := 0
	for i := 0; i+1 < len(w) && isLetter(w[i]) && w[i+1] == w[1]; i += 2 {
		n++
	}
	return n >= minSpaced-1
}

// collapse queues the view in which letters that are set apart are joined: "i g n o r e   a l l" becomes
// "ignore all". A longer gap is the gap between words.
func (sc *scan) collapse(v *view) {
	sc.stepView(v, ViewCollapsed, 0, collapseStep)
}

// collapseStep joins one stretch of single letters, or takes the text up to where one may start.
func collapseStep(src string, i int) (int, string) {
	if n, to := spelledOut(src, i); n > 0 {
		return n, to
	}
	// On to the next character that follows a separator.
	n := 1
	for i+n < len(src) {
		if separator(src[i+n-1]) && !separator(src[i+n]) {
			break
		}
		n++
	}
	return n, src[i : i+n]
}

func separator(c byte) bool {
	return byteClass[c]&(classLetter|classDigit|classHigh) == 0
}

// maxSpelled bounds a stretch of single letters, in bytes; a longer one continues with the next.
const maxSpelled = 4096

// spelledOut reads single letters with equal short gaps from byte i.
func spelledOut(src string, i int) (int, string) {
	if i > 0 && !separator(src[i-1]) || !isLetter(src[i]) {
		return 0, ""
	}
	b := make([]byte, 0, 64)
	letters, end := 0, i
	distinct := uint32(0)
	gap := ""
	for j := i; j < len(src) && j-i < maxSpelled; {
		if byteClass[src[j]]&(classLetter|classDigit) == 0 || j+1 < len(src) && !separator(src[j+1]) {
			break
		}
		b = append(b, src[j])
		letters++
		distinct |= 1 << (src[j] & 31)
		end = j + 1
		if len(gap) == 1 && end+1 < len(src) && src[end] == gap[0] && !separator(src[end+1]) {
			// By far the most frequent: one more letter after the same gap.
			j = end + 1
			continue
		}
		k := end
		for k < len(src) && separator(src[k]) && k-end < 5 {
			k++
		}
		if k == end || k >= len(src) || !utf8.RuneStart(src[k]) {
			break
		}
		switch g := src[end:k]; {
		case gap == "":
			gap = g
		case len(g) > len(gap), len(g) == len(gap) && g != gap:
			b = append(b, ' ')
		case len(g) < len(gap):
			return finishSpelled(src[i:], letters, distinct, end-i, b)
		}
		j = k
	}
	return finishSpelled(src[i:], letters, distinct, end-i, b)
}

// finishSpelled ends a stretch, which began at the start of src. One of hardly any different letters spells
// nothing and stays as it is, in one piece, so that it is not read again from every letter.
func finishSpelled(src string, letters int, distinct uint32, n int, b []byte) (int, string) {
	if letters < minSpaced {
		return 0, ""
	}
	if bits.OnesCount32(distinct) < minDistinct {
		return n, src[:n]
	}
	if b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return n, string(b)
}
