package content

import "strings"

// An encoding may be set in pieces of one length: hexadecimal digits in pairs, base64 in columns or short lines. What
// stands between the pieces is left out before it is decoded.
const (
	minEven    = 3           // pieces
	minPieces  = 24          // bytes of them together
	maxEvenGap = 7           // bytes between two, as in "…" + "…"
	maxPiece   = minWrap - 1 // bytes of one: longer lines are read as wrapped base64
	minPair    = 2
	minQuads   = 8 // words of four letters in a row that no language has
)

// evenWords are words of one length in a row.
type evenWords struct{ start, end, size, count int }

// evenEnds ends a row of words of one length, and keeps it when it may be an encoding.
func (sc *scan) evenEnds(w evenWords) {
	if w.count*w.size >= minCard && w.size <= cardGroup {
		sc.evenNumber(w)
	}
	if w.count < minEven || w.size < minPair || w.size > maxPiece || w.count*w.size < minPieces {
		return
	}
	sc.even = append(sc.even, w)
}

// evenViews reads the rows of even words of v as what they spell together. The last piece may be shorter than the others.
func (sc *scan) evenViews(v *view) {
	for _, w := range sc.even {
		prefix := ""
		switch {
		case w.size == minPair, hexPrefixed(v.text, w):
			// Words of a language stand beside the digits.
			if w = hexDigits(v.text, w); w.end == 0 {
				continue
			}
			prefix = v.text[w.start : w.start+w.size-minPair]
		case w.size < 8 && (w.size != 4 || w.count < minQuads):
			// Words of a language are as short, and escapes are undone elsewhere.
			continue
		}
		if !evenGap[v.text[w.start+w.size]] {
			continue
		}
		end := w.end
		for next := end; prefix == "" && w.size > minPair && next < len(v.text) && next-end <= maxEvenGap; next++ {
			if byteClass[v.text[next]]&classWord != 0 {
				if last := extent(v.text, next, w.size, setAllB64); last-next <= w.size {
					end = last
				}
				break
			}
		}
		if !promising(evenText(v.text[w.start:min(end, w.start+evenHead*w.size)], w.size, prefix)) {
			continue
		}
		if end-w.start > sc.budget {
			sc.incomplete(v, w.start, end)
			break
		}
		text := evenText(v.text[w.start:end], w.size, prefix)
		sc.decodeText(v, run{w.start, end}, text)
	}
	sc.even = sc.even[:0]
	sc.unfold(v)
}

// numberMarks are what programs and standards write before two hexadecimal digits, by the length of both.
var numberMarks = [...]string{2: "", 4: "0x", 6: "u+00"}

// markedNumber reports whether the piece of a row at byte i is a pair of hexadecimal digits behind the mark of its length.
func markedNumber(text string, i, size int) bool {
	return hasFoldPrefix(text[i:], numberMarks[size]) && isHex(text[i+size-2]) && isHex(text[i+size-1])
}

// hexPrefixed reports whether one of the first pieces of a row is a hexadecimal number as programs or standards write it.
func hexPrefixed(text string, w evenWords) bool {
	if w.size != 4 && w.size != 6 {
		return false
	}
	for i, n := w.start, 0; n < 4 && i < w.end; n++ {
		if markedNumber(text, i, w.size) {
			return true
		}
		for i += w.size; i < w.end && byteClass[text[i]]&classWord == 0; i++ {
		}
	}
	return false
}

// hexDigits cuts a row to where its pieces are pairs of hexadecimal digits, with their mark where they are longer, at both
// ends; its end is 0 when there are too few.
func hexDigits(text string, w evenWords) evenWords {
	row := 0
	i := w.start
	for i < w.end && row < minCodes {
		if byteClass[text[i]]&classWord == 0 {
			i++
			continue
		}
		if !markedNumber(text, i, w.size) {
			row = 0
		} else if row++; row == 1 {
			w.start = i
		}
		i += w.size
	}
	if row < minCodes {
		return evenWords{}
	}
	// The first twelve stand before byte i. From the end, two in a row are no words of a language.
	good := 0
	for end := w.end; end > i; {
		if byteClass[text[end-1]]&classWord == 0 {
			end--
			continue
		}
		if !markedNumber(text, end-w.size, w.size) {
			good, w.end = 0, end-w.size
		} else if good++; good == 2 {
			return w
		}
		end -= w.size
	}
	return w
}

// evenHead is how many pieces are read to tell whether they are an encoding.
const evenHead = 24

// evenGap is what stands between pieces, or begins what does.
var evenGap = newCharset(" \t\r\n,;:.|#\"'")

// evenText joins pieces of size bytes without what stands between them and before each.
func evenText(s string, size int, prefix string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if byteClass[s[i]]&classWord == 0 && s[i] != '=' || s[i] == '+' && i+1 < len(s) && s[i+1] == ' ' && i > 0 && s[i-1] == ' ' {
			i++
			continue
		}
		n := extent(s, i, size, setAllB64)
		piece := s[i:n]
		if prefix != "" {
			piece = strings.TrimPrefix(piece, prefix)
		}
		b = append(b, piece...)
		i = n
	}
	if size == 8 && binaryDigits(b) {
		b = hexOfBits(b)
	}
	return string(b)
}

// binaryDigits reports whether digits are those of bytes in base two.
func binaryDigits(b []byte) bool {
	for _, c := range b {
		if c != '0' && c != '1' {
			return false
		}
	}
	return len(b) > 0
}

// hexOfBits returns the bits of whole bytes as hexadecimal digits.
func hexOfBits(b []byte) []byte {
	b = b[:len(b)&^7]
	out := b[:0]
	for i := 0; i < len(b); i += 4 {
		out = append(out, "0123456789abcdef"[b[i]&1<<3|b[i+1]&1<<2|b[i+2]&1<<1|b[i+3]&1])
	}
	return out
}
