package content

import (
	"math/bits"
	"unicode/utf8"
)

// features says what kinds of text a view has, so that detectors and views that cannot apply are not tried.
type features uint8

const (
	hasDigits   features = 1 << iota
	hasControl           // C0 other than tab, line feed, carriage return; DEL
	hasNonASCII          // any byte of 0x80 and above
	hasSpaced            // single characters with separators between them
	hasEscapes           // percent signs, ampersands, backslashes
	hasCodes             // numbers in a row that may be those of characters
	hasUnseen            // characters that are invisible, combining or controls
)

func (f features) has(m features) bool { return f&m != 0 }

// run is a stretch of characters of the base64 and base64url alphabets, which hex is part of.
type run struct{ start, end int }

// minRun is the shortest run worth decoding: it stands for 15 bytes of base64, fewer than any instruction.
const minRun = 20

// Byte classes of the survey.
const (
	classWord = 1 << iota // letters, digits, + / - _
	classDigit
	classControl
	classHigh
	classLetter
	classEscape
	classMark // begins markup that may cut a word
	classSign // of the word characters, + / - _
)

var byteClass = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		switch {
		case c >= '0' && c <= '9':
			t[i] = classWord | classDigit
		case isLetter(c):
			t[i] = classWord | classLetter
		case c == '+' || c == '/' || c == '-' || c == '_':
			t[i] = classWord | classSign
		case c == '%' || c == '&' || c == '\\':
			t[i] = classEscape
		case c == '<' || c == '*' || c == '~' || c == '`' || c == '{':
			t[i] = classMark
		case c >= 0x80:
			t[i] = classHigh
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
			t[i] = classControl
		}
	}
	return t
}()

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isAlnum(c byte) bool  { return isLetter(c) || isDigit(c) }

// spelling counts one more letter that stands alone, and reports whether those in a row may spell something.
func spelling(spaced *int, distinct uint32) bool {
	*spaced++
	return *spaced >= minSpaced && bits.OnesCount32(distinct) >= minDistinct
}

// surveyed is the state of a survey that a scan keeps: words of letters alone, which most are, need little of it.
type surveyed struct {
	f        features
	spaced   int    // one-letter words in a row
	distinct uint32 // which letters they are, the case and the alphabet aside
	codes    int    // numbers in a row that may be those of characters
	codeEnd  int    // end of the last of them
	number   run    // words with digits in them, with no more between two than between the digits of a number
	digits   int    // how many digits they have at most
	even     evenWords
	row      int   // end of the last word that no phrase of a wallet has
	words    int   // how many words that one may have follow, at most
	seen     uint8 // classes of bytes
}

// survey reads the text once: what it is made of, where the long runs are, and, because every word starts here,
// where an account number may start.
func (sc *scan) survey(text string) features {
	s := &sc.surveyed
	*s = surveyed{codeEnd: -1}
	sc.numerous, sc.wordRows = sc.numerous[:0], sc.wordRows[:0]
	if v := sc.v; v.label == ViewNormalised && v.changedLittle() && v.up.known != nil && v.up.known.plain {
		sc.surveyChanges(v, v.up.known)
	} else {
		sc.surveyPart(text, 0, len(text))
	}
	sc.evenEnds(s.even)
	sc.rowEnds(len(text))
	if s.seen&classDigit != 0 {
		s.f |= hasDigits
	}
	if s.seen&classControl != 0 {
		s.f |= hasControl
	}
	if s.seen&classHigh != 0 {
		s.f |= hasNonASCII
	}
	if s.seen&classEscape != 0 {
		s.f |= hasEscapes
	}
	return s.f
}

// surveyPart surveys what begins in text[i:end], and returns where that ends.
func (sc *scan) surveyPart(text string, i, end int) int {
	var seen uint8
	s, n := &sc.surveyed, len(text)
	folded := sc.v.label == ViewNormalised
	for i < end {
		c := byteClass[text[i]]
		if c&classWord == 0 {
			seen |= c
			i++
			switch {
			case c&(classMark|classHigh) == 0:
			case c&classMark != 0:
				if at := i - 1; text[at] == '<' || !sc.marked && at > 0 && byteClass[text[at-1]]&classWord != 0 {
					sc.mark(text, at)
				}
			default:
				// One character of another script may stand for one letter.
				start := i - 1
				if folded {
					if end, of := sc.prose(text, start); end > start {
						seen |= of
						i = end
						continue
					}
				}
				i = start
			high:
				for i < n {
					switch c := text[i]; {
					case c < utf8.RuneSelf:
						break high
					case c < 0xe0:
						if unseen.has2(text[i : i+2]) {
							s.f |= hasUnseen
						}
						i += 2
					case c < 0xf0:
						if unseen.has3(text[i : i+3]) {
							s.f |= hasUnseen
						}
						i += 3
					default:
						i = sc.wide(text, i)
					}
				}
				if i-start > 4 || start > 0 && byteClass[text[start-1]]&(classLetter|classDigit) != 0 {
					s.spaced, s.distinct = 0, 0
				} else if s.distinct |= 1 << (text[i-1] & 31); spelling(&s.spaced, s.distinct) {
					s.f |= hasSpaced
				}
			}
			continue
		}
		if folded && c&classLetter != 0 {
			if end, of := sc.prose(text, i); end > i {
				seen |= of
				i = end
				continue
			}
		}
		start := i
		word := c
		if i++; c&classLetter != 0 && i+8 <= n {
			// Mostly letters alone.
			i += bits.TrailingZeros64(noLetters8(bytes8(text, i)|lowerBits)) / 8
		}
		for ; i < n; i++ {
			c := byteClass[text[i]]
			if c&classWord == 0 {
				break
			}
			word |= c
		}
		seen |= word
		size := i - start
		if size == 1 && c&(classLetter|classDigit) == 0 {
			// The mark that puts pieces together.
			if start > 0 && text[start-1] >= 0x80 {
				s.spaced, s.distinct = 0, 0
			}
			continue
		}
		if s.even.size == size && start-s.even.end <= maxEvenGap {
			s.even.count++
			s.even.end = i
		} else {
			if s.even.count >= minEven {
				sc.evenEnds(s.even)
			}
			s.even.start, s.even.size, s.even.count, s.even.end = start, size, 1, i
		}
		if size == 1 && c&classLetter != 0 {
			// A letter by itself, as all are in words that are spelled.
			sc.rowEnds(i)
			if start > 0 && text[start-1] >= 0x80 {
				// Part of a word of another script.
				s.spaced, s.distinct = 0, 0
			} else if s.distinct |= 1 << (text[start] & 31); spelling(&s.spaced, s.distinct) {
				s.f |= hasSpaced
			}
			continue
		}
		if size >= minNamedPart && size <= maxNamedPart && i < n && text[i] == '.' {
			sc.dottedToken(start+boolInt(text[start] == '+'), i)
		}
		if word&(classSign|classDigit) == 0 {
			// A plain word, as most are.
			if size < minSeedWord || size > maxSeedWord {
				sc.rowEnds(i)
			} else {
				s.words++
			}
			if s.spaced, s.distinct = 0, 0; size >= minRun {
				sc.runs = append(sc.runs, run{start, i})
			}
			continue
		}
		if text[start] == '+' && size > minShifted && text[start+1] == 'A' && !sc.utf7 {
			n, _ := shifted(text[start:])
			sc.utf7 = n > minShifted
		}
		if word&classDigit != 0 {
			if start-s.number.end > maxDigitGap {
				s.number.start, s.digits = start, 0
			}
			s.number.end = i
			if s.digits += size; s.digits >= minNumber {
				sc.numberMayBe(s.number)
			}
		}
		if word&classDigit != 0 && (word&classLetter == 0 || text[start] == '0' && size <= maxCode+2) {
			if start-s.codeEnd > maxCodeGap {
				s.codes = 0
			}
			if s.codes++; word == classWord|classDigit && noCode(text[start], size) {
				s.codes = 0
			} else if s.codes >= minCodes || size >= minCodes*2 {
				s.f |= hasCodes
			}
			s.codeEnd = i
			if size >= minGrouped && size <= maxGrouped && word&classLetter == 0 {
				sc.groupedNumber(start+boolInt(!isDigit(text[start])), i)
			}
		}
		if size == 1 {
			if start > 0 && text[start-1] >= 0x80 {
				s.spaced, s.distinct = 0, 0
			}
			continue
		}
		if s.spaced, s.distinct = 0, 0; size >= minRun {
			sc.runs = append(sc.runs, run{start, i})
		}
		if word&(classSign|classLetter) == 0 {
			continue // nothing but a number
		}
		s.words += size/minSeedWord + 1
		if word&(classLetter|classDigit) == classLetter|classDigit && size >= tellingLeet && size <= maxLeet && !sc.leetToEnd() && leetWord(text[start:i]) != "" {
			sc.cipher(cipherLeet, start)
		}
		if size >= 2*minSpaced-1 && spelled(text[start:i]) {
			s.f |= hasSpaced
		}
		for start+4 <= i && !isAlnum(text[start]) {
			start++
		}
		if i-start >= 4 && isDigit(text[start+2]) && isLetter(text[start]) {
			sc.iban(start)
		}
	}
	s.seen |= seen
	return i
}

// numberMayBe notes words in which there may be as many digits as a number has.
func (sc *scan) numberMayBe(words run) {
	if n := len(sc.numerous); n > 0 && sc.numerous[n-1].start == words.start {
		sc.numerous[n-1].end = words.end
	} else {
		sc.numerous = append(sc.numerous, words)
	}
}

// rowEnds ends a row of words at byte end, and notes it when it has as many as a phrase of a wallet.
func (sc *scan) rowEnds(end int) {
	s := &sc.surveyed
	if s.words >= minSeedWords {
		sc.wordRows = append(sc.wordRows, run{s.row, end})
	}
	s.row, s.words = end, 0
}

// wide surveys the character of four bytes at byte i and returns its end.
func (sc *scan) wide(text string, i int) int {
	r, n := utf8.DecodeRuneInString(text[i:])
	if invisibleOf(r) != visible {
		sc.surveyed.f |= hasUnseen
	}
	return i + n
}

// prose passes over the words of a folded text that begin at byte i and say nothing, and returns where they end and what classes of
// bytes they have. They begin where a word does, and no letter stands apart before them.
func (sc *scan) prose(text string, i int) (end int, seen uint8) {
	s := &sc.surveyed
	if s.spaced > 0 || i > 0 && byteClass[text[i-1]]&(classWord|classHigh) != 0 {
		return i, 0
	}
	end, seen, s.distinct = proseEnd(text, i)
	s.spaced = boolInt(s.distinct != 0)
	return end, seen
}

// proseEnd returns where the words end that begin at byte i and say nothing in a folded text: they are too short for a part of a
// token, no two in a row are one letter, and they stand between marks that mean nothing. Where such words are encoded, or of one
// length, was seen in the text that was folded. seen are the classes of their bytes; letter is the last word if it is one letter, as
// a bit.
func proseEnd(text string, i int) (end int, seen uint8, letter uint32) {
	spelled := uint64(0) // whether the word before is one letter
	for end = i; end+64 <= len(text); {
		letters, high, n := proseMasks(text[end : end+64])
		words := letters | high
		starts := words &^ (words << 1)
		gaps := ^words & (1<<n - 1)
		// The survey takes what is outside ASCII for one letter if it has up to four bytes.
		two := starts & high & (high >> 1)
		three := two & (high >> 2)
		four := three & (high >> 3)
		alone := starts&letters&(gaps>>1) | two&(gaps>>2) | three&(gaps>>3) | four&(gaps>>4)
		// The carry runs from behind a letter by itself to where the next word begins.
		inRow := (alone<<1 | spelled) + ^starts
		// Where as many letters begin as a part of a token has.
		long := letters & (letters >> 1)
		long &= long >> 2
		long &= long >> 4
		long &= long >> 8
		long &= letters >> (minNamedPart - 1)
		stop := inRow&alone | long
		if stop != 0 {
			gaps &= stop&-stop - 1
		}
		if gaps == 0 {
			break
		}
		// A word that goes on behind the last gap is read again.
		size := bits.Len64(gaps)
		within := uint64(1)<<(size-1) - 1
		if high&within != 0 {
			seen |= classHigh
		}
		seen |= classWord | classLetter
		if starts &= within; starts != 0 {
			spelled = alone >> (bits.Len64(starts) - 1) & 1
		}
		if end += size; stop != 0 || n < 64 {
			break
		}
	}
	if spelled != 0 {
		last := end - 1
		for byteClass[text[last]]&(classLetter|classHigh) == 0 {
			last--
		}
		letter = 1 << (text[last] & 31)
	}
	return end, seen, letter
}

// proseMasks returns which of the first n of 64 bytes are letters and which are outside ASCII, a bit for each. These n, which are a
// multiple of eight, are such bytes and marks that mean nothing.
func proseMasks(t string) (letters, high uint64, n int) {
	for ; n < 64; n += 8 {
		e := t[n : n+8]
		c := byteClass[e[0]] | byteClass[e[1]] | byteClass[e[2]] | byteClass[e[3]] | byteClass[e[4]] | byteClass[e[5]] | byteClass[e[6]] | byteClass[e[7]]
		if c&^(classWord|classLetter|classHigh) != 0 {
			break
		}
		eight := bytes8(e, 0)
		letters |= bitOfEach(^noLetters8(eight|caseBits)&highBits) << n
		if c&classHigh != 0 {
			high |= bitOfEach(eight&highBits) << n
		}
	}
	return letters, high, n
}

// caseBits are what the capitals of ASCII have not, of eight bytes.
const caseBits = 0x2020202020202020

// bitOfEach gathers the highest bits of eight bytes in one, the first in the lowest place.
func bitOfEach(b uint64) uint64 { return b >> 7 * 0x0102040810204080 >> 56 }

// mark looks at the byte at i, which markup begins with: whether it cuts a word, and whether it opens a control token.
func (sc *scan) mark(text string, i int) {
	if !sc.marked && i > 0 && (text[i-1] == '_' || byteClass[text[i-1]]&(classLetter|classDigit) != 0) && sc.v.label != ViewUnmarked {
		sc.marked = sc.cuts(text, i)
	}
	if text[i] == '<' {
		sc.angled = true
		if open := controlOpens(text, i); open > 0 {
			sc.controlToken(i, i+open)
		}
	}
}
