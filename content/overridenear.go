package content

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nearMemo remembers the words of overrides in a text, in whatever case, around the place that was asked about last.
// Looks come with rising places, nearly always, so each byte is read once.
type nearMemo struct {
	words       []spotted
	at          int // the first of them that begins in the window
	thing, past int // the first from there on that can be what is set aside, and that tells when it was said
	from, to    int // what was read

	low    []byte // what is read in lower case
	shifts []shift
	tape   *wordTape // of the text, nil for none
}

// spotted is a word and where it stands.
type spotted struct{ lo, hi, word int }

// shift says that from byte at of the text in lower case on, a place is so many bytes further in the text itself.
type shift struct{ at, by int }

// The bounds of what is remembered, in bytes.
const (
	nearBehind = 512  // before a window: a later one begins no earlier
	nearAhead  = 1024 // the least that is read at once
)

// reset forgets the text.
func (m *nearMemo) reset(at int) {
	m.words, m.at, m.thing, m.past, m.from, m.to = m.words[:0], 0, 0, 0, at, at
}

// within returns the words that begin in text[lo:hi], in the order of their places, if there may be an override among
// them: something that is set aside, and something that tells when it was said. They hold until the next call.
func (m *nearMemo) within(text string, lo, hi int) []spotted {
	switch {
	case lo > m.to:
		// Nothing was asked about what lies between, and rarely is later.
		m.reset(lo)
	case lo < m.from:
		m.reset(max(0, lo-nearBehind))
	}
	if m.to < hi {
		m.forget(lo - nearBehind)
		m.read(text, max(hi, m.to+nearAhead))
	}
	for m.at > 0 && m.words[m.at-1].lo >= lo {
		m.at--
		m.thing, m.past = m.at, m.at
	}
	for m.at < len(m.words) && m.words[m.at].lo < lo {
		m.at++
	}
	m.thing, m.past = m.next(overrideThings, m.thing), m.next(overridePasts, m.past)
	if max(m.thing, m.past) == len(m.words) || m.words[m.thing].lo >= hi || m.words[m.past].lo >= hi {
		return nil
	}
	end := max(m.thing, m.past) + 1
	for end < len(m.words) && m.words[end].lo < hi {
		end++
	}
	return m.words[m.at:end]
}

// next returns the first word from the i-th and the window on that is one of a kind.
func (m *nearMemo) next(kind []bool, i int) int {
	i = max(i, m.at)
	for i < len(m.words) && !kind[m.words[i].word] {
		i++
	}
	return i
}

// forget drops the words that begin before byte from, when there are many.
func (m *nearMemo) forget(from int) {
	n := 0
	for n < m.at && m.words[n].lo < from {
		n++
	}
	if n < 64 || 2*n < len(m.words) {
		return
	}
	m.words = append(m.words[:0], m.words[n:]...)
	m.from = from
	m.at, m.thing, m.past = m.at-n, max(m.thing-n, 0), max(m.past-n, 0)
}

// read finds the words that begin before byte to.
func (m *nearMemo) read(text string, to int) {
	start, to := runeStart(text, m.to), min(to, len(text))
	own := text[start:runeStart(text, min(len(text), to+overrideLongest+utf8.UTFMax))]
	low, folded := m.lower(own)
	if !folded && m.tape != nil && m.tape.read(tapeNear, text, m.to, to, func(s spotted) {
		m.words = append(m.words, s)
		inPlace(m.words, tapeNear)
	}) {
		m.to = to
		return
	}
	k, by := 0, start
	overrideNear.walk(low, func(w *keyword, at int) bool {
		for ; k < len(m.shifts) && m.shifts[k].at <= at; k++ {
			by = start + m.shifts[k].by
		}
		lo, end := at+by, at+len(w.text)
		if lo >= to {
			return false
		}
		hi := end + by
		for j := k; j < len(m.shifts) && m.shifts[j].at <= end; j++ {
			hi = end + start + m.shifts[j].by
		}
		if lo >= m.to {
			m.words = append(m.words, spotted{lo, hi, w.user})
		}
		return true
	})
	m.to = to
}

// runeStart returns the place of the character that byte i is part of.
func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// lower returns a text in lower case, but for ASCII, whose case the index ignores, and whether that is another. Where a
// character changes its length, it notes by how much.
func (m *nearMemo) lower(text string) (low string, folded bool) {
	m.shifts = m.shifts[:0]
	i := asciiEnd(text, 0)
	for i < len(text) {
		r, n := highRune(text, i)
		if lowerRune(r) != r {
			break
		}
		if i += n; i < len(text) && text[i] < utf8.RuneSelf {
			i = asciiEnd(text, i)
		}
	}
	if i == len(text) {
		return text, false
	}
	b := append(m.low[:0], text[:i]...)
	for i < len(text) {
		if text[i] < utf8.RuneSelf {
			end := asciiEnd(text, i)
			b = append(b, text[i:end]...)
			i = end
			continue
		}
		r, n := highRune(text, i)
		if l := lowerRune(r); l == r {
			b = append(b, text[i:i+n]...)
		} else {
			b = utf8.AppendRune(b, l)
		}
		i += n
		by := 0
		if k := len(m.shifts); k > 0 {
			by = m.shifts[k-1].by
		}
		if i-len(b) != by {
			m.shifts = append(m.shifts, shift{len(b), i - len(b)})
		}
	}
	m.low = b
	return string(b), true
}

// highRune returns the character at byte i of valid UTF-8, which is not ASCII, and its length.
func highRune(text string, i int) (rune, int) {
	switch c := text[i]; {
	case c < 0xe0:
		return rune(c&0x1f)<<6 | rune(text[i+1]&0x3f), 2
	case c < 0xf0:
		return rune(c&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(text[i:])
}

// lowerRune is unicode.ToLower, which it asks only where there is case.
func lowerRune(r rune) rune {
	switch {
	case r < lowLetters:
		return rune(lowerLow[r])
	case r >= 0x590 && r < 0x10a0, r >= 0x2000 && r < 0x2100, r >= 0x2e80 && r < 0xa640, r >= 0xac00 && r < 0xfb00, r >= 0x1f000:
		// Hebrew to Burmese; punctuation and what is invisible; Chinese, Japanese and Korean; pictures and tags.
		return r
	}
	return unicode.ToLower(r)
}

// lowLetters is where lowerLow ends, which has the small letters of most alphabets.
const lowLetters = 0x590

var lowerLow = func() (t [lowLetters]uint16) {
	for r := range t {
		t[r] = uint16(unicode.ToLower(rune(r)))
	}
	return t
}()

// stopByte are the bytes that the mark behind a sentence begins with, in any of the languages.
var stopByte = newCharset(".!?;\n\xe3\xef\xe0\xd8")

// stopASCII are those of them that are marks themselves.
var stopASCII = newCharset(".!?;\n")

// sentenceAround narrows the stretch lo..hi of the text to the sentence of the word at..end.
func (sc *scan) sentenceAround(lo, at, end, hi int) (from, to int) {
	return max(lo, sc.sentences.before(stopASCII, sc.text, at)+1), sentenceEnd(sc.text, end, hi)
}

// sentenceEnd returns where the sentence ends that goes on at byte end, hi when it goes on until there.
func sentenceEnd(text string, end, hi int) int {
	for i := end; i < hi; i++ {
		if !stopByte[text[i]] {
			continue
		}
		switch after := text[i:hi]; text[i] {
		case '.', '!', '?', ';':
			return i
		case '\n':
			if strings.HasPrefix(after, "\n\n") {
				return i
			}
		default:
			if oneOf(after, wideStops[:]) > 0 {
				return i
			}
		}
	}
	return hi
}

// wideStops end sentences in Chinese, Hindi, Arabic and their like.
var wideStops = [...]string{"。", "！", "।", "؟"}
