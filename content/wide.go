package content

import (
	"unicode/utf16"
	"unicode/utf8"
)

// wideText reports whether bytes are UTF-16 that begins with its mark.
func wideText(b []byte) bool {
	return len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
}

// narrowed returns UTF-16 behind its mark as UTF-8. It is a text when each unit is printed, or part of a pair; the last
// may be cut.
func narrowed(b []byte) ([]byte, bool) {
	high := boolInt(b[0] == 0xff) // where the high byte of each pair stands
	out := make([]byte, 0, len(b))
	for i := 2; i+1 < len(b); i += 2 {
		r := rune(b[i+high])<<8 | rune(b[i+1-high])
		if utf16.IsSurrogate(r) {
			if i+3 >= len(b) {
				break
			}
			i += 2
			if r = utf16.DecodeRune(r, rune(b[i+high])<<8|rune(b[i+1-high])); r == utf8.RuneError {
				return nil, false
			}
		}
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0xfffe && r <= 0xffff {
			return nil, false
		}
		out = utf8.AppendRune(out, r)
	}
	return out, len(out) > 0
}
