package content

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// cipher is a way to write a text that whoever reads it undoes in the head or with a word of advice: letters that
// are moved along the alphabet, or stand in the opposite order.
type cipher uint8

const (
	cipherBackwards cipher = iota // the last character first
	cipherWords                   // every word backwards, the words in their order
	cipherUpside                  // upside down, which is read from the end
	cipherBraille                 // the dots of Braille
	cipherMorse                   // the dots and dashes of Morse, a space behind each letter
	cipherLeet                    // digits and marks for letters
	cipherMirror                  // a for z
	cipherPrintable               // all of printable ASCII moved by half of it
	cipherMoved                   // the first of those that move letters along the alphabet, by one place
	ciphers         = cipherMoved + 25
)

// maxCiphers is how many ciphers are undone in one view. No text needs two.
const maxCiphers = 3

// Bounds of what is undone, in bytes: how far around a word that betrays a cipher, and all of it. No order is as long.
const (
	cipherReach = 600
	maxCiphered = 8 << 10
)

// ciphered is the part of a view that betrays one cipher or more.
type ciphered struct {
	count int
	known [ciphers]bool
	spans [ciphers]Range
}

// betraying are the words by which a cipher is told: no order to a model does without all of them, and in a cipher
// they are no words.
var betraying = [...]string{"ignore", "disregard", "forget", "previous", "instruct", "system prompt", "your system", "you are now"}

func cipherKeywords() []keyword {
	var k []keyword
	add := func(c cipher, text string) {
		k = append(k, keyword{text: foldASCII(text), look: func(sc *scan, at int) { sc.cipher(c, at) }})
	}
	for _, w := range betraying {
		for c := cipherMirror; c < ciphers; c++ {
			add(c, c.write(w))
		}
		add(cipherBackwards, backwards(w))
		if words := backwardsByWord(w); words != backwards(w) {
			add(cipherBackwards, words)
		}
		if upside := upsideDown(w); len(upside) > len(w)+2 {
			add(cipherUpside, upside)
		}
		add(cipherBraille, cipherBraille.write(w))
		add(cipherMorse, cipherMorse.write(w))
	}
	return k
}

// cipher notes that the word at byte at betrays cipher c.
func (sc *scan) cipher(c cipher, at int) {
	p := &sc.ciphers
	lo, hi := max(0, at-cipherReach), min(len(sc.text), at+cipherReach)
	if p.known[c] {
		if hi-p.spans[c].Start > 4*maxCiphered {
			// Far more than is undone of it. The rest of the text may be in it as well.
			hi = len(sc.text)
		}
		p.spans[c].End = max(p.spans[c].End, hi)
		return
	}
	p.known[c], p.spans[c] = true, Range{lo, hi}
	p.count++
}

// leetToEnd reports whether all that is left of the current view is known to be in that cipher.
func (sc *scan) leetToEnd() bool {
	return sc.ciphers.known[cipherLeet] && sc.ciphers.spans[cipherLeet].End == len(sc.text)
}

// decipher queues what the ciphers that v betrays stand for. How one cipher is undone is no part of the text, so a
// match stands for all that was deciphered with it.
func (sc *scan) decipher(v *view) {
	left, more := maxCiphers, sc.ciphers.count
	for c := cipher(0); c < ciphers && more > 0; c++ {
		if !sc.ciphers.known[c] {
			continue
		}
		more--
		if v.undone&(1<<c) != 0 {
			// What stood in clear before.
			continue
		}
		lo, hi := wholeRunes(v.text, sc.ciphers.spans[c])
		if left == 0 || v.layer >= maxLayers || 2*min(hi-lo, maxCiphered) > sc.budget {
			sc.incomplete(v, lo, hi)
			continue
		}
		left--
		if hi-lo > maxCiphered {
			cut := lo + maxCiphered
			for !utf8.RuneStart(v.text[cut]) {
				cut--
			}
			sc.incomplete(v, cut, hi)
			hi = cut
		}
		sc.plainCipher(v, lo, hi, c)
		if c == cipherBackwards {
			sc.plainCipher(v, lo, hi, cipherWords)
		}
	}
}

func (sc *scan) plainCipher(v *view, lo, hi int, c cipher) {
	text := c.read(v.text[lo:hi])
	undone := v.undone | 1<<c
	switch {
	case c == cipherWords:
		undone |= 1 << cipherBackwards
	case c >= cipherMoved:
		// A text that has words in clear has them moved the other way now.
		undone |= 1<<ciphers - 1<<cipherMoved
	}
	sc.budget -= len(text)
	sc.enqueue(view{text: text, label: ViewDecoded, up: v, whole: true, lo: lo, hi: hi, layer: v.layer + 1, undone: undone})
}

// wholeRunes returns a span without the halves of characters at its ends.
func wholeRunes(text string, r Range) (lo, hi int) {
	lo, hi = r.Start, r.End
	for lo < hi && !utf8.RuneStart(text[lo]) {
		lo++
	}
	for hi < len(text) && hi > lo && !utf8.RuneStart(text[hi]) {
		hi--
	}
	return lo, hi
}

// read undoes the cipher.
func (c cipher) read(s string) string {
	switch c {
	case cipherBackwards:
		return backwards(s)
	case cipherWords:
		return backwardsByWord(s)
	case cipherUpside:
		return backwards(strings.Map(func(r rune) rune {
			if i := slices.Index(upside, r); i >= 0 {
				return rune('a' + i)
			}
			return r
		}, s))
	case cipherBraille:
		return strings.Map(undotted, s)
	case cipherMorse:
		return unkeyed(s)
	case cipherLeet:
		s, _ = rewrite(s, leetStep)
		return s
	case cipherMirror, cipherPrintable:
		// They undo themselves.
		return c.write(s)
	}
	return (cipherMoved + ciphers - 1 - c).write(s)
}

// write writes ASCII in a cipher of letters or signs for them.
func (c cipher) write(s string) string {
	switch c {
	case cipherBraille:
		return strings.Map(dotted, foldASCII(s))
	case cipherMorse:
		return keyed(foldASCII(s))
	}
	b := []byte(s)
	for i, x := range b {
		switch base := x &^ 0x1f; {
		case c == cipherPrintable:
			if x > ' ' && x < 0x7f {
				b[i] = (x-'!'+47)%94 + '!'
			}
		case !isLetter(x):
		case c == cipherMirror:
			b[i] = base + 27 - x&0x1f
		default:
			b[i] = base + (x&0x1f-1+byte(c-cipherMoved)+1)%26 + 1
		}
	}
	return string(b)
}

// backwards returns s with its last character first.
func backwards(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

// backwardsByWord returns s with the characters between its spaces backwards.
func backwardsByWord(s string) string {
	r := []rune(s)
	for i := 0; i < len(r); {
		if r[i] <= ' ' {
			i++
			continue
		}
		start := i
		for i < len(r) && r[i] > ' ' {
			i++
		}
		slices.Reverse(r[start:i])
	}
	return string(r)
}

// upside are the characters that look like the small letters turned upside down, from a.
var upside = []rune("ɐqɔpǝɟƃɥıɾʞlɯuodbɹsʇnʌʍxʎz")

// upsideDown writes small letters upside down.
func upsideDown(s string) string {
	return backwards(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return upside[r-'a']
		}
		return r
	}, s))
}
