package content

import (
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The marks of UTF-16 of both orders.
var highFirst, lowFirst = []byte{0xfe, 0xff}, []byte{0xff, 0xfe}

// wideText reports whether bytes are UTF-16 that begins with its mark.
func wideText(b []byte) bool {
	return len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
}

// narrowed returns UTF-16 behind its mark as UTF-8. It is a text when each unit is printed, or part of a pair; the last
// may be cut.
func narrowed(b []byte) ([]byte, bool) {
	high := boolInt(b[0] == 0xff) // where the high byte of each pair stands
	out := make([]byte, 0, len(b))
	for i := 2; i+1 < len(b); i += 2 {
		r := rune(b[i+high])<<8 | rune(b[i+1-high])
		if utf16.IsSurrogate(r) {
			if i+3 >= len(b) {
				break
			}
			i += 2
			if r = utf16.DecodeRune(r, rune(b[i+high])<<8|rune(b[i+1-high])); r == utf8.RuneError {
				return nil, false
			}
		}
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0xfffe && r <= 0xffff {
			return nil, false
		}
		out = utf8.AppendRune(out, r)
	}
	return out, len(out) > 0
}

// Bounds of what tells UTF-16 without its mark: how many bytes are looked at, and how many characters they are at least.
const (
	markedReach = 1 << 10
	minMarked   = 16
)

// missingMark returns the mark of UTF-16 that lacks it, nil where bytes are none: control characters stand in them as bytes, but
// 19 of 20 characters are letters and the marks of sentences. The high bytes of a text are fewer than the low ones.
func missingMark(b []byte) []byte {
	b = b[:min(len(b), markedReach)&^1]
	if len(b) < 2*minMarked || !slices.ContainsFunc(b, func(c byte) bool { return controlByte[c] != 0 }) {
		return nil
	}
	var seen [2][256]bool
	var count [2]int
	for i, c := range b {
		if !seen[i&1][c] {
			seen[i&1][c] = true
			count[i&1]++
		}
	}
	mark := lowFirst
	if count[0] < count[1] {
		mark = highFirst
	}
	text, ok := narrowed(slices.Concat(mark, b))
	if !ok {
		return nil
	}
	all, read := 0, 0
	for _, r := range string(text) {
		all++
		read += boolInt(unicode.IsLetter(r) || unicode.IsPunct(r) || unicode.IsDigit(r) || unicode.IsSpace(r))
	}
	if read*20 < all*19 {
		return nil
	}
	return mark
}
