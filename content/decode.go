package content

import "unicode/utf8"

// maxLayers is how many encodings are undone below the raw text; what is encoded more often is reported as
// incompletely decoded.
const maxLayers = 4

// derive queues the views that v gives rise to.
func (sc *scan) derive(v *view, f features) {
	switch v.label {
	case ViewNormalised:
		if f.has(hasSpaced) {
			sc.collapse(v)
		}
		sc.unmark(v)
		sc.decipher(v)
		return
	case ViewCollapsed:
		return
	case ViewUnmarked:
		if f.has(hasSpaced) {
			sc.collapse(v)
		}
		sc.decodeRuns(v)
		return
	}
	sc.unmark(v)
	if folded := f.has(hasNonASCII) && sc.normalised(v); f.has(hasSpaced) && !folded {
		sc.collapse(v)
	}
	if sc.unfolded && v.up == nil {
		return
	}
	if f.has(hasEscapes | hasControl) {
		sc.unescape(v)
	}
	sc.decodeRuns(v)
	sc.evenViews(v)
	if f.has(hasCodes) {
		sc.codeViews(v)
	}
	if quotedPrintable(v.text) {
		sc.stepView(v, ViewDecoded, 1, quotedStep)
	}
	sc.transferViews(v)
	sc.decipher(v)
}

// normalised queues the folded text of v, if folding shows anything, and reports whether it does and all of v is in it.
func (sc *scan) normalised(v *view) bool {
	switch {
	case !material(v.text):
		return false
	case sc.trails.reach > 0 && sparse(v.text):
		queued := len(sc.queue)
		sc.stepView(v, ViewNormalised, 0, foldUnit)
		return len(sc.queue) > queued && !sc.trails.abridged
	case len(v.text) > sc.budget:
		sc.incomplete(v, 0, len(v.text))
		return false
	}
	sc.trails.fold(v.text)
	sc.rewrittenView(v, ViewNormalised, v.layer, sc.trails.ofFold(v.text))
	return true
}

// enqueue adds a view to those that are read next, and returns where it is kept.
func (sc *scan) enqueue(v view) *view {
	kept := sc.views.add(v)
	sc.queue = append(sc.queue, kept)
	return kept
}

// stepView queues the text that a transformation makes of v, if it makes any difference.
func (sc *scan) stepView(v *view, label string, deeper int, step stepFunc) {
	if v.layer+deeper > maxLayers {
		sc.incomplete(v, 0, len(v.text))
		return
	}
	if sc.trails.rewrite(v.text, step) {
		if len(sc.trails.text) > sc.budget {
			sc.incomplete(v, 0, len(v.text))
			return
		}
		sc.rewrittenView(v, label, v.layer+deeper, sc.trails.ofSteps(v.text))
	}
}

// rewrittenView queues the text that was made of v, unless it was queued before.
func (sc *scan) rewrittenView(v *view, label string, layer int, trail *trail) {
	sc.budget -= len(sc.trails.text)
	made := view{label: label, up: v, trail: trail, layer: layer, abridged: v.abridged || sc.trails.abridged}
	if long := len(sc.trails.text) >= twinFrom; long && sc.twin(&made) {
		return
	} else if made.text = string(sc.trails.text); long {
		sc.rewritten = append(sc.rewritten, sc.enqueue(made))
	} else {
		sc.enqueue(made)
	}
}

// incomplete reports that a span of v was left undecoded.
func (sc *scan) incomplete(v *view, start, end int) {
	sc.cut++
	if sc.listedEnough(detIncomplete, detIncomplete.severity[sc.side]) {
		return
	}
	sc.v, sc.text = v, v.text
	sc.hits = append(sc.hits[:0], hit{det: detIncomplete, start: start, end: end})
	sc.flush()
}

// sniffRun is how many bytes of a run are decoded to see whether it is worth decoding, in encoded characters.
const sniffRun = 96

// decodeRuns reads the runs of v as what they stand for.
func (sc *scan) decodeRuns(v *view) {
	together := 0
	for _, r := range sc.runs {
		together = max(together, sc.decodeRun(v, r, together))
	}
	sc.unfold(v)
}

// decodeRun tries a run of the base64 or hexadecimal alphabet: what turns out to be text, or compressed, is
// read as a view of its own. Lines up to byte together were decoded as one text; it returns where those end that it adds to them.
func (sc *scan) decodeRun(v *view, r run, together int) (end int) {
	if v.label == ViewDecoded && v.whole && r.end-r.start < minRun {
		return 0
	}
	text := v.text[r.start:r.end]
	if !promising(text) {
		sc.otherRun(v, r, text)
		return 0
	}
	known := sc.decoded.place(v.text, r)
	if known != nil && sc.decodedBefore(known, v, r) {
		return 0
	}
	if r.start >= together {
		if end = sc.decodeLines(v, r); end > 0 && !isHexRun(text) {
			return end
		}
		// A line of digits may be all of it, with a number under it.
	} else if off, plain := sc.head64(text); (plain == nil || off > 0) && !sc.hexText(text) {
		// The middle of a text. What begins with a line may be one of its own, whose first word is no end of another.
		return 0
	}
	budget, cut, folds, plain := sc.budget, sc.cut, len(sc.folds), len(sc.plain)
	sc.decodeText(v, r, text)
	if known != nil && sc.cut == cut && len(sc.folds) <= folds+1 && (len(sc.plain) > plain || len(sc.folds) == folds) {
		sc.remember(known, v, r, budget, plain)
	}
	return end
}

// decodeText decodes text, which stands for the span r of v, as hexadecimal digits or base64.
func (sc *scan) decodeText(v *view, r run, text string) {
	if sc.hexText(text) {
		if len(text)/2 > sc.budget {
			sc.incomplete(v, r.start, r.end)
			return
		}
		sc.long = appendHex(sc.long[:0], text)
		sc.decodedView(v, r, sc.long)
		return
	}
	off, head := sc.head64(text)
	switch {
	case head == nil:
	case len(text)-off <= sniffRun:
		sc.decodedView(v, r, head)
	case len(text)*3/4 > sc.budget:
		sc.incomplete(v, r.start, r.end)
	default:
		sc.long = appendBase64(sc.long[:0], text[off:])
		sc.decodedView(v, r, sc.long)
	}
}

// hexText reports whether pairs of hexadecimal digits stand for bytes that begin as something worth a view.
func (sc *scan) hexText(digits string) bool {
	return len(digits)%2 == 0 && isHexRun(digits) && worth(appendHex(sc.head[:0], digits[:min(len(digits), sniffRun)]))
}

// head64 returns the beginning of what base64 stands for, and where that base64 begins: at one of the first four characters,
// for something may stand before it. The beginning is nil when none is worth a view.
func (sc *scan) head64(text string) (off int, head []byte) {
	for off := 0; off < 4 && off+minRun <= len(text); off++ {
		if !begins64(text[off:]) {
			continue
		}
		if head := appendBase64(sc.head[:0], text[off:min(len(text), off+sniffRun)]); worth(head) {
			return off, head
		}
	}
	return 0, nil
}

// decodedView is plainView for what a run was decoded to, unless it lies too deep.
func (sc *scan) decodedView(v *view, r run, plain []byte) {
	if v.layer >= maxLayers {
		sc.incomplete(v, r.start, r.end)
		return
	}
	sc.plainView(v, r.start, r.end, plain)
}

// appendHex appends the bytes that pairs of hexadecimal digits stand for.
func appendHex(b []byte, digits string) []byte {
	for i := 0; i+1 < len(digits); i += 2 {
		b = append(b, hexValue(digits[i])<<4|hexValue(digits[i+1]))
	}
	return b
}

// plainView makes decoded bytes a view that stands for the span lo..hi of v, and what they unfold to when they are compressed
// another. unfold queues them.
func (sc *scan) plainView(v *view, lo, hi int, plain []byte) {
	sc.plainLayer(v, lo, hi, plain, v.layer+1, 0)
}

// plainLayer is plainView for bytes at some layer, of which so many were taken from the budget already. A text may begin like a
// stream, so that both are tried.
func (sc *scan) plainLayer(v *view, lo, hi int, plain []byte, layer, charged int) {
	if text, ok := readable(plain); ok {
		more := max(len(text)-charged, 0)
		if more > sc.budget {
			sc.incomplete(v, lo, hi)
			return
		}
		sc.budget -= more
		sc.plain = append(sc.plain, text...)
		sc.folds = append(sc.folds, folded{lo: lo, hi: hi, end: len(sc.plain), layer: layer})
	}
	if !compressed(plain) {
		return
	}
	if layer > maxLayers || !sc.mayInflate(len(plain)) {
		sc.incomplete(v, lo, hi)
		return
	}
	out, n, cut := sc.streams.inflate(plain, min(maxInflate, sc.budget))
	sc.inflated(n, len(out))
	if cut {
		sc.incomplete(v, lo, hi)
	}
	sc.budget -= len(out)
	sc.plainLayer(v, lo, hi, out, layer+1, len(out))
}

// folded is a run whose text was decoded and stands in scan.plain, from where that of the one before ends.
type folded struct{ lo, hi, end, layer int }

// unfold queues the views of the runs of v that were decoded. Their texts are one allocation.
func (sc *scan) unfold(v *view) {
	if len(sc.folds) == 0 {
		return
	}
	texts, start := string(sc.plain), 0
	for _, f := range sc.folds {
		sc.enqueue(view{text: texts[start:f.end], label: ViewDecoded, up: v, whole: true, lo: f.lo, hi: f.hi, layer: f.layer})
		start = f.end
	}
	sc.plain, sc.folds = sc.plain[:0], sc.folds[:0]
}

func isHexRun(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// worth reports whether decoded bytes are worth a view: they are compressed, or they are text.
func worth(b []byte) bool {
	if compressed(b) {
		return true
	}
	if len(b) < 12 {
		return false
	}
	_, ok := readable(b)
	return ok
}

// readable returns decoded bytes as text: valid UTF-8 that is printable, possibly cut in the middle of its last
// character, or UTF-16 of ASCII as some shells encode their commands, in either order of bytes.
func readable(b []byte) ([]byte, bool) {
	if wideText(b) {
		return narrowed(b)
	}
	if len(b) >= 8 && (b[1]|b[3]|b[5] == 0 && b[0] != 0 || b[0]|b[2]|b[4] == 0 && b[1] != 0) {
		high := boolInt(b[0] != 0) // where the high byte of each pair stands
		narrow := make([]byte, 0, len(b)/2)
		for i := 0; i+1 < len(b); i += 2 {
			if b[i+high] != 0 || b[i+1-high] >= 0x80 {
				return nil, false
			}
			narrow = append(narrow, b[i+1-high])
		}
		b = narrow
	}
	odd, all := 0, byte(0)
	for _, c := range b {
		odd += int(controlByte[c])
		all |= c
	}
	if all >= utf8.RuneSelf {
		n := validEnd(b)
		if n < 0 {
			return nil, false
		}
		b = b[:n]
	}
	return b, odd*16 <= len(b)
}

// validEnd returns where valid UTF-8 ends that may be cut in the middle of its last character, -1 when b is none.
func validEnd(b []byte) int {
	for n := len(b); n >= 0 && n > len(b)-utf8.UTFMax; n-- {
		if utf8.Valid(b[:n]) {
			return n
		}
	}
	return -1
}

// asText is readable for one text.
func asText(b []byte) (string, bool) {
	text, ok := readable(b)
	return string(text), ok
}

// controlByte is 1 for the bytes that are control characters.
var controlByte = func() (t [256]uint8) {
	for c := range t {
		t[c] = uint8(boolInt(byteClass[c]&classControl != 0))
	}
	return t
}()

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
