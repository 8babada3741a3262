package tokenizer

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unicodeForm is one of the four Unicode normalisation forms. Bytes that are
// normalised together share one span of the original.
type unicodeForm struct {
	compat, decompose bool
}

func (n unicodeForm) form() norm.Form {
	switch {
	case n.compat && n.decompose:
		return norm.NFKD
	case n.compat:
		return norm.NFKC
	case n.decompose:
		return norm.NFD
	}
	return norm.NFC
}

// streamSafe is the number of non-starters after which golang.org/x/text
// inserts a joiner to keep its buffers small. The reference has no such bound,
// so longer runs are normalised by hand.
const streamSafe = 30

func (n unicodeForm) normalize(src, dst *aligned) *aligned {
	if src.ascii {
		return src
	}
	f := n.form()
	text := src.text
	dst.reset(len(text) + len(text)/8)
	dst.ascii = false
	for i := 0; i < len(text); {
		if same := quickSpan(f, text[i:]); same > 0 {
			dst.pushSpan(src, i, i+same)
			i += same
			continue
		}
		end, marks := n.segment(f, text, i)
		if end-i <= utf8.UTFMax && tooNew(text[i:], f.Properties(text[i:end])) {
			dst.pushSpan(src, i, end)
			i = end
			continue
		}
		before := len(dst.text)
		switch one := lone(f, text[i:end]); {
		case one != nil:
			dst.text = append(dst.text, one...)
		case marks < streamSafe:
			// Not appended to dst.text itself: Append may join what it is
			// given to what is there.
			dst.form = f.Append(dst.form[:0], text[i:end]...)
			dst.text = append(dst.text, dst.form...)
		default:
			dst.text = n.appendLong(dst.text, text[i:end])
		}
		dst.alignNew(f, before, src, i, end)
		i = end
	}
	return dst
}

// boundaryBefore reports whether the rune with these properties never joins what
// is before it. A compatibility jamo does, although its properties deny it: what
// it decomposes into is a vowel or a final consonant.
func boundaryBefore(f norm.Form, p norm.Properties) bool {
	if !p.BoundaryBefore() {
		return false
	}
	d := p.Decomposition()
	return len(d) == 0 || f.Properties(d).BoundaryBefore()
}

// quickSpan returns the length of a beginning of text that is in normal form and
// is not joined by what follows it.
func quickSpan(f norm.Form, text []byte) int {
	n := f.QuickSpan(text)
	for n > 0 && n < len(text) && !boundaryBefore(f, f.Properties(text[n:])) {
		_, size := utf8.DecodeLastRune(text[:n])
		n -= size
	}
	return n
}

// lone returns the normal form of a segment of one rune where that is its
// decomposition, which costs no buffer; else nil.
func lone(f norm.Form, segment []byte) []byte {
	p := f.Properties(segment)
	d := p.Decomposition()
	if p.Size() != len(segment) || len(d) == 0 || f.QuickSpan(d) != len(d) {
		return nil
	}
	return d
}

// alignNew gives spans to the bytes of a.text from before on, which f made of
// bytes [lo, hi) of src. Runes that came out one by one at the beginning, and
// what is the same at the end, keep their own spans; the rest between shares
// one.
func (a *aligned) alignNew(f norm.Form, before int, src *aligned, lo, hi int) {
	made := a.text[before:]
	for lo < hi {
		p := f.Properties(src.text[lo:hi])
		size := max(1, p.Size())
		one := p.Decomposition()
		if len(one) == 0 || !bytes.HasPrefix(made, one) {
			one = src.text[lo : lo+size]
		}
		if !bytes.HasPrefix(made, one) {
			break
		}
		for range len(one) {
			a.from = append(a.from, src.from[lo])
			a.to = append(a.to, src.to[lo+size-1])
		}
		made, lo = made[len(one):], lo+size
	}
	old := src.text[lo:hi]
	tail := 0
	for tail < len(made) && tail < len(old) && made[len(made)-1-tail] == old[len(old)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(made[len(made)-tail]) {
		tail--
	}
	// Nothing may be left of the old text between: then what was made
	// belongs to the rune before it.
	last := max(hi-1-tail, 0)
	first := min(lo, last)
	for range len(made) - tail {
		a.from = append(a.from, src.from[first])
		a.to = append(a.to, src.to[last])
	}
	a.from = append(a.from, src.from[hi-tail:hi]...)
	a.to = append(a.to, src.to[hi-tail:hi]...)
}

// segment returns the end of the shortest stretch from i that normalises on
// its own, and how many non-starters it holds once decomposed.
func (n unicodeForm) segment(f norm.Form, text []byte, i int) (end, marks int) {
	for end = i; end < len(text); {
		p := f.Properties(text[end:])
		size := max(1, p.Size())
		if end > i && boundaryBefore(f, p) {
			break
		}
		if tooNew(text[end:], p) {
			if end == i {
				end += size
			}
			break
		}
		if p.CCC() != 0 || p.Decomposition() != nil {
			marks += 1 + len(p.Decomposition())/2
		}
		end += size
	}
	return end, marks
}

// tooNew reports runes that became marks or decomposable after the Unicode
// version of the reference, which leaves them as they are and where they are.
func tooNew(text []byte, p norm.Properties) bool {
	if p.CCC() == 0 && p.Decomposition() == nil {
		return false
	}
	r, _ := utf8.DecodeRune(text)
	return !unicode.Is(referenceMarks, r) && !unicode.Is(referenceDecomposable, r)
}

// The syllables that are composed of jamo by arithmetic.
const (
	hangulFirst = 0xAC00
	hangulLast  = 0xD7A3
)

type decomposed struct {
	r   rune
	ccc uint8
}

// appendLong is the textbook algorithm (UAX #15, sections 1.2 and 1.3) for one
// segment, in time linear in its length.
func (n unicodeForm) appendLong(out, text []byte) []byte {
	full := norm.NFD
	if n.compat {
		full = norm.NFKD
	}
	runes := make([]decomposed, 0, len(text)/2)
	for i := 0; i < len(text); {
		p := full.Properties(text[i:])
		size := max(1, p.Size())
		part := p.Decomposition()
		if part == nil {
			part = text[i : i+size]
			if r, _ := utf8.DecodeRune(part); r >= hangulFirst && r <= hangulLast {
				part = norm.NFD.Bytes(part) // by arithmetic: it has no entry
			}
		}
		for len(part) > 0 {
			r, s := utf8.DecodeRune(part)
			runes = append(runes, decomposed{r, norm.NFD.Properties(part[:s]).CCC()})
			part = part[s:]
		}
		i += size
	}
	orderMarks(runes)
	if !n.decompose {
		runes = compose(runes)
	}
	for _, d := range runes {
		out = utf8.AppendRune(out, d.r)
	}
	return out
}

// orderMarks sorts every run of non-starters by combining class, stably.
func orderMarks(runes []decomposed) {
	for i := 0; i < len(runes); {
		if runes[i].ccc == 0 {
			i++
			continue
		}
		k := i
		for k < len(runes) && runes[k].ccc != 0 {
			k++
		}
		slices.SortStableFunc(runes[i:k], func(a, b decomposed) int { return int(a.ccc) - int(b.ccc) })
		i = k
	}
}

func compose(runes []decomposed) []decomposed {
	starter, kept := -1, 0
	var last uint8
	for _, d := range runes {
		adjacent := starter >= 0 && starter == kept-1
		if starter >= 0 && (adjacent || last < d.ccc) {
			if r, ok := composePair(runes[starter].r, d.r); ok {
				runes[starter].r = r
				continue
			}
		}
		if d.ccc == 0 {
			starter, last = kept, 0
		} else {
			last = d.ccc
		}
		runes[kept] = d
		kept++
	}
	return runes[:kept]
}

func composePair(a, b rune) (rune, bool) {
	var buf, joined [2 * utf8.UTFMax]byte
	pair := utf8.AppendRune(utf8.AppendRune(buf[:0], a), b)
	out := norm.NFC.Append(joined[:0], pair...)
	r, size := utf8.DecodeRune(out)
	return r, size == len(out)
}
