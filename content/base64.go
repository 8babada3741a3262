package content

import (
	"slices"
	"unicode/utf8"
)

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
		// Most are told by the first byte and half of the next, which begin no text and no stream.
		if !mayBegin[uint(value64[s[off]])<<6|uint(value64[s[off+1]])] {
			continue
		}
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

// begins64 reports whether base64 may stand for what is worth a view, by its first three bytes: nearly every place in a run
// where it does not begin shows bytes there that no character has.
func begins64(s string) bool {
	v := uint(value64[s[0]])<<18 | uint(value64[s[1]])<<12 | uint(value64[s[2]])<<6 | uint(value64[s[3]])
	b := [...]byte{byte(v >> 16), byte(v >> 8), byte(v)}
	if b[0] == 0x1f || b[0] == 0x78 || wideText(b[:]) {
		return true // a stream, or UTF-16 that says so
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return c >= 0xc2 && c < 0xf5
		}
	}
	return true
}

// mayBegin are the first twelve bits of what plausible accepts.
var mayBegin = func() (t [1 << 12]bool) {
	for i := range t {
		c, next := byte(i>>4), byte(i<<4)
		switch {
		case c == 0 || c == 0x1f || c == 0x78 || c >= 0xfe:
			t[i] = true
		case c < utf8.RuneSelf:
			t[i] = byteClass[c]&classControl == 0 && (next < 0x80 || next >= 0xc0)
		case c >= 0xc2 && c < 0xf5:
			t[i] = next >= 0x80 && next < 0xc0 || next == 0
		}
	}
	return t
}()

// plausible reports whether bytes may begin a text or a compressed stream.
func plausible(b []byte) bool {
	if len(b) < 10 {
		return false
	}
	if compressed(b) || wideText(b) || b[1] == 0 && b[3] == 0 && b[5] == 0 || b[0] == 0 && b[2] == 0 && b[4] == 0 {
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

// decode64 decodes base64 of either alphabet, padded or not, up to where it stops being base64. A trailing odd
// character is dropped. Text that mixes the alphabets is neither.
func decode64(s string) []byte {
	if b := appendBase64(nil, s); len(b) > 0 {
		return b
	}
	return nil
}

// appendBase64 appends what decode64 returns to b.
func appendBase64(b []byte, s string) []byte {
	for s != "" && s[len(s)-1] == '=' {
		s = s[:len(s)-1]
	}
	s = s[:len(s)-boolInt(len(s)%4 == 1)]
	before := len(b)
	b = slices.Grow(b, len(s)*3/4)
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
		return b[:before]
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

// decodePrefix returns the text of base64 at the start of s, for a look only.
func decodePrefix(s string) string {
	n := extent(s, 0, 4096, setAllB64)
	return string(decode64(s[:n]))
}
