package content

import (
	"strings"
	"unicode/utf8"
)

// A text may be written as the numbers of its characters: "73 103 110", chr(73)+chr(103), \111\147, 1001001 1100111.
const (
	minCodes   = 12 // numbers in a row
	maxCodeGap = 10 // bytes between two: ")+CHR(", " . ", ");\n"
	maxCode    = 8  // digits of one
)

// numeral is a base in which characters are numbered, and the numbers in it that were read without a break.
type numeral struct {
	base     int
	from, to int
	count    int
	letters  int
	text     []byte
}

// codeViews reads rows of numbers of v as the characters that they number, in base ten, eight and two.
func (sc *scan) codeViews(v *view) {
	text := v.text
	rows := &sc.rows
	rows[0].base, rows[1].base, rows[2].base = 10, 8, 2
	end := -1 - maxCodeGap // of the number before
	none := [len(rows)]byte{}
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		if i == start+1 && text[start] == '0' && i < len(text) && (text[i]|0x20 == 'o' || text[i]|0x20 == 'b') && i+1 < len(text) && isDigit(text[i+1]) {
			// The mark of a base: 0o111.
			i++
			continue
		}
		far := start-end > maxCodeGap
		end = i
		codes := codesOf(text[start:i])
		if codes == none && rows[0].count|rows[1].count|rows[2].count == 0 {
			continue
		}
		for k, c := range codes {
			r := &rows[k]
			if r.count > 0 && (far || c == 0) {
				sc.codeView(v, r)
			}
			if c != 0 {
				r.take(c, start, i)
			}
		}
	}
	for k := range rows {
		sc.codeView(v, &rows[k])
	}
}

// noCode reports whether a number of so many digits, which begins with first, is that of no character in any base: it ends
// every row.
func noCode(first byte, digits int) bool {
	switch digits {
	case 1:
		return first != '9'
	case 3, 4:
		return first > '1'
	case 5:
		return true
	}
	return digits > maxCode
}

// codesOf returns the characters that a number stands for in base ten, eight and two, as code does.
func codesOf(digits string) (codes [3]byte) {
	switch n := len(digits); {
	case n >= 2 && n <= 4, digits == "9":
		decimal, octal, not := 0, 0, byte(0)
		for i := 0; i < n; i++ {
			d := digits[i] - '0'
			decimal, octal, not = decimal*10+int(d), octal<<3|int(d), not|d&8
		}
		codes[0] = printed(decimal)
		if not == 0 {
			codes[1] = printed(octal)
		}
	case n >= 6 && n <= maxCode:
		r := numeral{base: 2}
		codes[2] = r.code(digits)
	}
	return codes
}

// printed returns the character of printed ASCII that has the number n, 0 when none has.
func printed(n int) byte {
	if n >= ' ' && n < 0x7f || n == '\n' || n == '\t' || n == '\r' {
		return byte(n)
	}
	return 0
}

// code returns the character that a number in this base stands for, 0 for none of printed ASCII.
func (r *numeral) code(digits string) byte {
	if len(digits) > maxCode || r.base == 2 && len(digits) < 6 || r.base != 2 && (len(digits) > 4 || len(digits) < 2 && digits != "9") {
		return 0
	}
	n := 0
	for i := 0; i < len(digits); i++ {
		d := int(digits[i] - '0')
		if d >= r.base {
			return 0
		}
		n = n*r.base + d
	}
	return printed(n)
}

func (r *numeral) take(c byte, start, end int) {
	if r.count == 0 {
		r.from, r.text, r.letters = start, r.text[:0], 0
	}
	r.to = end
	r.count++
	if isLetter(c) {
		r.letters++
	}
	r.text = append(r.text, c)
}

// codeView queues what a row stands for, when most of it is letters, and begins a new one.
func (sc *scan) codeView(v *view, r *numeral) {
	n := r.count
	r.count = 0
	if n >= minCodes && 2*r.letters > n {
		sc.spelledView(v, r.from, r.to, string(r.text))
	}
}

// spelledView queues a text that the span lo..hi of v spells.
func (sc *scan) spelledView(v *view, lo, hi int, text string) {
	if v.layer >= maxLayers || len(text) > sc.budget {
		sc.incomplete(v, lo, hi)
		return
	}
	sc.budget -= len(text)
	sc.enqueue(view{text: text, label: ViewDecoded, up: v, whole: true, lo: lo, hi: hi, layer: v.layer + 1})
}

// digitRun reads a run of nothing but digits as the numbers of characters of three digits each, or of eight in base
// two.
func digitRun(s string) (string, bool) {
	for _, r := range [...]struct {
		numeral
		width int
	}{{numeral{base: 2}, 8}, {numeral{base: 10}, 3}} {
		if len(s)%r.width != 0 || len(s) < minCodes*r.width {
			continue
		}
		b := make([]byte, 0, len(s)/r.width)
		for i := 0; i < len(s); i += r.width {
			c := r.code(s[i : i+r.width])
			if c == 0 {
				break
			}
			b = append(b, c)
		}
		if len(b)*r.width == len(s) {
			return string(b), true
		}
	}
	return "", false
}

// quotedStep undoes what quoted-printable writes (RFC 2045): an equals sign with two hexadecimal digits, and one that
// ends a line which goes on.
func quotedStep(src string, i int) (int, string) {
	if n := quotedLen(src[i:]); n > 0 {
		if src[i+1] == '\n' || src[i+1] == '\r' {
			return n, ""
		}
		b := make([]byte, 0, maxPercentRun+utf8.UTFMax)
		n = 0
		for quotedLen(src[i+n:]) == 3 && src[i+n+1] != '\r' {
			c := hexValue(src[i+n+1])<<4 | hexValue(src[i+n+2])
			if len(b) >= maxPercentRun && (utf8.RuneStart(c) || len(b) == cap(b)) {
				break
			}
			b = append(b, c)
			n += 3
		}
		return n, strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return upTo(src, i, '=')
}

// quotedLen returns the length of what quoted-printable wrote at the start of s, 0 for nothing.
func quotedLen(s string) int {
	switch {
	case len(s) < 2 || s[0] != '=':
	case s[1] == '\n':
		return 2
	case len(s) < 3:
	case s[1] == '\r' && s[2] == '\n', isHex(s[1]) && isHex(s[2]):
		return 3
	}
	return 0
}

// quotedSecond are the characters that may follow its equals sign.
var quotedSecond = newCharset(digitChars + "abcdefABCDEF\r\n")

// quotedMarks are the characters that stand alone between words: space, full stop, comma, equals sign, ends of lines.
var quotedMarks = [...]string{"20", "2e", "2c", "3d", "0a", "0d"}

// quotedPrintable reports whether a text is written in quoted-printable: it has two such characters in a row or three
// of them that are no value of a name, or a word that goes on after a line.
func quotedPrintable(text string) bool {
	single := 0
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '=')
		if n < 0 {
			return false
		}
		if i += n; i+1 < len(text) && !quotedSecond[text[i+1]] {
			continue
		}
		switch n := quotedLen(text[i:]); {
		case n == 0:
		case n == 3 && text[i+1] != '\r' && quotedLen(text[i+3:]) > 0:
			return true
		case text[i+1] == '\n' || text[i+1] == '\r':
			if i > 0 && isAlnum(text[i-1]) && i+n < len(text) && isAlnum(text[i+n]) {
				return true
			}
		case (i+3 == len(text) || isLetter(text[i+3]) || text[i+3] == '\n') && oneOf(text[i+1:], quotedMarks[:]) > 0:
			if single++; single >= 3 {
				return true
			}
		}
	}
}
