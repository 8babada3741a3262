package content

import (
	"strings"
	"unicode/utf8"
)

// unescape queues the view in which percent escapes, HTML entities and backslash escapes are undone. The three
// are undone together: one view for a text that mixes them, another layer for what is escaped twice.
func (sc *scan) unescape(v *view) {
	for i := until(v.text, 0, escapeMark); i < len(v.text); i = until(v.text, i+1, escapeMark) {
		if escapeLen(v.text[i:]) > 0 {
			sc.stepView(v, ViewDecoded, 1, escapeStep)
			return
		}
	}
}

var escapeMark = newCharset("%&\\\x1b")

// escapeLen returns the length of the escape at the start of s, 0 when there is none.
func escapeLen(s string) int {
	switch s[0] {
	case '%':
		return percentLen(s)
	case '&':
		return entityLen(s)
	case 0x1b:
		return ansiLength(s)
	}
	return backslashLen(s)
}

// escapeStep undoes the escape at i, or takes the text up to the next one.
func escapeStep(src string, i int) (int, string) {
	switch src[i] {
	case '%':
		if percentLen(src[i:]) > 0 {
			return percentStep(src, i)
		}
	case '&':
		if to, n := entity(src[i:]); n > 0 {
			return n, to
		}
	case '\\':
		if n := backslashLen(src[i:]); n > 0 {
			return backslashStep(src, i, n)
		}
	case 0x1b:
		// What a terminal does not print.
		if n := ansiLength(src[i:]); n > 0 {
			return n, ""
		}
	}
	end := until(src, i+1, escapeMark)
	return end - i, src[i:end]
}

func percentLen(s string) int {
	if len(s) >= 3 && isHex(s[1]) && isHex(s[2]) {
		return 3
	}
	if len(s) >= 6 && s[1]|0x20 == 'u' && isHex(s[2]) && isHex(s[3]) && isHex(s[4]) && isHex(s[5]) {
		return 6
	}
	return 0
}

// percentStep undoes one run of percent escapes, so that characters of several bytes come out whole. A long run
// is cut where a character begins.
func percentStep(src string, i int) (int, string) {
	if percentLen(src[i:]) == 6 {
		// As script escapes what is no byte.
		return 6, runeString(hex4(src[i+2:]))
	}
	if c := hexValue(src[i+1])<<4 | hexValue(src[i+2]); c < utf8.RuneSelf && (i+3 == len(src) || src[i+3] != '%') {
		return 3, asciiStrings[c]
	}
	b := make([]byte, 0, maxPercentRun+utf8.UTFMax)
	n := 0
	for i+n < len(src) && src[i+n] == '%' && percentLen(src[i+n:]) == 3 {
		c := hexValue(src[i+n+1])<<4 | hexValue(src[i+n+2])
		if len(b) >= maxPercentRun && (utf8.RuneStart(c) || len(b) == cap(b)) {
			break
		}
		b = append(b, c)
		n += 3
	}
	return n, strings.ToValidUTF8(string(b), "\uFFFD")
}

// maxPercentRun is how many escaped bytes are undone together, give or take the rest of a character.
const maxPercentRun = 32

func backslashLen(s string) int {
	switch {
	case len(s) >= 6 && s[1] == 'u' && isHex(s[2]) && isHex(s[3]) && isHex(s[4]) && isHex(s[5]):
		return 6
	case len(s) >= 4 && s[1] == 'x' && isHex(s[2]) && isHex(s[3]):
		return 4
	case len(s) >= 4 && s[1] == 'u' && s[2] == '{':
		if end := strings.IndexByte(s[:min(len(s), 11)], '}'); end > 3 {
			for _, c := range []byte(s[3:end]) {
				if !isHex(c) {
					return 0
				}
			}
			return end + 1
		}
	case len(s) >= 4 && s[1] >= '0' && s[1] <= '3' && isOctal(s[2]) && isOctal(s[3]):
		return 4
	case len(s) >= 10 && s[1] == 'U' && s[2] == '0' && s[3] == '0' && isHexRun(s[4:10]):
		return 10
	case len(s) >= 2 && (s[1] == 'n' || s[1] == 't' || s[1] == 'r' || s[1] == '"' || s[1] == '/'):
		return 2
	}
	return 0
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// backslashStep undoes the backslash escape of n bytes at i, or a pair that spells one character.
func backslashStep(src string, i, n int) (int, string) {
	s := src[i : i+n]
	switch s[1] {
	case 'n':
		return n, "\n"
	case 't':
		return n, "\t"
	case 'r':
		return n, "\r"
	case '"', '/':
		return n, s[1:2]
	case '0', '1', '2', '3':
		return n, runeString(rune(s[1]-'0')<<6 | rune(s[2]-'0')<<3 | rune(s[3]-'0'))
	case 'U':
		return n, string(hex4(s[2:])<<16 | hex4(s[6:]))
	case 'x':
		return n, runeString(rune(hexValue(s[2])<<4 | hexValue(s[3])))
	}
	if s[2] == '{' {
		var r rune
		for _, c := range []byte(s[3 : n-1]) {
			r = r<<4 | rune(hexValue(c))
		}
		return n, string(r)
	}
	r := hex4(s[2:])
	if r >= 0xd800 && r < 0xdc00 && i+12 <= len(src) && backslashLen(src[i+6:]) == 6 && src[i+7] == 'u' {
		if low := hex4(src[i+8 : i+12]); low >= 0xdc00 && low < 0xe000 {
			return 12, string((r-0xd800)<<10 | (low - 0xdc00) + 0x10000)
		}
	}
	return n, runeString(r)
}

// runeString is string(r) without an allocation for ASCII.
func runeString(r rune) string {
	if r >= 0 && r < 0x80 {
		return asciiStrings[r]
	}
	return string(r)
}
