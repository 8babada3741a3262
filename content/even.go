package content

import "strings"

// An encoding may be set in pieces of one length: hexadecimal digits in pairs, base64 in columns or short lines. What
// stands between the pieces is left out before it is decoded.
const (
	minEven    = 3           // pieces
	minPieces  = 24          // bytes of them together
	maxEvenGap = 3           // bytes between two
	maxPiece   = minWrap - 1 // bytes of one: longer lines are read as wrapped base64
	minPair    = 2
)

// evenWords are words of one length in a row.
type evenWords struct{ start, end, size, count int }

// evenEnds ends a row of words of one length, and keeps it when it may be an encoding.
func (sc *scan) evenEnds(w *evenWords) {
	if w.count < minEven || w.size < minPair || w.size > maxPiece || w.count*w.size < minPieces {
		return
	}
	sc.even = append(sc.even, *w)
}

// evenViews reads the rows of even words of v as what they spell together. The last piece may be shorter than the others.
func (sc *scan) evenViews(v *view) {
	for _, w := range sc.even {
		end := w.end
		for next := end; next < len(v.text) && next-end <= maxEvenGap; next++ {
			if byteClass[v.text[next]]&classWord != 0 {
				if last := extent(v.text, next, w.size, setAllB64); last-next < w.size {
					end = last
				}
				break
			}
		}
		if end-w.start > sc.budget {
			sc.incomplete(v, w.start, end)
			return
		}
		prefix := ""
		switch first := v.text[w.start : w.start+w.size]; {
		case w.size == 4 && strings.HasPrefix(first, "0x"):
			prefix = "0x"
		case w.size == 6 && strings.HasPrefix(first, "U+00"):
			prefix = "U+00"
		case w.size < 8 && w.size != minPair:
			// Words of a language are as short.
			continue
		}
		b := make([]byte, 0, (end-w.start)/2)
		for i := w.start; i < end; {
			if byteClass[v.text[i]]&classWord == 0 && v.text[i] != '=' {
				i++
				continue
			}
			n := extent(v.text, i, w.size, setAllB64)
			b = append(b, strings.TrimPrefix(v.text[i:n], prefix)...)
			i = n
		}
		if w.size == 8 && binary(b) {
			b = hexOfBits(b)
		}
		if text := string(b); len(text) >= minRun && promising(text) {
			sc.decodeText(v, run{w.start, end}, text, text)
		}
	}
	sc.even = sc.even[:0]
}

// binary reports whether digits are those of bytes in base two.
func binary(b []byte) bool {
	for _, c := range b {
		if c != '0' && c != '1' {
			return false
		}
	}
	return len(b)%8 == 0
}

// hexOfBits returns bits as hexadecimal digits.
func hexOfBits(b []byte) []byte {
	out := b[:0]
	for i := 0; i+4 <= len(b); i += 4 {
		out = append(out, "0123456789abcdef"[b[i]&1<<3|b[i+1]&1<<2|b[i+2]&1<<1|b[i+3]&1])
	}
	return out
}
