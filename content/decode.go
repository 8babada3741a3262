package content

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"io"
	"unicode/utf8"
)

// maxLayers is how many encodings are undone below the raw text; what is encoded more often is reported as
// incompletely decoded.
const maxLayers = 4

// maxInflate is the most that one compressed stream may unfold to, in bytes.
const maxInflate = 256 << 10

// derive queues the views that v gives rise to.
func (sc *scan) derive(v *view, f features) {
	if v.label == ViewNormalised || v.label == ViewCollapsed {
		if v.label == ViewNormalised && f.has(hasSpaced) {
			sc.collapse(v)
		}
		return
	}
	if folded := f.has(hasNonASCII) && sc.normalised(v); f.has(hasSpaced) && !folded {
		sc.collapse(v)
	}
	if sc.role == RoleBlob && v.up == nil {
		return
	}
	if f.has(hasEscapes | hasControl) {
		sc.unescape(v)
	}
	for _, r := range sc.runs {
		sc.decodeRun(v, r)
	}
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

// normalised queues the folded text of v, if folding shows anything, and reports whether it does.
func (sc *scan) normalised(v *view) bool {
	if len(v.text) > sc.budget {
		sc.incomplete(v, 0, len(v.text))
		return false
	}
	text, ok := normalise(v.text)
	if !ok {
		return false
	}
	sc.budget -= len(text)
	sc.enqueue(view{text: text, label: ViewNormalised, up: v, step: normaliseStep, layer: v.layer})
	return true
}

// viewsAtOnce is how many views are allocated together: some texts are made of encodings.
const viewsAtOnce = 16

// enqueue adds a view to those that are read next.
func (sc *scan) enqueue(v view) {
	if len(sc.views) == cap(sc.views) {
		sc.views = make([]view, 0, min(2*cap(sc.views)+1, viewsAtOnce))
	}
	sc.views = append(sc.views, v)
	sc.queue = append(sc.queue, &sc.views[len(sc.views)-1])
}

// stepView queues the text that a transformation makes of v, if it makes any difference.
func (sc *scan) stepView(v *view, label string, deeper int, step stepFunc) {
	if v.layer+deeper > maxLayers {
		sc.incomplete(v, 0, len(v.text))
		return
	}
	if len(v.text) > sc.budget {
		sc.incomplete(v, 0, len(v.text))
		return
	}
	text, changed := rewrite(v.text, step)
	if !changed {
		return
	}
	sc.budget -= len(text)
	sc.enqueue(view{text: text, label: label, up: v, step: step, layer: v.layer + deeper})
}

// incomplete reports that a span of v was left undecoded.
func (sc *scan) incomplete(v *view, start, end int) {
	sc.cut = true
	sc.v, sc.text = v, v.text
	sc.hits = append(sc.hits[:0], hit{det: detIncomplete, start: start, end: end})
	sc.flush()
}

// sniffRun is how many bytes of a run are decoded to see whether it is worth decoding, in encoded characters.
const sniffRun = 96

// decodeRun tries a run of the base64 or hexadecimal alphabet: what turns out to be text, or compressed, is
// read as a view of its own.
func (sc *scan) decodeRun(v *view, r run) {
	if v.label == ViewDecoded && v.whole && r.end-r.start < minRun {
		return
	}
	text := v.text[r.start:r.end]
	if !promising(text) {
		sc.otherRun(v, r, text)
		return
	}
	end, body := wrapped(v.text, r)
	if end == r.end {
		body = text
	}
	sc.decodeText(v, run{r.start, end}, text, body)
}

// decodeText decodes text, which stands for the span r of v, as hexadecimal digits, or body as base64: the text alone,
// or with the lines that follow it.
func (sc *scan) decodeText(v *view, r run, text, body string) {
	var plain []byte
	if len(text)%2 == 0 && isHexRun(text) {
		if b, err := hex.DecodeString(text[:min(len(text), sniffRun)&^1]); err == nil && worth(b) {
			if len(text)/2 > sc.budget {
				sc.incomplete(v, r.start, r.end)
				return
			}
			plain, _ = hex.DecodeString(text)
		}
	}
	if plain == nil {
		for off := 0; off < 4 && off+minRun <= len(body); off++ {
			head := decode64(body[off:min(len(body), off+sniffRun)])
			if !worth(head) {
				continue
			}
			if len(body)-off <= sniffRun {
				plain = head
				break
			}
			if len(body)*3/4 > sc.budget {
				sc.incomplete(v, r.start, r.end)
				return
			}
			plain = decode64(body[off:])
			break
		}
	}
	if plain == nil {
		return
	}
	if v.layer >= maxLayers {
		sc.incomplete(v, r.start, r.end)
		return
	}
	sc.plainView(v, r.start, r.end, plain)
}

// promising looks at the first characters of a run in every way in which decodeRun may read it. Nearly every
// run that is no encoding of anything is told by them.
func promising(s string) bool {
	if len(s) < minRun {
		return false
	}
	var b [12]byte
	if isHex(s[0]) && isHex(s[1]) {
		n := 0
		for n < len(b) && isHex(s[2*n]) && isHex(s[2*n+1]) && 2*n+3 < len(s) {
			b[n] = hexValue(s[2*n])<<4 | hexValue(s[2*n+1])
			n++
		}
		if plausible(b[:n]) {
			return true
		}
	}
	for off := 0; off < 4 && off+16 <= len(s); off++ {
		for i := 0; i < 4; i++ {
			q := s[off+4*i : off+4*i+4]
			v := uint(value64[q[0]])<<18 | uint(value64[q[1]])<<12 | uint(value64[q[2]])<<6 | uint(value64[q[3]])
			b[3*i], b[3*i+1], b[3*i+2] = byte(v>>16), byte(v>>8), byte(v)
		}
		if plausible(b[:]) {
			return true
		}
	}
	return false
}

var value64 = func() (t [256]byte) {
	for i, c := range []byte(upperLetters + lowerLetters + digitChars + "+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// plausible reports whether bytes may begin a text or a compressed stream.
func plausible(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	if compressed(b) || b[1] == 0 && b[3] == 0 && b[5] == 0 || b[0] == 0 && b[2] == 0 && b[4] == 0 {
		return true
	}
	for i := 0; i < len(b); {
		if c := b[i]; c < 0x80 {
			if byteClass[c]&classControl != 0 {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && utf8.FullRune(b[i:]) {
			return false
		}
		i += n
	}
	return true
}

// plainView queues decoded bytes as a view that stands for the span lo..hi of v, inflating them first when
// they are compressed.
func (sc *scan) plainView(v *view, lo, hi int, plain []byte) {
	layer, charged := v.layer+1, 0
	for compressed(plain) {
		out, cut, err := sc.streams.inflate(plain, min(maxInflate, max(sc.budget, 0)))
		if cut {
			sc.incomplete(v, lo, hi)
		}
		if err != nil && len(out) == 0 {
			return
		}
		sc.budget -= len(out)
		plain, charged = out, len(out)
		if layer++; layer > maxLayers && compressed(plain) {
			sc.incomplete(v, lo, hi)
			return
		}
	}
	text, ok := asText(plain)
	if !ok {
		return
	}
	if more := len(text) - charged; more > sc.budget {
		sc.incomplete(v, lo, hi)
		return
	} else if more > 0 {
		sc.budget -= more
	}
	sc.enqueue(view{text: text, label: ViewDecoded, up: v, whole: true, lo: lo, hi: hi, layer: layer})
}

func isHexRun(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// Lines of wrapped base64 are between these lengths in every common encoder.
const (
	minWrap = 56
	maxWrap = 128
)

// wrapped returns the run with the lines after it that continue it, and where they end.
func wrapped(text string, r run) (end int, body string) {
	body = text[r.start:r.end]
	if n := r.end - r.start; n < minWrap || n > maxWrap {
		return r.end, body
	}
	end = r.end
	var b []byte
	for {
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
		if next == i || next-i > r.end-r.start {
			break
		}
		if b == nil {
			b = append(b, body...)
		}
		b = append(b, text[i:next]...)
		end = next
		if next-i < r.end-r.start {
			break
		}
	}
	if b == nil {
		return r.end, body
	}
	return end, string(b)
}

// decode64 decodes base64 of either alphabet, padded or not, up to where it stops being base64. A trailing odd
// character is dropped. Text that mixes the alphabets is neither.
func decode64(s string) []byte {
	for s != "" && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	s = s[:len(s)-boolInt(len(s)%4 == 1)]
	b := make([]byte, 0, len(s)*3/4)
	var seen uint8
	i := 0
	for ; i+4 <= len(s); i += 4 {
		v := uint(value64[s[i]])<<18 | uint(value64[s[i+1]])<<12 | uint(value64[s[i+2]])<<6 | uint(value64[s[i+3]])
		kinds := kind64[s[i]] | kind64[s[i+1]] | kind64[s[i+2]] | kind64[s[i+3]]
		if seen |= kinds; kinds&kindOther != 0 {
			break
		}
		b = append(b, byte(v>>16), byte(v>>8), byte(v))
	}
	// The rest, up to what is no base64.
	v, bits := uint(0), 0
	for ; i < len(s) && kind64[s[i]] != kindOther; i++ {
		seen |= kind64[s[i]]
		v = v<<6 | uint(value64[s[i]])
		if bits += 6; bits >= 8 {
			bits -= 8
			b = append(b, byte(v>>bits))
		}
	}
	if seen&(kindStd|kindURL) == kindStd|kindURL {
		return nil
	}
	return b
}

// Kinds of characters in base64: those of both alphabets are none of these.
const (
	kindStd   = 1 << iota // + and /
	kindURL               // - and _
	kindOther             // not base64
)

var kind64 = func() (t [256]uint8) {
	for i := range t {
		t[i] = kindOther
	}
	for _, c := range []byte(upperLetters + lowerLetters + digitChars) {
		t[c] = 0
	}
	t['+'], t['/'], t['-'], t['_'] = kindStd, kindStd, kindURL, kindURL
	return t
}()

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// decodePrefix returns the text of base64 at the start of s, for a look only.
func decodePrefix(s string) string {
	n := extent(s, 0, 4096, setAllB64)
	return string(decode64(s[:n]))
}

// worth reports whether decoded bytes are worth a view: they are compressed, or they are text.
func worth(b []byte) bool {
	if compressed(b) {
		return true
	}
	if len(b) < 12 {
		return false
	}
	_, ok := asText(b)
	return ok
}

// streams undoes compression. Its readers are made once and used again, for they are far larger than most of what
// they read.
type streams struct {
	src  bytes.Reader
	gzip *gzip.Reader
	zlib io.ReadCloser
}

// reader returns a reader of what b unfolds to.
func (s *streams) reader(b []byte) (io.Reader, error) {
	s.src.Reset(b)
	if b[0] == 0x1f {
		if s.gzip == nil {
			s.gzip = new(gzip.Reader)
		}
		return s.gzip, s.gzip.Reset(&s.src)
	}
	if s.zlib == nil {
		z, err := zlib.NewReader(&s.src)
		if err != nil {
			return nil, err
		}
		s.zlib = z
		return z, nil
	}
	return s.zlib, s.zlib.(zlib.Resetter).Reset(&s.src, nil)
}

// inflate undoes one layer of gzip or zlib up to limit bytes. cut is true when there was more.
func (s *streams) inflate(b []byte, limit int) (out []byte, cut bool, err error) {
	r, err := s.reader(b)
	if err != nil {
		return nil, false, err
	}
	out, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(out) > limit {
		return out[:limit], true, nil
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) && len(out) > 0 {
		err = nil
	}
	return out, false, err
}

// compressed reports whether bytes begin a stream that inflate reads: the marks of its format, and a first block
// that there can be.
func compressed(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	switch {
	case b[0] == 0x1f && b[1] == 0x8b && b[2] == 8:
		return b[3] != 0 || len(b) < 11 || blockBegins(b[10:])
	case b[0] == 0x78 && (uint(b[0])<<8|uint(b[1]))%31 == 0 && b[1]&0x20 == 0:
		return blockBegins(b[2:])
	}
	return false
}

// blockBegins reports whether bytes may begin a block of RFC 1951.
func blockBegins(b []byte) bool {
	switch b[0] >> 1 & 3 {
	case 0:
		return len(b) < 5 || b[1] == ^b[3] && b[2] == ^b[4]
	case 2:
		return len(b) < 2 || b[0]>>3 <= 29 && b[1]&0x1f <= 29
	case 3:
		return false
	}
	return true
}

// asText returns decoded bytes as text: valid UTF-8 that is printable, possibly cut in the middle of its last
// character, or UTF-16 of ASCII as some shells encode their commands, in either order of bytes.
func asText(b []byte) (string, bool) {
	if len(b) >= 8 && (b[1]|b[3]|b[5] == 0 && b[0] != 0 || b[0]|b[2]|b[4] == 0 && b[1] != 0) {
		high := boolInt(b[0] != 0) // where the high byte of each pair stands
		narrow := make([]byte, 0, len(b)/2)
		for i := 0; i+1 < len(b); i += 2 {
			if b[i+high] != 0 || b[i+1-high] >= 0x80 {
				return "", false
			}
			narrow = append(narrow, b[i+1-high])
		}
		b = narrow
	}
	for n := 0; n < 3 && len(b) > 0 && !utf8.Valid(b[max(0, len(b)-4):]) && !utf8.Valid(b); n++ {
		b = b[:len(b)-1]
	}
	if !utf8.Valid(b) {
		return "", false
	}
	odd := 0
	for _, c := range b {
		if byteClass[c]&classControl != 0 {
			odd++
		}
	}
	if odd*16 > len(b) {
		return "", false
	}
	return string(b), true
}
