package tokenizer

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// normalizer is one step from the received text to the text that is cut into
// pieces. It may change src and return it, or fill dst and return that.
type normalizer interface {
	normalize(src, dst *aligned) *aligned
}

// isSpace is the reference's white space: the Unicode property White_Space.
func isSpace(r rune) bool { return unicode.Is(unicode.White_Space, r) }

// strip removes white space at the ends.
type strip struct{ left, right bool }

func (n strip) normalize(src, _ *aligned) *aligned {
	lo, hi := 0, len(src.text)
	for n.left && lo < hi {
		r, size := utf8.DecodeRune(src.text[lo:])
		if !isSpace(r) {
			break
		}
		lo += size
	}
	for n.right && hi > lo {
		r, size := utf8.DecodeLastRune(src.text[lo:hi])
		if !isSpace(r) {
			break
		}
		hi -= size
	}
	src.keep(lo, hi)
	return src
}

// prepend puts text in front of anything that is not empty.
type prepend struct{ text string }

func (n prepend) normalize(src, dst *aligned) *aligned {
	if len(src.text) == 0 {
		return src
	}
	dst.reset(len(src.text) + len(n.text))
	dst.ascii = src.ascii
	dst.pushMapped(n.text, src.from[0], src.from[0])
	dst.pushSpan(src, 0, len(src.text))
	return dst
}

// replaceString replaces every occurrence of a fixed string.
type replaceString struct {
	old []byte
	new string
}

func (n replaceString) normalize(src, dst *aligned) *aligned {
	at := bytes.Index(src.text, n.old)
	if at < 0 {
		return src
	}
	dst.reset(len(src.text))
	dst.ascii = src.ascii
	done := 0
	for at >= 0 {
		at += done
		dst.pushSpan(src, done, at)
		done = at + len(n.old)
		dst.pushMapped(n.new, src.from[at], src.to[done-1])
		at = bytes.Index(src.text[done:], n.old)
	}
	dst.pushSpan(src, done, len(src.text))
	return dst
}

// lowercase maps every rune by itself, without context (no final sigma), as
// the reference does.
type lowercase struct{}

func (lowercase) normalize(src, dst *aligned) *aligned {
	if src.ascii {
		for i, c := range src.text {
			if 'A' <= c && c <= 'Z' {
				src.text[i] = c | 0x20
			}
		}
		return src
	}
	return mapRunes(src, dst, func(r rune, from, to int32) {
		if r == '\u0130' { // the one rune whose lower case is two
			dst.pushString("i\u0307", from, to)
			return
		}
		dst.pushRune(unicode.ToLower(r), from, to)
	})
}

// mapRunes calls emit for every rune of src; emit appends to dst.
func mapRunes(src, dst *aligned, emit func(r rune, from, to int32)) *aligned {
	dst.reset(len(src.text))
	for i := 0; i < len(src.text); {
		r, size := utf8.DecodeRune(src.text[i:])
		emit(r, src.from[i], src.to[i+size-1])
		i += size
	}
	dst.ascii = src.ascii
	return dst
}

// stripAccents drops combining marks.
type stripAccents struct{}

func (stripAccents) normalize(src, _ *aligned) *aligned {
	if src.ascii {
		return src
	}
	return dropRunes(src, func(r rune) bool { return unicode.Is(referenceMarks, r) })
}

// dropRunes removes the runes for which drop holds, in place.
func dropRunes(src *aligned, drop func(rune) bool) *aligned {
	kept := 0
	for i := 0; i < len(src.text); {
		r, size := utf8.DecodeRune(src.text[i:])
		if !drop(r) {
			for k := range size {
				src.set(kept+k, i+k)
			}
			kept += size
		}
		i += size
	}
	src.truncate(kept)
	return src
}

// nmt is the clean-up of sentencepiece's nmt_ rules: some controls vanish and
// some separators become spaces.
type nmt struct{}

func (nmt) normalize(src, dst *aligned) *aligned {
	return mapRunes(src, dst, func(r rune, from, to int32) {
		switch {
		case r >= 0x01 && r <= 0x08, r == 0x0B, r >= 0x0E && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
		case r == 0x09, r == 0x0A, r == 0x0C, r == 0x0D, r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			dst.push(' ', from, to)
		default:
			dst.pushRune(r, from, to)
		}
	})
}

// bertNormalizer is BERT's own clean-up, in the reference's order.
type bertNormalizer struct {
	cleanText, chinese, stripAccents, lowercase bool
}

func (n bertNormalizer) normalize(src, dst *aligned) *aligned {
	cur, spare := src, dst
	next := func(out *aligned) {
		if out == spare {
			cur, spare = spare, cur
		}
	}
	if n.cleanText || n.chinese {
		next(n.clean(cur, spare))
	}
	if n.stripAccents && !cur.ascii {
		next(unicodeForm{decompose: true}.normalize(cur, spare))
		next(dropRunes(cur, func(r rune) bool { return unicode.Is(referenceNonspacing, r) }))
	}
	if n.lowercase {
		next(lowercase{}.normalize(cur, spare))
	}
	return cur
}

func (n bertNormalizer) clean(src, dst *aligned) *aligned {
	return mapRunes(src, dst, func(r rune, from, to int32) {
		switch {
		case n.cleanText && (r == 0 || unicode.Is(referenceControls, r)):
		case n.cleanText && isSpace(r):
			dst.push(' ', from, to)
		case n.chinese && isChinese(r):
			dst.push(' ', from, from)
			dst.pushRune(r, from, to)
			dst.push(' ', to, to)
		default:
			dst.pushRune(r, from, to)
		}
	})
}

// isChinese reports the ideograph blocks that BERT puts spaces around.
func isChinese(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF,
		r >= 0x20000 && r <= 0x2A6DF, r >= 0x2A700 && r <= 0x2B73F, r >= 0x2B740 && r <= 0x2B81F,
		r >= 0x2B920 && r <= 0x2CEAF, r >= 0x2F800 && r <= 0x2FA1F:
		return true
	}
	return false
}
