package content

import "unicode/utf8"

// Lines of wrapped base64 are between these lengths in every common encoder.
const (
	minWrap = 56
	maxWrap = 128
)

// decodeLines decodes a run together with the lines that go on with it, and returns where they end, 0 when they stand for nothing
// together. Each line is told by its beginning, so that a text full of lines is read once; what looks like text at its beginning
// and is none may be read in vain as often as views may be made.
func (sc *scan) decodeLines(v *view, r run) (end int) {
	if r.start < sc.brokenLines {
		return 0
	}
	// One more line at least, whatever the length of this one.
	end, body := wrapped(v.text, r, max(sniffRun+minRun, r.end-r.start+1))
	if end == r.end {
		return 0
	}
	off, head := sc.head64(body)
	switch {
	case head == nil && !(isHexRun(v.text[r.start:r.end]) && worth(appendHex(sc.head[:0], body[:min(len(body), sniffRun)]))):
		return 0
	case sc.inVain > max(viewFactor*len(sc.d.body), viewFloor):
		sc.incomplete(v, r.start, r.end)
		return 0
	case compressed(head):
		if end, body = sc.streamLines(v, r, off); end == r.end {
			return 0
		}
	case head == nil || wideText(head):
		end, body = wrapped(v.text, r, len(v.text))
	default:
		if end, body = sc.textLines(v.text, r, off); end == r.end {
			return 0
		}
	}
	folds, cut := len(sc.folds), sc.cut
	if sc.decodeText(v, run{r.start, end}, body); len(sc.folds) > folds || sc.cut > cut {
		return end
	}
	sc.inVain += len(body)
	return 0
}

// textLines returns the lines that a text is in that begins at character off of a run, and where they end. Where the text breaks
// off, these are the lines before, which are not tried again.
func (sc *scan) textLines(text string, r run, off int) (end int, body string) {
	for least := fewLines; ; least *= 4 {
		end, body = wrapped(text, r, least)
		sc.long = appendBase64(sc.long[:0], body[off:])
		if n := firstInvalid(sc.long); n >= 0 {
			width := r.end - r.start
			sc.brokenLines, body = wrapped(text, r, (off+4*n/3)/width*width)
			return sc.brokenLines, body
		}
		if len(body) < least {
			return end, body
		}
	}
}

// fewLines is how much of lines is read at first to see whether they go on as a text, in characters.
const fewLines = 512

// firstInvalid returns where UTF-8 breaks off, -1 where it does not; a character that is cut by the end is none.
func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			if !utf8.FullRune(b[i:]) {
				return -1
			}
			return i
		}
		i += n
	}
	return -1
}

// streamLines returns the lines that the compressed stream is in that begins at character off of a run, and where they end. What
// follows in the next line is not part of it.
func (sc *scan) streamLines(v *view, r run, off int) (end int, body string) {
	text := v.text
	for least := r.end - r.start; ; least *= 4 {
		_, body = wrapped(text, r, least)
		if sc.long = appendBase64(sc.long[:0], body[off:]); len(sc.long) == 0 {
			return r.end, text[r.start:r.end] // the lines are of another alphabet
		}
		if !sc.mayInflate(len(sc.long)) {
			sc.incomplete(v, r.start, r.end)
			return r.end, text[r.start:r.end]
		}
		if n, whole := sc.streams.length(sc.long); whole || len(body) < least {
			return wrapped(text, r, off+(4*n+2)/3)
		}
	}
}

// wrapped returns the run with the lines after it that continue it, as many as give it so many bytes, and where they end.
func wrapped(text string, r run, least int) (end int, body string) {
	end, body = r.end, text[r.start:r.end]
	width := len(body)
	if width < minWrap || width > maxWrap {
		return end, body
	}
	var b []byte
	for size, last := width, false; size < least && !last; {
		i := end
		if i < len(text) && text[i] == '\r' {
			i++
		}
		if i >= len(text) || text[i] != '\n' {
			break
		}
		i++
		next := i
		for next < len(text) && byteClass[text[next]]&classWord != 0 {
			next++
		}
		if next == i || next-i > width {
			break
		}
		if b == nil {
			b = append(b, body...)
		}
		b = append(b, text[i:next]...)
		end, size, last = next, len(b), next-i < width
	}
	if b == nil {
		return end, body
	}
	return end, string(b)
}
