package content

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote decodes a JSON string token that the decoder has accepted already, so nothing is checked again: it
// hops from escape to escape. A token without escapes costs no copy.
func unquote(token string) string {
	s := token[1 : len(token)-1]
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var one [utf8.UTFMax]byte
	for {
		b.WriteString(s[:i])
		plain, n := unescape(one[:0], s[i:])
		b.Write(plain)
		s = s[i+n:]
		if i = strings.IndexByte(s, '\\'); i < 0 {
			b.WriteString(s)
			return b.String()
		}
	}
}

// unescape appends what the escape sequence at the start of s stands for and returns its length in s.
func unescape(b []byte, s string) ([]byte, int) {
	switch c := s[1]; c {
	case 'n':
		return append(b, '\n'), 2
	case 't':
		return append(b, '\t'), 2
	case 'r':
		return append(b, '\r'), 2
	case 'b':
		return append(b, '\b'), 2
	case 'f':
		return append(b, '\f'), 2
	case 'u':
		r := hex4(s[2:6])
		if utf16.IsSurrogate(r) && len(s) >= 12 {
			return utf8.AppendRune(b, utf16.DecodeRune(r, hex4(s[8:12]))), 12
		}
		return utf8.AppendRune(b, r), 6
	default:
		return append(b, c), 2
	}
}

func hex4(s string) rune {
	var r rune
	for i := 0; i < 4; i++ {
		r = r<<4 | rune(hexValue(s[i]))
	}
	return r
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}
