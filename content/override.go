package content

import "strings"

func overrideKeywords() []keyword {
	var k []keyword
	for _, verb := range [...]string{"ignore", "disregard", "forget", "override", "ignoring", "disregarding", "neglect"} {
		k = append(k, keyword{text: verb, look: func(sc *scan, at int) {
			end := at + len(verb)
			switch {
			case end < len(sc.text) && strings.IndexByte(" \n\t_-,", sc.text[end]) >= 0:
				sc.override(at, end)
			case sc.v.label == ViewCollapsed:
				sc.gapless(at, end)
			}
		}})
	}
	return k
}

// gapless looks for the phrase among letters that were set apart evenly, which come out without the gaps between
// words.
func (sc *scan) gapless(at, end int) {
	if sc.full(detOverride) {
		return
	}
	for range 4 {
		n := oneOf(sc.text[end:], gaplessFill[:])
		if end += n; n == 0 {
			break
		}
	}
	if n := oneOf(sc.text[end:], gaplessThings[:]); n > 0 {
		sc.review(detOverride, at, end+n, Block)
	}
}

var (
	gaplessFill   = [...]string{"all", "any", "the", "your", "my", "of"}
	gaplessThings = [...]string{"previous", "prior", "above", "earlier", "preceding", "instructions", "systemprompt", "rules"}
)

// oneOf returns the length of the first of the words that s starts with, ASCII case ignored, 0 when it is none.
func oneOf(s string, words []string) int {
	if s == "" {
		return 0
	}
	c := foldTable[s[0]]
	for _, w := range words {
		if w[0] == c && hasFoldPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// overrideWord is what a word after the verb may be.
type overrideWord uint8

const (
	overrideOther overrideWord = iota
	overrideFill               // stands between the verb and what it is to be done to
	overridePast               // says that it was given before
	overrideThing              // means instructions
)

var overrideVocabulary = func() map[string]overrideWord {
	m := map[string]overrideWord{}
	for kind, words := range map[overrideWord]string{
		overrideFill: "all any every the of your my our these those and or everything what whatever other completely that this each both about such in from with",
		overridePast: "previous prior above earlier preceding foregoing previously existing initial original system past former given developer safety current",
		overrideThing: "instructions instruction prompt prompts directions directives directive rules guidelines commands orders constraints programming guardrails " +
			"context restrictions policies",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = kind
		}
	}
	return m
}()

// overrideWords bounds the phrase, in words after the verb.
const overrideWords = 9

// override looks for the phrase that sets earlier instructions aside: a verb, something said before, and a
// word for instructions. The phrase in plain sight is a review, because people write about it, except where no
// one does: in the definition of a tool and in server instructions. Behind an encoding it is an attack.
func (sc *scan) override(at, end int) {
	if at > 0 && isAlnum(sc.text[at-1]) || sc.full(detOverride) {
		return
	}
	stop, ok := overridden(sc.text, end)
	if !ok {
		return
	}
	sev := Review
	switch {
	case sc.v.label != ViewRaw && sc.v.label != ViewJoined, sc.role == RoleDescription, sc.role == RoleInstruction, sc.role == RoleSchema, sc.role == RoleToolName:
		sev = Block
	case !quotedAt(sc.text, at):
		sev = Block
	}
	sc.review(detOverride, at, stop, sev)
}

// overridden reads the words after the verb, from byte i: whether they name instructions given before, and
// where the phrase ends.
func overridden(text string, i int) (stop int, ok bool) {
	past, between := false, 0
	for range overrideWords {
		for i < len(text) && !isAlnum(text[i]) {
			if strings.IndexByte(" \t\r\n,-_*'\"", text[i]) < 0 {
				return 0, false
			}
			i++
		}
		w := i
		for i < len(text) && isAlnum(text[i]) && i-w < 24 {
			i++
		}
		word := strings.ToLower(text[w:i])
		switch overrideVocabulary[word] {
		case overridePast:
			past = true
		case overrideThing:
			return i, past
		case overrideOther:
			// A word or two may stand between: "previous security instructions".
			if between++; !past || word == "" || between > 2 || word == "ignore" || word == "disregard" || word == "forget" {
				return 0, false
			}
		}
	}
	return 0, false
}

// quotedAt reports whether byte at stands inside a quotation on its line: text that mentions the phrase.
func quotedAt(text string, at int) bool {
	start := at
	for start > 0 && text[start-1] != '\n' && at-start < 160 {
		start--
	}
	line := text[start:at]
	for _, q := range [...]string{"\"", "`", "“", "'", "«", "‘"} {
		if i := strings.LastIndex(line, q); i >= 0 {
			if q == "'" && i > 0 && isAlnum(line[i-1]) {
				continue
			}
			return true
		}
	}
	return false
}
