package content

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The kinds of words around a verb.
const (
	nearPast = iota
	nearAll
	nearThing
	nearOwn
	nearTold
)

// meaning is what a word is in one of the languages.
type meaning struct {
	lang *overrideIn
	kind int
}

// overrideMeanings are the words of all languages, in lower case, and what each of them means. overrideNear finds them.
var overrideMeanings, overrideNear, overrideLongest = func() (list [][]meaning, near *keywordIndex, longest int) {
	ids := map[string]int{}
	var words []keyword
	for i := range overrideLanguages {
		l := &overrideLanguages[i]
		for kind, texts := range [...][]string{nearPast: l.past, nearAll: l.all, nearThing: l.thing, nearOwn: l.own, nearTold: l.told} {
			for _, w := range texts {
				id, known := ids[w]
				if !known {
					id = len(list)
					ids[w] = id
					list = append(list, nil)
					words = append(words, keyword{text: w, user: id})
					longest = max(longest, len(w))
				}
				list[id] = append(list[id], meaning{l, kind})
			}
		}
	}
	near, err := newKeywordIndex(words)
	if err != nil {
		panic(err) // they are written in this package
	}
	return list, near, longest
}()

// Whether a word can be what is set aside, and what tells when that was said: an override cannot be without either.
var overrideThings, overridePasts = func() (things, pasts []bool) {
	things, pasts = make([]bool, len(overrideMeanings)), make([]bool, len(overrideMeanings))
	for id, list := range overrideMeanings {
		for _, m := range list {
			things[id] = things[id] || m.kind >= nearThing
			pasts[id] = pasts[id] || m.kind != nearThing
		}
	}
	return things, pasts
}()

// overrideReach is how far from the verb the other words may stand, in bytes.
const overrideReach = 96

func overrideLanguageKeywords() []keyword {
	byVerb := map[string][]*overrideIn{}
	for i := range overrideLanguages {
		l := &overrideLanguages[i]
		for _, v := range l.verbs {
			byVerb[v] = nil
		}
	}
	// A verb that goes on in another language is looked at once, for both.
	for v := range byVerb {
		for i := range overrideLanguages {
			l := &overrideLanguages[i]
			if slices.ContainsFunc(l.verbs, func(w string) bool { return strings.HasPrefix(w, v) }) {
				byVerb[v] = append(byVerb[v], l)
			}
		}
	}
	var k []keyword
	// In order, so that of two verbs that begin alike the shorter, which has the languages of both, is looked at first.
	for _, v := range slices.Sorted(maps.Keys(byVerb)) {
		langs := byVerb[v]
		for _, s := range inCases(v) {
			k = append(k, keyword{text: s, look: func(sc *scan, at int) { sc.overrideIn(at, at+len(s), langs) }})
		}
	}
	return k
}

// overrideIn looks for the words of an override around a verb. All must stand in its sentence.
func (sc *scan) overrideIn(at, end int, langs []*overrideIn) {
	if at < sc.verbs || sc.full(detOverride) {
		// The sentence of the verb before was read this far.
		return
	}
	if at > 0 && isAlnum(sc.text[at-1]) {
		return
	}
	text := sc.text
	lo, hi := max(0, at-overrideReach), min(len(text), end+overrideReach)
	words := sc.near.within(text, lo, hi)
	if words == nil {
		return
	}
	sc.verbs = end + overrideReach/2
	more := sc.enough(detOverride, Review) // one more that is talked about tells nothing new
	asked := more && !sc.verbSaid          // it may well be where the one before was
	if asked && sc.toldOf(at) {
		return
	}
	lo, hi = sc.sentenceAround(lo, at, end, hi)
	n := &sc.around
	n.count, n.own, n.told = 0, false, false
	for _, w := range words {
		switch {
		case w.lo >= lo && w.hi <= at:
			n.take(w, w.lo-at, langs)
		case w.lo >= end && w.hi <= hi:
			n.take(w, w.lo-end, langs)
		}
	}
	whole := n.whole()
	// Where it is none and its sentence goes on, whether it is talked about makes no difference.
	if more && !asked && (whole || hi < sc.verbs) && sc.toldOf(at) {
		return
	}
	sc.verbs = min(sc.verbs, hi)
	if !whole && (!n.told || more) {
		return
	}
	verb := aroundVerb(text[max(lo, at-overrideNot):at], text[end:min(hi, end+overrideNot)])
	if negations.around(verb, langs) {
		return
	}
	sev := Review
	if whole && (sc.encoded() || sc.definitional() || !sc.mentionedAt(at)) && (sc.encoded() || !tellings.around(verb, langs) && !subjectBefore(text, at)) {
		sev = Block
	}
	sc.review(detOverride, at, end, sev)
}

// toldOf reports whether the verb at byte at is in a text that orders nothing, or is talked about.
func (sc *scan) toldOf(at int) bool {
	sc.verbSaid = sc.definitional() || sc.encoded() || !subjectBefore(sc.text, at) && !sc.mentionedAt(at)
	return !sc.verbSaid
}

// How much may stand between the words of an override, in bytes: little, where "all" is all that says when the
// instructions were given.
const (
	overrideLoosely = 80
	overrideClosely = 28
)

// near is what stands around a verb, counted from it: below zero before it, from zero on after it.
type near struct {
	spots     [48]nearWord // more do not stand in one sentence
	count     int
	own, told bool
}

// nearWord is a word around a verb.
type nearWord struct {
	meaning
	lo, hi int
}

// take counts a word, which begins at byte from.
func (n *near) take(w spotted, from int, langs []*overrideIn) {
	for _, m := range overrideMeanings[w.word] {
		if !slices.Contains(langs, m.lang) {
			continue
		}
		switch {
		case m.kind == nearOwn:
			n.own = n.own || from >= 0 || m.lang.final
		case m.kind == nearTold:
			n.told = true
		case n.count < len(n.spots):
			n.spots[n.count] = nearWord{m, from, from + w.hi - w.lo}
			n.count++
		}
	}
}

// whole reports whether the words name instructions that were given before, or the reader's own.
func (n *near) whole() bool {
	if n.own {
		return true
	}
	for i := range n.spots[:n.count] {
		thing := &n.spots[i]
		if thing.kind != nearThing {
			continue
		}
		for j := range n.spots[:n.count] {
			said := &n.spots[j]
			if said.lang != thing.lang || said.kind == nearThing {
				continue
			}
			gap := overrideLoosely
			if said.kind == nearAll {
				gap = overrideClosely
			}
			// The verb is where the counting begins; the three words must stand close together.
			if max(thing.hi, said.hi, 0)-min(thing.lo, said.lo, 0)-(thing.hi-thing.lo)-(said.hi-said.lo) <= gap {
				return true
			}
		}
	}
	return false
}

// overrideNot is how far from a verb the word that takes it back may stand, in bytes.
const overrideNot = 32

// verbMarks are words around a verb that change what it says, in all languages.
type verbMarks struct {
	index *keywordIndex
	in    [][]*overrideIn // the languages of each
}

// negations take a verb back, tellings make a statement of it.
var (
	negations = newVerbMarks(func(l *overrideIn) []string { return l.not })
	tellings  = newVerbMarks(func(l *overrideIn) []string { return l.tells })
)

func newVerbMarks(of func(*overrideIn) []string) verbMarks {
	var words []string
	var in [][]*overrideIn
	for i := range overrideLanguages {
		l := &overrideLanguages[i]
		for _, mark := range of(l) {
			n := slices.Index(words, mark)
			if n < 0 {
				n = len(words)
				words, in = append(words, mark), append(in, nil)
			}
			in[n] = append(in[n], l)
		}
	}
	return verbMarks{mustIndex(words...), in}
}

// around reports whether one of the marks of any of the languages stands around a verb, as aroundVerb writes it.
func (m *verbMarks) around(verb string, langs []*overrideIn) (found bool) {
	m.index.walk(verb, func(w *keyword, _ int) bool {
		found = slices.ContainsFunc(m.in[w.user], func(l *overrideIn) bool { return slices.Contains(langs, l) })
		return !found
	})
	return found
}

// aroundVerb returns what stands around a verb in lower case, with a zero byte in its place.
func aroundVerb(before, after string) string {
	var room [4 * overrideNot]byte
	near := appendWords(append(room[:0], ' '), before)
	return string(append(appendWords(append(near, 0), after), ' '))
}

// articles stand before the noun of a sentence in French, Spanish, Portuguese, Italian and Catalan, whose orders sound like
// statements.
var articles = wordSet("le la les un une ce cette el los las una este esta o a os as um uma il lo gli questo questa els")

// maxSubject is how long the noun of a sentence may be, in bytes.
const maxSubject = 24

// subjectBefore reports whether a verb in lower case stands right behind an article and a noun: "la función ignora".
func subjectBefore(text string, at int) bool {
	if at < 2 || text[at-1] != ' ' || text[at] < 'a' {
		return false
	}
	noun := at - 1
	for noun > 0 && at-noun < maxSubject && (isLetter(text[noun-1]) || text[noun-1] >= utf8.RuneSelf) {
		noun--
	}
	if noun > 1 && text[noun-1] == '\'' {
		return text[noun-2]|0x20 == 'l' && (noun == 2 || !isAlnum(text[noun-3]))
	}
	if noun < 2 || noun == at-1 || text[noun-1] != ' ' {
		return false
	}
	article, _, _ := wordBefore(text, noun-1)
	return articles[article]
}

// appendWords appends a text in lower case, but for ASCII, whose case the indexes ignore. What stands between words is a
// space.
func appendWords(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			b = append(b, wordByte[c])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if i += n; r == '\u00a0' {
			b = append(b, ' ')
		} else {
			b = utf8.AppendRune(b, lowerRune(r))
		}
	}
	return b
}

// wordByte are the bytes of ASCII in lower case, and a space for those that stand between words.
var wordByte = func() (t [utf8.RuneSelf]byte) {
	copy(t[:], foldTable[:])
	for _, c := range []byte("\t\n\r*\"") {
		t[c] = ' '
	}
	return t
}()
