package content

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted returns the text of the string whose quotation mark is at byte i, and where it ends, 0 when it is not valid: it has
// a control character, an escape that means nothing, half a surrogate pair, or no UTF-8. A string without escapes is not copied.
func (w *walker) quoted(i int) (text string, end int) {
	src, start := w.src, i+1
	end, high := plainText(src, start)
	switch {
	case end == len(src):
		return "", 0
	case src[end] == '\\':
		return w.unescaped(start, end)
	case src[end] != '"':
		return "", 0
	}
	text = src[start:end]
	if high && !validText(text) {
		return "", 0
	}
	return text, end + 1
}

// unescaped is quoted for a string that begins at byte start, behind its quotation mark, and whose first escape is at byte i.
// It is copied eight bytes at once, up to the next byte that means something: texts that are JSON have an escape every few.
func (w *walker) unescaped(start, i int) (text string, end int) {
	src := w.src
	if need := len(src) - start + 8; cap(w.text) < need {
		w.text = make([]byte, need)
	}
	b := w.text[:cap(w.text)]
	n := copy(b, src[start:i])
	for {
		for i+8 <= len(src) {
			eight := bytes8(src, i)
			binary.LittleEndian.PutUint64(b[n:n+8], eight)
			size := 8
			if at := telling8(eight); at != 0 {
				size = bits.TrailingZeros64(at) / 8
			}
			i, n = i+size, n+size
			if size < 8 {
				break
			}
		}
		for i < len(src) && src[i] >= ' ' && src[i] != '"' && src[i] != '\\' {
			b[n] = src[i]
			i, n = i+1, n+1
		}
		switch {
		case i == len(src) || src[i] < ' ':
			return "", 0
		case src[i] == '"':
			if text = string(b[:n]); !validText(text) {
				return "", 0
			}
			return text, i + 1
		}
		r, size := escaped(src[i:])
		if size == 0 {
			return "", 0
		}
		i, n = i+size, n+utf8.EncodeRune(b[n:n+utf8.UTFMax], r)
	}
}

// plainText returns where the characters from byte i on end that stand for themselves, at the latest where src ends, and
// whether any of them is not ASCII.
func plainText(src string, i int) (end int, high bool) {
	all := uint64(0)
	for ; i+8 <= len(src); i += 8 {
		eight := bytes8(src, i)
		if at := telling8(eight); at != 0 {
			n := bits.TrailingZeros64(at)
			return i + n/8, (all|eight&(1<<n-1))&highBits != 0
		}
		all |= eight
	}
	for ; i < len(src) && src[i] >= ' ' && src[i] != '"' && src[i] != '\\'; i++ {
		all |= uint64(src[i])
	}
	return i, all&highBits != 0
}

// validText is utf8.ValidString for texts of which much is not ASCII. How long a character is is nothing that the processor could
// guess, so every byte takes the same step (the shift-based automaton of Per Vognsen, over table 3-7 of the Unicode Standard).
func validText(s string) bool {
	state := uint64(betweenRunes)
	i := asciiEnd(s, 0)
	for ; i+8 <= len(s); i += 8 {
		eight := bytes8(s, i)
		if eight&highBits == 0 && state&63 == betweenRunes {
			continue
		}
		state = runeSteps[byte(eight)] >> (state & 63)
		state = runeSteps[byte(eight>>8)] >> (state & 63)
		state = runeSteps[byte(eight>>16)] >> (state & 63)
		state = runeSteps[byte(eight>>24)] >> (state & 63)
		state = runeSteps[byte(eight>>32)] >> (state & 63)
		state = runeSteps[byte(eight>>40)] >> (state & 63)
		state = runeSteps[byte(eight>>48)] >> (state & 63)
		state = runeSteps[eight>>56] >> (state & 63)
	}
	for ; i < len(s); i++ {
		state = runeSteps[s[i]] >> (state & 63)
	}
	return state&63 == betweenRunes
}

// The states of validText: how many bytes are due that continue a character, and for four first bytes that not every second one
// follows. A state is the place in a step of the six bits that are the next state.
const (
	noRune = 6 * iota
	betweenRunes
	oneDue
	twoDue
	threeDue
	afterE0
	afterED
	afterF0
	afterF4
)

// runeSteps are the steps from all states, by byte.
var runeSteps = func() (t [256]uint64) {
	for _, s := range [...]struct{ from, first, last, to int }{
		{betweenRunes, 0x00, 0x7f, betweenRunes}, {betweenRunes, 0xc2, 0xdf, oneDue}, {betweenRunes, 0xe0, 0xe0, afterE0}, {betweenRunes, 0xe1, 0xec, twoDue},
		{betweenRunes, 0xed, 0xed, afterED}, {betweenRunes, 0xee, 0xef, twoDue}, {betweenRunes, 0xf0, 0xf0, afterF0}, {betweenRunes, 0xf1, 0xf3, threeDue},
		{betweenRunes, 0xf4, 0xf4, afterF4}, {oneDue, 0x80, 0xbf, betweenRunes}, {twoDue, 0x80, 0xbf, oneDue}, {threeDue, 0x80, 0xbf, twoDue},
		{afterE0, 0xa0, 0xbf, oneDue}, {afterED, 0x80, 0x9f, oneDue}, {afterF0, 0x90, 0xbf, twoDue}, {afterF4, 0x80, 0x8f, twoDue},
	} {
		for c := s.first; c <= s.last; c++ {
			t[c] |= uint64(s.to) << s.from
		}
	}
	return t
}()

// telling8 returns bits of which the lowest is the highest of the first of eight bytes that means something in a string: a
// quotation mark, a backslash or a control character. Bits above it say nothing, because of the borrow. It is 0 for none.
func telling8(eight uint64) uint64 {
	const ones = 0x0101010101010101
	quote, slash := eight^'"'*ones, eight^'\\'*ones
	return ((quote-ones)&^quote | (slash-ones)&^slash | (eight-' '*ones)&^eight) & highBits
}

// shortEscape is what an escape of one letter stands for, by the letter, 0 where there is none.
var shortEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped returns the character that the escape at the start of s stands for, a pair of them as a surrogate pair, and the
// length of it in s, 0 when it stands for none.
func escaped(s string) (rune, int) {
	if len(s) > 1 && shortEscape[s[1]] != 0 {
		return rune(shortEscape[s[1]]), 2
	}
	r := numbered4(s)
	if !utf16.IsSurrogate(r) {
		return r, 6 * boolInt(r >= 0)
	}
	if r = utf16.DecodeRune(r, numbered4(s[6:])); r == utf8.RuneError {
		return r, 0
	}
	return r, 12
}

// numbered4 returns the number in the escape \uXXXX that s begins with, -1 when it does not.
func numbered4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || !isHexRun(s[2:6]) {
		return -1
	}
	return hex4(s[2:6])
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
