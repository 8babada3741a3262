package content

import (
	"slices"
	"strings"
)

// Signs for letters that are read by touch and by ear, and that models read as well.

// brailleLetters are the signs of the small letters in Braille, from a; brailleSpace is the sign without dots.
var brailleLetters = []rune("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵")

const brailleSpace = '⠀'

// dotted writes a small letter in Braille.
func dotted(r rune) rune {
	switch {
	case r == ' ':
		return brailleSpace
	case r >= 'a' && r <= 'z':
		return brailleLetters[r-'a']
	}
	return r
}

// undotted reads a letter in Braille.
func undotted(r rune) rune {
	if r == brailleSpace {
		return ' '
	}
	if i := slices.Index(brailleLetters, r); i >= 0 {
		return rune('a' + i)
	}
	return r
}

// morseLetters are the signs of the letters in Morse (ITU-R M.1677-1), from a.
var morseLetters = strings.Fields(".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..")

// keyed writes small letters in Morse, with a space between letters and a slash between words.
func keyed(s string) string {
	var b strings.Builder
	for i, c := range s {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case c == ' ':
			b.WriteByte('/')
		case c >= 'a' && c <= 'z':
			b.WriteString(morseLetters[c-'a'])
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// unkeyed reads letters in Morse. A space between two of them is none in the text; more than one, a line or a slash ends a word, and
// what is no letter stays.
func unkeyed(s string) string {
	var b strings.Builder
	letter := false
	for i := 0; i < len(s); {
		end := until(s, i, morseGaps)
		n := slices.Index(morseLetters, s[i:end])
		if letter && n < 0 {
			b.WriteByte(' ')
		}
		if letter = n >= 0; letter {
			b.WriteByte(byte('a' + n))
		} else {
			b.WriteString(s[i:end])
		}
		gap := extent(s, end, len(s), morseGaps)
		if gap > end && (!letter || gap-end > 1 || s[end] != ' ') {
			b.WriteByte(' ')
			letter = false
		}
		i = gap
	}
	return b.String()
}

// morseGaps are what stands between letters and words in Morse.
var morseGaps = newCharset(" /\r\n")
