package content

import (
	"unicode"
	"unicode/utf8"
)

// script is the coarse writing system of a character, as far as invisible characters behave differently in it.
type script uint8

const (
	scriptNone    script = iota // digits, punctuation, space
	scriptPlain                 // Latin, Greek, Cyrillic, Armenian, Georgian: nothing invisible belongs between their letters
	scriptJoining               // Arabic, Indic and others whose letters change shape: joiners belong there
	scriptRTL                   // right-to-left: direction marks belong there; the joining ones among them are scriptJoining
	scriptDense                 // Thai, Khmer, Chinese and others without spaces: zero-width spaces belong there
	scriptSymbol                // emoji and symbols: joiners and variation selectors belong there
)

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if isLetter(byte(r)) {
			return scriptPlain
		}
		return scriptNone
	case r < 0x590:
		if unicode.IsLetter(r) {
			return scriptPlain
		}
		if r == 0xa9 || r == 0xae {
			return scriptSymbol
		}
		return scriptNone
	case r < 0x600, r >= 0x7c0 && r < 0x800, r >= 0xfb1d && r < 0xfb50:
		return scriptRTL
	case r < 0x7c0, r >= 0x840 && r < 0xe00, r >= 0xf00 && r < 0x1000, r >= 0x1800 && r < 0x18b0,
		r >= 0xfb50 && r < 0xfe00, r >= 0xfe70 && r < 0xfeff, r >= 0xa840 && r < 0xa880, r >= 0xa8e0 && r < 0xaa00,
		r >= 0x1b00 && r < 0x1c00, r >= 0x11000 && r < 0x12000, r >= 0x1e900 && r < 0x1e960:
		return scriptJoining
	case r < 0x840:
		return scriptRTL
	case r < 0xf00, r >= 0x1000 && r < 0x10a0, r >= 0x1780 && r < 0x1800, r >= 0x1950 && r < 0x1ab0,
		r >= 0x2e80 && r < 0xa4d0, r >= 0xaa00 && r < 0xab00, r >= 0xac00 && r < 0xd7b0, r >= 0xf900 && r < 0xfb00,
		r >= 0x20000 && r < 0x40000, r >= 0xff65 && r < 0xffdd:
		return scriptDense
	case r >= 0x2190 && r < 0x2c00, r >= 0x1f000 && r < 0x20000, r == 0x203c, r == 0x2049, r == 0x2122, r == 0x2139:
		return scriptSymbol
	}
	if unicode.IsLetter(r) {
		return scriptPlain
	}
	if unicode.Is(unicode.So, r) {
		return scriptSymbol
	}
	return scriptNone
}

// invisible classes.
type invisible uint8

const (
	visible       invisible = iota
	invSpace                // zero-width space
	invJoiner               // ZWJ, ZWNJ
	invGlue                 // word joiner, BOM inside text, invisible operators
	invSoft                 // soft hyphen
	invMark                 // LRM, RLM, ALM
	invEmbed                // bidi embeddings and isolates
	invOverride             // bidi overrides
	invTag                  // tag block
	invSelector             // variation selectors 1 to 16
	invSupplement           // variation selectors 17 to 256, Mongolian ones excluded
	invFiller               // fillers that have a width or none, and no glyph
	invAnnotation
)

func invisibleOf(r rune) invisible {
	switch {
	case r < 0xad:
		return visible
	case r == 0xad:
		return invSoft
	case r < 0x34f:
		return visible
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x180e, r == 0x2800, r == 0x3164, r == 0xffa0,
		r >= 0x1d173 && r <= 0x1d17a, r >= 0x1bca0 && r <= 0x1bca3:
		return invFiller
	case r == 0x61c, r == 0x200e, r == 0x200f:
		return invMark
	case r == 0x200b:
		return invSpace
	case r == 0x200c, r == 0x200d:
		return invJoiner
	case r == 0x202d, r == 0x202e:
		return invOverride
	case r >= 0x202a && r <= 0x202c, r >= 0x2066 && r <= 0x2069:
		return invEmbed
	case r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return invGlue
	case r >= 0xfe00 && r <= 0xfe0f:
		return invSelector
	case r >= 0xfff9 && r <= 0xfffb:
		return invAnnotation
	case r >= 0xe0000 && r <= 0xe007f:
		return invTag
	case r >= 0xe0100 && r <= 0xe01ef:
		return invSupplement
	}
	return visible
}

// hidden looks for characters that carry text or order and are not seen. It works on the raw text and on
// decoded text; what is innocent there depends on the letters around it.
//
// controls says whether the text has any controls of ASCII.
func (sc *scan) hidden(controls bool) {
	if sc.v.label == ViewNormalised || sc.v.label == ViewCollapsed || sc.v.label == ViewUnmarked {
		return
	}
	text := sc.text
	rtl := false
	rtlKnown := false
	hasRTL := func() bool {
		if !rtlKnown {
			rtlKnown = true
			for _, r := range text {
				if r >= 0x590 && (r < 0x8a0 || r >= 0xfb1d && r < 0xff00) && (scriptOf(r) == scriptRTL || r >= 0x600 && r < 0x8a0 || r >= 0xfb50 && r < 0xff00 && scriptOf(r) == scriptJoining) {
					rtl = true
					break
				}
			}
		}
		return rtl
	}
	last := -1 // where the last visible character is
	sc.soft, sc.softEnd = 0, 0
	marks, marksAt := 0, 0
	for i := 0; i < len(text); {
		if end, at := plainEnd(text, i, controls); end > i {
			marks, last, i = 0, at, end
			continue
		}
		c := text[i]
		if c < 0x80 {
			if sc.v.up == nil {
				// Escapes of controls are how programs write them; only a control itself is one.
				i = sc.control(i, runeAt(text, last))
				continue
			}
			marks = 0
			last = i
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r >= 0x300 && r < 0x3000 && isMark(r) {
			if marks == 0 {
				marksAt = i
			}
			if marks++; marks == maxMarks+1 {
				sc.add(detMarks, marksAt, i+n)
			} else if marks > maxMarks {
				sc.hits[len(sc.hits)-1].end = i + n
			}
			i += n
			continue
		}
		if r >= 0x80 && r < 0xa0 {
			if sc.v.up == nil {
				sc.c1(i, n, r)
			}
			i += n
			continue
		}
		k := invisibleOf(r)
		if k == visible {
			marks = 0
			last = i
			i += n
			continue
		}
		if sc.full(hiddenBy[k]) {
			i += n
			continue
		}
		i = sc.invisible(i, runeAt(text, last), hasRTL)
	}
}

// plainEnd returns where the stretch of visible characters from byte i on ends, and where the last of them is.
func plainEnd(text string, i int, controls bool) (end, last int) {
	for i < len(text) {
		c := text[i]
		// The lengths are told apart by comparisons, which the processor guesses, and not added up from a table, which it would
		// have to wait for at every character.
		switch {
		case c < utf8.RuneSelf && !controls && i+1 < len(text) && text[i+1] < utf8.RuneSelf:
			i = asciiEnd(text, i+1)
			last = i - 1
		case c < utf8.RuneSelf:
			if byteClass[c]&classControl != 0 {
				return i, last
			}
			last = i
			i++
		case c < 0xe0:
			if unseen.has2(text[i : i+2]) {
				return i, last
			}
			last = i
			i += 2
		case c < 0xf0:
			if unseen.has3(text[i : i+3]) {
				return i, last
			}
			last = i
			i += 3
		default:
			if r, _ := utf8.DecodeRuneInString(text[i:]); invisibleOf(r) != visible {
				return i, last
			}
			last = i
			i += 4
		}
	}
	return i, last
}

// hiddenBy is the detector that an invisible character is most of all a matter of. When it can add nothing to the
// report, the character is passed over, and judged with what follows it where that is another matter.
var hiddenBy = [...]*detector{
	invSpace: detZeroWidth, invJoiner: detZeroWidth, invGlue: detZeroWidth, invSoft: detZeroWidth, invFiller: detZeroWidth,
	invMark: detBidi, invEmbed: detBidi, invOverride: detBidi, invTag: detTags, invSelector: detVariation, invSupplement: detVariation,
	invAnnotation: detFormat,
}

// runeAt returns the character at byte i, -1 when i is.
func runeAt(text string, i int) rune {
	if i < 0 {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r
}

// unseen are the characters that hidden looks at: those that are invisible, combining marks and controls.
var unseen = newRuneSet(func(r rune) bool {
	return invisibleOf(r) != visible || r >= 0x300 && r < 0x3000 && isMark(r) || r >= 0x80 && r < 0xa0
})

// maxMarks is how many combining marks may stand on one character: the richest orthographies need fewer.
const maxMarks = 8

// isMark reports whether r is a combining mark of the blocks that are used to pile them up.
func isMark(r rune) bool {
	return r < 0x370 && r != 0x34f || r >= 0x483 && r < 0x48a || r >= 0x1ab0 && r < 0x1b00 || r >= 0x1dc0 && r < 0x1e00 || r >= 0x20d0 && r < 0x2100
}

// Smuggled text needs many characters; a stray one needs none.
const (
	longInvisible = 8 // invisible characters in a row that hide something wherever they are
	longSelectors = 3 // variation selectors in a row: no character takes more than one, some editors leave two
)

// invisible judges the run of invisible characters at byte i and returns its end.
func (sc *scan) invisible(i int, prev rune, hasRTL func() bool) int {
	text := sc.text
	var count [invAnnotation + 1]int32
	end, total := i, int32(0)
	first, last := rune(-1), rune(-1)
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		k := invisibleOf(r)
		if k == visible {
			break
		}
		if first < 0 {
			first = r
		}
		last = r
		count[k]++
		total++
		end += n
	}
	next := rune(-1)
	if end < len(text) {
		next, _ = utf8.DecodeRuneInString(text[end:])
	}
	before, after := scriptOf(max(prev, 0)), scriptOf(max(next, 0))
	plain := before == scriptPlain && after == scriptPlain
	switch {
	case count[invTag] > 0:
		if n := flagTags(text[i:], prev); n > 0 {
			return i + n
		}
		sc.add(detTags, i, end)
	case count[invSupplement] > 0 && (total > 1 || before != scriptDense),
		count[invSelector] >= longSelectors,
		count[invSelector] == 2 && total == 2 && first != last:
		sc.add(detVariation, i, end)
	case count[invOverride] > 0:
		if hasRTL() && !plain {
			sc.review(detBidi, i, end, Review)
		} else {
			sc.add(detBidi, i, end)
		}
	case total >= longInvisible && !(count[invJoiner]+count[invSoft] == total && before == scriptJoining):
		sc.add(detZeroWidth, i, end)
	case count[invEmbed]+count[invMark] > 0:
		if plain && !hasRTL() {
			sc.add(detBidi, i, end)
		} else if !hasRTL() && before != scriptSymbol && after != scriptSymbol {
			sc.review(detFormat, i, end, Note)
		}
	case count[invSpace]+count[invGlue] > 0:
		switch {
		case i == 0 && first == 0xfeff && total == 1, before == scriptDense || after == scriptDense,
			before == scriptJoining || after == scriptJoining:
		case plain:
			sc.add(detZeroWidth, i, end)
		default:
			sc.review(detFormat, i, end, Note)
		}
	case count[invJoiner] > 0:
		switch {
		case before == scriptJoining || after == scriptJoining || before == scriptRTL || before == scriptSymbol && after == scriptSymbol,
			before == scriptDense || after == scriptDense, before == scriptSymbol, after == scriptSymbol:
		case plain:
			sc.add(detZeroWidth, i, end)
		default:
			sc.review(detFormat, i, end, Note)
		}
	case count[invFiller] > 0:
		if plain {
			sc.add(detZeroWidth, i, end)
		} else if before != scriptDense && before != scriptJoining {
			sc.review(detFormat, i, end, Note)
		}
	case count[invAnnotation] > 0:
		sc.review(detFormat, i, end, Review)
	case count[invSoft] > 0:
		// A hyphenator never cuts a word into single letters.
		if i-sc.softEnd <= utf8.UTFMax && sc.softEnd > 0 && utf8.RuneCountInString(text[sc.softEnd:i]) == 1 {
			sc.soft++
		} else {
			sc.soft = 0
		}
		sc.softEnd = end
		if plain && (total > 1 || sc.soft >= 2) {
			sc.add(detZeroWidth, i, end)
		}
	case count[invSelector] > 0:
		if before == scriptPlain {
			sc.review(detFormat, i, end, Review)
		}
	}
	return end
}

// flagTags returns the length of a well-formed flag: the tags of a region that has a flag emoji, closed, after
// the black flag; else 0. Any other tags spell text.
func flagTags(s string, prev rune) int {
	if prev != 0x1f3f4 {
		return 0
	}
	var name []byte
	for i, r := range s {
		switch {
		case r == 0xe007f:
			switch n := string(name); {
			case n == "gbeng", n == "gbsct", n == "gbwls", n == "gbnir", len(n) == 4 && n[:2] == "us":
				return i + utf8.RuneLen(r)
			}
			return 0
		case r >= 0xe0061 && r <= 0xe007a && len(name) < 6:
			name = append(name, byte(r-0xe0000))
		default:
			return 0
		}
	}
	return 0
}

// control judges the control character at byte i and returns where to go on.
func (sc *scan) control(i int, prev rune) int {
	text := sc.text
	switch text[i] {
	case 0x1b:
		if n := ansiLength(text[i:]); n > 0 {
			sc.add(detAnsi, i, i+n)
			return i + n
		}
	case '\f', '\v':
		return i + 1
	case '\b':
		// Manual pages print bold and underlined text by striking over.
		if i > 0 && i+1 < len(text) && (text[i-1] == text[i+1] || text[i-1] == '_' || text[i+1] == '_') {
			return i + 1
		}
	}
	if text[i] == 0 && i+2 < len(text) && text[i+2] == 0 && text[i+1] != 0 {
		// UTF-16 that was read as bytes; letters that were set apart on purpose show in the collapsed view.
		sc.review(detControl, i, i+1, Review)
		return i + 1
	}
	end := i + 1
	for end < len(text) && byteClass[text[end]]&classControl != 0 && text[end] != 0x1b {
		end++
	}
	if prev >= 0 && scriptOf(prev) != scriptNone && end < len(text) && isLetter(text[end]) {
		sc.add(detControl, i, end)
	} else {
		sc.review(detControl, i, end, Review)
	}
	return end
}

// c1 judges a C1 control. Those that stand where Windows-1252 has punctuation are mostly text that was
// decoded wrongly.
func (sc *scan) c1(i, n int, r rune) {
	switch {
	case r == 0x85, r >= 0x91 && r <= 0x97, r == 0x80, r == 0x99:
		sc.review(detControl, i, i+n, Note)
	default:
		sc.review(detControl, i, i+n, Review)
	}
}

// maxANSI bounds a terminal escape sequence, in bytes.
const maxANSI = 64

// ansiLength returns the length of the colour or cursor sequence at the start of s, 0 when it is none. Terminal
// commands that set a title or a link carry text and end with BEL or ST.
func ansiLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && i < maxANSI; i++ {
			switch c := s[i]; {
			case c >= 0x40 && c <= 0x7e:
				return i + 1
			case c < 0x20 || c > 0x3f:
				return 0
			}
		}
	case ']':
		for i := 2; i < len(s) && i < 4*maxANSI; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				// It ends the sequence, or breaks it off.
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2
				}
				return 0
			}
		}
	case '(', ')':
		if len(s) > 2 {
			return 3
		}
	case '=', '>', '7', '8', 'c', 'M', 'D', 'E':
		return 2
	}
	return 0
}
