package audit

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s to dst as a JSON string that is safe to print: only graphic characters stay as they are;
// control characters, invisible and bidirectional format characters and every space but U+0020 become \u escapes, and
// invalid UTF-8 becomes U+FFFD. At most limit bytes of s are kept, cut between characters and marked "…+N" with the number
// of bytes left out.
func appendString(dst []byte, s string, limit int) []byte {
	dst = append(dst, '"')
	dropped := 0
	if len(s) > limit {
		cut := limit
		for cut > 0 && cut > limit-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		dropped = len(s) - cut
		s = s[:cut]
	}
	start := 0 // of the run that needs no escape
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendASCIIEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
		} else if !unicode.IsPrint(r) {
			dst = append(dst, s[start:i]...)
			dst = appendRuneEscape(dst, r)
		} else {
			i += size
			continue
		}
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	if dropped > 0 {
		dst = append(dst, "…+"...)
		dst = strconv.AppendInt(dst, int64(dropped), 10)
	}
	return append(dst, '"')
}

func appendASCIIEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return appendUnit(dst, uint16(c))
}

func appendRuneEscape(dst []byte, r rune) []byte {
	if r < 0x10000 {
		return appendUnit(dst, uint16(r))
	}
	r -= 0x10000
	dst = appendUnit(dst, uint16(0xd800+(r>>10)))
	return appendUnit(dst, uint16(0xdc00+(r&0x3ff)))
}

// appendUnit appends one UTF-16 code unit as \uXXXX.
func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&0xf], hexDigits[u>>4&0xf], hexDigits[u&0xf])
}
