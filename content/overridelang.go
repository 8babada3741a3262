package content

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// overrideThings finds whether a text speaks of instructions at all.
var overrideThings = func() *keywordIndex {
	var words []string
	for _, l := range overrideLanguages {
		for _, t := range slices.Concat(l.thing, l.own, l.told) {
			first, n := utf8.DecodeRuneInString(t)
			words = append(words, t, string(unicode.ToUpper(first))+t[n:], strings.ToUpper(t))
		}
	}
	return mustIndex(words...)
}()

// maxOverrideThing is the length of the longest word for instructions, in bytes.
var maxOverrideThing = func() int {
	n := 0
	for _, l := range overrideLanguages {
		for _, t := range slices.Concat(l.thing, l.own, l.told) {
			n = max(n, len(t)+utf8.UTFMax)
		}
	}
	return n
}()

// overrideAhead is how much more is read at once for the verbs to come, in bytes.
const overrideAhead = 512

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
	for v, langs := range byVerb {
		// The index ignores the case of ASCII alone, so the others are spelled out: at the start of a sentence
		// and in capitals.
		first, n := utf8.DecodeRuneInString(v)
		spellings := []string{foldASCII(v), foldASCII(string(unicode.ToUpper(first)) + v[n:]), foldASCII(strings.ToUpper(v))}
		slices.Sort(spellings)
		for _, s := range slices.Compact(spellings) {
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
	lo, hi := max(0, at-overrideReach), min(len(sc.text), end+overrideReach)
	before, after := sc.text[lo:at], sc.text[end:hi]
	// What was read for a verb before, without finding anything, is not read again.
	from := max(lo, sc.thingless-maxOverrideThing)
	if from >= hi {
		return
	}
	if ahead := min(len(sc.text), hi+overrideAhead); !overrideThings.any(sc.text[from:ahead]) {
		sc.thingless = ahead
		return
	}
	if !overrideThings.any(sc.text[from:hi]) {
		sc.thingless = hi
		return
	}
	sc.verbs = end + overrideReach/2
	if i := strings.LastIndexAny(before, ".!?;\n"); i >= 0 {
		before = before[i+1:]
	}
	for _, stop := range [...]string{".", "!", "?", ";", "\n\n", "。", "！", "।", "؟"} {
		if i := strings.Index(after, stop); i >= 0 {
			after = after[:i]
		}
	}
	sc.verbs = min(sc.verbs, end+len(after))
	before, after = strings.ToLower(before), strings.ToLower(after)
	if negated(langs, before, after) {
		return
	}
	for _, l := range langs {
		whole := l.whole(before, after)
		if !whole && !containsAny(after, l.told...) && !containsAny(before, l.told...) {
			continue
		}
		sev := Review
		switch {
		case !whole:
		case sc.definitional(), sc.encoded(), !mentionedAt(sc.text, at) && sc.role != RoleOther:
			sev = Block
		}
		sc.review(detOverride, at, end, sev)
		return
	}
}

// How much may stand between the words of an override, in bytes: little, where "all" is all that says when the
// instructions were given.
const (
	overrideLoosely = 80
	overrideClosely = 28
)

// whole reports whether the words around a verb name instructions that were given before, or the reader's own.
func (l *overrideIn) whole(before, after string) bool {
	if containsAny(after, l.own...) || l.final && containsAny(before, l.own...) {
		return true
	}
	for _, t := range l.thing {
		lo, hi, ok := beside(before, after, t)
		if !ok {
			continue
		}
		for i, w := range slices.Concat(l.past, l.all) {
			gap := overrideLoosely
			if i >= len(l.past) {
				gap = overrideClosely
			}
			from, to, ok := beside(before, after, w)
			if ok && max(hi, to, 0)-min(lo, from, 0)-len(t)-len(w) <= gap {
				return true
			}
		}
	}
	return false
}

// beside returns where the occurrence of word nearest to a verb stands, counted from the verb: below zero in
// what is before it, from zero on in what is after it.
func beside(before, after, word string) (lo, hi int, ok bool) {
	next, last := strings.Index(after, word), strings.LastIndex(before, word)
	distance := len(before) - last - len(word)
	switch {
	case next < 0 && last < 0:
		return 0, 0, false
	case next >= 0 && (last < 0 || next <= distance):
		return next, next + len(word), true
	}
	return -distance - len(word), -distance, true
}

// overrideNot is how far from a verb the word that takes it back may stand, in bytes.
const overrideNot = 24

// negated reports whether the sentence says not to ignore or forget something, in any of the languages that have the
// verb.
func negated(langs []*overrideIn, before, after string) bool {
	near := " " + before[max(0, len(before)-overrideNot):] + "\x00" + after[:min(len(after), overrideNot)]
	near = blanks.Replace(near)
	for _, l := range langs {
		if containsAny(near, l.not...) {
			return true
		}
	}
	return false
}

var blanks = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ", "\u00a0", " ", "*", " ", "\"", " ")
