package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// span is a stretch of the pipeline's text, in bytes.
type span struct{ lo, hi int32 }

// words is the text and the pieces that the model looks at one by one. Pieces
// are in order, do not overlap and are not empty.
type words struct {
	text   *aligned
	spare  *aligned
	splits []span
	next   []span
}

// preTokenizer is one step from the text to words.
type preTokenizer interface {
	split(w *words)
}

// cut adds the piece [lo, hi) unless it is empty.
func (w *words) cut(lo, hi int) {
	if lo < hi {
		w.next = append(w.next, span{int32(lo), int32(hi)})
	}
}

// swapSplits makes the pieces cut since the last call the current ones.
func (w *words) swapSplits() {
	w.splits, w.next = w.next, w.splits[:0]
}

// prependScheme says before which pieces Metaspace puts its mark.
type prependScheme uint8

const (
	prependAlways prependScheme = iota
	prependFirst
	prependNever
)

// metaspace turns spaces into a visible mark, puts one in front, and cuts
// before every mark.
type metaspace struct {
	mark   string
	scheme prependScheme
	cut    bool
}

func (p metaspace) split(w *words) {
	src, dst := w.text, w.spare
	dst.reset(len(src.text) + len(src.text)/2 + len(p.mark)*(len(w.splits)+1))
	dst.ascii = false
	for _, s := range w.splits {
		lo := len(dst.text)
		first := src.text[s.lo]
		marked := first == ' ' || hasPrefix(src.text[s.lo:s.hi], p.mark)
		// The reference asks whether the piece begins where the original
		// did: if a normalizer dropped something there, none does.
		atStart := src.from[s.lo] == 0
		if !marked && (p.scheme == prependAlways || p.scheme == prependFirst && atStart) {
			from := src.from[s.lo]
			to := from
			if s.lo > 0 { // two pieces may come of one rune
				to = max(to, src.to[s.lo-1])
			}
			dst.pushString(p.mark, from, to)
		}
		start, done := lo, int(s.lo)
		for i := done; i < int(s.hi); i++ {
			c := src.text[i]
			if c != ' ' && (c != p.mark[0] || !hasPrefix(src.text[i:s.hi], p.mark)) {
				continue
			}
			dst.pushSpan(src, done, i)
			done = i
			if p.cut {
				w.cut(start, len(dst.text))
				start = len(dst.text)
			}
			if c == ' ' {
				dst.pushString(p.mark, src.from[i], src.to[i])
				done++
			}
		}
		dst.pushSpan(src, done, int(s.hi))
		w.cut(start, len(dst.text))
	}
	w.text, w.spare = dst, src
	w.swapSplits()
}

func hasPrefix(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[:len(s)]) == s
}

// behavior says what becomes of the runes that a splitter matches.
type behavior uint8

const (
	removed behavior = iota
	isolated
	contiguous
	mergedWithPrevious
	mergedWithNext
)

// splitRunes cuts at the runes for which match holds.
type splitRunes struct {
	match    func(rune) bool
	behavior behavior
}

func (p splitRunes) split(w *words) {
	for _, s := range w.splits {
		p.piece(w, int(s.lo), int(s.hi))
	}
	w.swapSplits()
}

func (p splitRunes) piece(w *words, lo, hi int) {
	text := w.text.text
	start, previous := lo, false
	for i := lo; i < hi; {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:hi])
		}
		m := p.match(r)
		switch p.behavior {
		case removed:
			if m {
				w.cut(start, i)
				start = i + size
			}
		case isolated:
			if m {
				w.cut(start, i)
				w.cut(i, i+size)
				start = i + size
			}
		case contiguous:
			if m != previous {
				w.cut(start, i)
				start = i
			}
		case mergedWithPrevious:
			if previous {
				w.cut(start, i)
				start = i
			}
		case mergedWithNext:
			if m {
				w.cut(start, i)
				start = i
			}
		}
		previous = m
		i += size
	}
	w.cut(start, hi)
}

// sequence runs steps in order.
type sequence []preTokenizer

func (p sequence) split(w *words) {
	for _, step := range p {
		step.split(w)
	}
}

// isPunctuation is the reference's: ASCII symbols and the general category P of
// the Unicode version it was built with.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.Is(referencePunctuation, r)
}
