package content

import (
	"encoding/base32"
	"strings"
)

// otherRun tries what else a run may be that is no base64 and no hexadecimal as it stands: digits of character
// numbers, base32, pairs of hexadecimal digits with hyphens between them, and any of these written from its end.
func (sc *scan) otherRun(v *view, r run, text string) {
	if isDigit(text[0]) && isDigit(text[len(text)-1]) {
		if plain, ok := digitRun(text); ok {
			sc.spelledView(v, r.start, r.end, plain)
			return
		}
	}
	if len(text) >= minBase32 && base32Run(text[:minBase32]) {
		if b := base32Head(text); plausible(b[:]) {
			n := len(text) - len(text)%8
			if rest := base32Rest[len(text)%8]; rest {
				n = len(text)
			}
			if plain, err := noPadding.DecodeString(strings.ToUpper(text[:n])); err == nil && worth(plain) {
				if len(plain) > sc.budget || v.layer >= maxLayers {
					sc.incomplete(v, r.start, r.end)
					return
				}
				sc.plainView(v, r.start, r.end, plain)
				return
			}
		}
	}
	if len(text) >= minBase32 && hex32Run(text[:minBase32]) {
		var head, b [minBase32]byte
		copy(head[:], strings.ToUpper(text[:minBase32]))
		if n, err := base32.HexEncoding.Decode(b[:], head[:]); err == nil && plausible(b[:n]) && sc.hex32(v, r, text) {
			return
		}
	}
	if hyphenated(text) {
		if joined := strings.ReplaceAll(text, "-", ""); promising(joined) && len(text) <= sc.budget {
			sc.decodeText(v, r, joined)
		}
		return
	}
	if len(text) < minBackwards || text[8] == '-' {
		// A short one, or an identifier in groups.
		return
	}
	var tail [maxSniffed]byte
	for i := 0; i < len(tail) && i < len(text); i++ {
		tail[i] = text[len(text)-1-i]
	}
	if promising(string(tail[:min(len(tail), len(text))])) && len(text) <= sc.budget {
		b := []byte(text)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		sc.decodeText(v, r, string(b))
	}
}

// maxSniffed is how much of a run is turned round to tell whether it is one, in bytes.
const maxSniffed = 28

// minBackwards is the shortest run that is read from its end, in bytes.
const minBackwards = 32

// minBase32 is the shortest run that is read in base32, and base32Rest the lengths beyond a multiple of eight that it
// may have (RFC 4648).
const minBase32 = 24

var (
	base32Rest = [8]bool{2: true, 4: true, 5: true, 7: true}
	noPadding  = base32.StdEncoding.WithPadding(base32.NoPadding)

	noPaddingHex = base32.HexEncoding.WithPadding(base32.NoPadding)
)

// hex32 reads a run as base32 of the extended hexadecimal alphabet, and reports whether it is.
func (sc *scan) hex32(v *view, r run, text string) bool {
	n := len(text) - len(text)%8
	if base32Rest[len(text)%8] {
		n = len(text)
	}
	plain, err := noPaddingHex.DecodeString(strings.ToUpper(text[:n]))
	if err != nil || !worth(plain) {
		return false
	}
	if len(plain) > sc.budget || v.layer >= maxLayers {
		sc.incomplete(v, r.start, r.end)
		return true
	}
	sc.plainView(v, r.start, r.end, plain)
	return true
}

// hex32Run reports whether s is of the extended hexadecimal alphabet of base32, in one case and with a letter that no
// hexadecimal digit is.
func hex32Run(s string) bool {
	upper, lower, beyond := false, false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'v') {
			return false
		}
		upper, lower, beyond = upper || c >= 'A' && c <= 'V', lower || c >= 'a', beyond || c|0x20 > 'f'
	}
	return beyond && !(upper && lower)
}

// base32Run reports whether s is of the alphabet of base32, in one case.
func base32Run(s string) bool {
	lower := s[0] >= 'a'
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(isLetter(c) && (c >= 'a') == lower || c >= '2' && c <= '7') {
			return false
		}
	}
	return true
}

// base32Head decodes the first minBase32 characters of a run of base32.
func base32Head(s string) (b [minBase32 * 5 / 8]byte) {
	v, bits, n := uint(0), 0, 0
	for i := range minBase32 {
		digit := s[i]&0x1f - 1
		if isDigit(s[i]) {
			digit = s[i] - '2' + 26
		}
		v = v<<5 | uint(digit)
		if bits += 5; bits >= 8 {
			bits -= 8
			b[n] = byte(v >> bits)
			n++
		}
	}
	return b
}

// hyphenated reports whether s is pairs of hexadecimal digits with hyphens between them.
func hyphenated(s string) bool {
	if len(s)%3 != 2 || len(s) < 3*minCodes-1 {
		return false
	}
	for i := 0; i < 3*minCodes-1; i += 3 {
		if !isHex(s[i]) || !isHex(s[i+1]) || i+2 < 3*minCodes-1 && s[i+2] != '-' {
			return false
		}
	}
	return true
}
