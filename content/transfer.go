package content

import (
	"encoding/ascii85"
	"strings"
)

// transferKeywords open the encodings of mail and of its time: UTF-7 (RFC 2152), uuencode and, in the frame that
// Adobe gave it, base85.
func transferKeywords() []keyword {
	k := []keyword{
		{text: "begin 6", look: (*scan).uuencoded},
		{text: "begin 7", look: (*scan).uuencoded},
	}
	for _, shift := range [...]string{"+adw", "+ad4", "+ahw"} {
		// The marks of tags, which are all that is shifted where letters are not; words that are shifted are found by
		// the survey.
		k = append(k, keyword{text: shift, look: func(sc *scan, at int) {
			if !sc.utf7 {
				n, _ := shifted(sc.text[at:])
				sc.utf7 = n > minShifted
			}
		}})
	}
	return k
}

// minShifted and maxShifted bound a stretch of shifted characters in UTF-7, in bytes.
const (
	minShifted = 4
	maxShifted = 1024
)

// shifted returns the length of the stretch at the start of s that UTF-7 shifts, and the ASCII that it stands for.
func shifted(s string) (int, string) {
	if len(s) < minShifted || s[1] != 'A' || s[2] < 'C' || s[2] > 'H' {
		return 0, ""
	}
	// Nearly all that is none is told by its first characters.
	var room [64]byte
	out := room[:0]
	v, bits, n := uint(0), 0, 1
	for ; n < len(s) && n <= maxShifted && setStd64[s[n]]; n++ {
		v = v<<6 | uint(value64[s[n]])
		if bits += 6; bits < 16 {
			continue
		}
		bits -= 16
		c := v >> bits & 0xffff
		if c < ' ' || c >= 0x7f {
			return 0, ""
		}
		out = append(out, byte(c))
	}
	if n < minShifted {
		return 0, ""
	}
	if n < len(s) && s[n] == '-' {
		n++
	}
	return n, string(out)
}

var setStd64 = newCharset(lowerLetters + upperLetters + digitChars + "+/")

// utf7Step undoes the shift of UTF-7 at i, or takes the text up to where one may begin.
func utf7Step(src string, i int) (int, string) {
	if src[i] == '+' {
		if n, to := shifted(src[i:]); n > 0 {
			return n, to
		}
	}
	return upTo(src, i, '+')
}

// transferViews queues what v carries in these encodings.
func (sc *scan) transferViews(v *view) {
	if sc.utf7 {
		sc.stepView(v, ViewDecoded, 1, utf7Step)
	}
	for _, r := range sc.uu {
		if text, ok := uudecode(v.text[r.Start:r.End]); ok {
			sc.spelledView(v, r.Start, r.End, text)
		}
	}
	sc.dumpViews(v)
	if strings.IndexByte(v.text, '~') < 0 {
		return // found sooner than that no < of many has one behind it
	}
	for from := 0; ; {
		i := strings.Index(v.text[from:], "<~")
		if i < 0 {
			return
		}
		i += from
		// The marks do not share a character: "<~>" is none.
		body := i + len("<~")
		end := strings.Index(v.text[body:], "~>")
		if end < 0 {
			return
		}
		end += body
		from = end + len("~>")
		b := make([]byte, end-i)
		if n, _, err := ascii85.Decode(b, []byte(v.text[body:end]), true); err == nil && worth(b[:n]) {
			if text, ok := asText(b[:n]); ok {
				sc.spelledView(v, i, from, text)
			}
		}
	}
}

// uuencoded notes where lines of uuencode begin and end.
func (sc *scan) uuencoded(at int) {
	if n := len(sc.uu); n > 0 && at < sc.uu[n-1].End {
		return
	}
	text := sc.text
	line := strings.IndexByte(text[at:min(len(text), at+maxTag)], '\n')
	if line < 0 {
		return
	}
	start := at + line + 1
	end := start
	for end < len(text) && text[end] > ' ' && text[end] < 'a' {
		n := (4*int(text[end]-' ') + 2) / 3
		stop := min(len(text), end+1+(n+3)&^3)
		for end < stop && text[end] != '\n' {
			end++
		}
		for end < len(text) && (text[end] == ' ' || text[end] == '\r') {
			end++
		}
		if end < len(text) && text[end] != '\n' {
			break
		}
		end = min(len(text), end+1)
	}
	if end > start+minRun {
		sc.uu = append(sc.uu, Range{start, end})
	}
}

// uudecode decodes lines of uuencode.
func uudecode(s string) (string, bool) {
	var b []byte
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '`' || line[0] <= ' ' {
			break
		}
		size, own := int(line[0]-' '), len(b)
		for line = line[1:]; line != "" && len(b)-own < size; {
			var q [4]byte
			n := copy(q[:], line)
			line = line[n:]
			v := uint(0)
			for _, c := range q[:] {
				if c < ' ' {
					c = ' '
				}
				v = v<<6 | uint(c-' ')&0x3f
			}
			b = append(b, byte(v>>16), byte(v>>8), byte(v))
		}
		b = b[:min(len(b), own+size)]
	}
	if !worth(b) {
		return "", false
	}
	return asText(b)
}
