package content

import (
	"cmp"
	"slices"
	"strings"
)

// runOnWords are the words of an order without gaps, by their first two letters, the longer ones first. One of a single
// letter may be followed by any byte.
var runOnWords = func() (t [32][32][]string) {
	for w := range overrideVocabulary {
		for second := range t {
			if len(w) == 1 || int(w[1]&0x1f) == second {
				t[w[0]&0x1f][second] = append(t[w[0]&0x1f][second], w)
			}
		}
	}
	for i := range t {
		for j := range t[i] {
			slices.SortFunc(t[i][j], func(a, b string) int { return len(b) - len(a) })
		}
	}
	return t
}()

// runOnWord returns the length of the word of an order that s begins with, 0 for none.
func runOnWord(s string) int {
	if s == "" || !isLetter(s[0]) {
		return 0
	}
	second := byte(0)
	if len(s) > 1 {
		second = s[1] & 0x1f
	}
	return oneOf(s, runOnWords[s[0]&0x1f][second])
}

// runOnMarks may stand between words that are run together.
var runOnMarks = newCharset("_-./+|:~=")

// runOn looks for the order in words that are run together, as in IgnoreAllPreviousInstructions. Such a name in a program is
// talked about, not said.
func (sc *scan) runOn(at, end int) {
	if sc.full(detOverride) || runOnWord(sc.text[end:]) == 0 {
		return
	}
	text := sc.text
	var words [overrideWords]Range
	i := end
	for k := range words {
		if i < len(text) && runOnMarks[text[i]] {
			i++
		}
		n := runOnWord(text[i:])
		if n == 0 {
			return
		}
		words[k] = Range{i, i + n}
		i += n
		switch kind, _ := overrideTable.meaning(text[i-n : i]); kind {
		case overrideThing, overrideLoose, overrideTask, overrideTold:
		default:
			continue
		}
		var said strings.Builder
		for _, w := range words[:k+1] {
			said.WriteByte(' ')
			said.WriteString(text[w.Start:w.End])
		}
		p := overridden(said.String(), 0)
		if !(p.whole() && (p.past || p.yours || p.all)) && !p.told {
			return
		}
		sev := Review
		named := sc.d.strings[sc.str].Key || i < len(text) && strings.IndexByte("(=:", text[i]) >= 0 || at > 0 && strings.IndexByte("./", text[at-1]) >= 0
		if p.certain(true) && !named && moodAt(text, at) == ordering && !sc.mentionedAt(at) {
			sev = Block
		}
		sc.review(detOverride, at, i, sev)
		return
	}
}

// runOnPrompts are the names of what a model was told by its operator, run together.
func runOnPrompts() []keyword {
	var k []keyword
	for _, between := range [...]string{"", "_", "-", ".", "/", "+", "|", "~", ":", "="} {
		for _, name := range [...][]string{{"your", "system", "prompt"}, {"your", "system", "instructions"}, {"your", "initial", "prompt"}, {"your", "initial", "instructions"}, {"your", "hidden", "instructions"}} {
			text := strings.Join(name, between)
			k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.runOnAsked(at, at+len(text)) }})
		}
	}
	return k
}

// runOnAsked looks for the verb that asks for it, right before.
func (sc *scan) runOnAsked(at, end int) {
	if sc.enough(detExtraction, Review) {
		return
	}
	i := at
	if i > 0 && runOnMarks[sc.text[i-1]] {
		i--
	}
	if i == 0 || !isLetter(sc.text[i-1]) {
		return
	}
	for _, w := range betrayals[sc.text[i-1]&0x1f] {
		if n := len(w); n <= i && hasFoldPrefix(sc.text[i-n:], w) {
			sc.review(detExtraction, i-n, end, Review)
			return
		}
	}
}

// betrayals are the verbs that are asked of nobody else, by their last letter, shorter ones first.
var betrayals = func() (t [32][]string) {
	for w, betrays := range asking {
		if k := w[len(w)-1] & 0x1f; betrays && len(w) <= maxLeet {
			t[k] = append(t[k], w)
		}
	}
	for _, words := range t {
		slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	}
	return t
}()
