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
	for range 4 {
		for _, w := range [...]string{"all", "any", "the", "your", "my", "of"} {
			if hasFoldPrefix(sc.text[end:], w) {
				end += len(w)
				break
			}
		}
	}
	for _, w := range [...]string{"previous", "prior", "above", "earlier", "preceding", "instructions", "systemprompt", "rules"} {
		if hasFoldPrefix(sc.text[end:], w) {
			sc.review(detOverride, at, end+len(w), Block)
			return
		}
	}
}

// Words between the verb and what it is to be done to.
var overrideFill = map[string]bool{
	"all": true, "any": true, "every": true, "the": true, "of": true, "your": true, "my": true, "our": true, "these": true, "those": true, "and": true, "or": true,
	"everything": true, "what": true, "whatever": true, "other": true, "completely": true, "that": true, "this": true, "each": true, "both": true, "about": true, "such": true, "in": true, "from": true, "with": true,
}

var overridePast = map[string]bool{
	"previous": true, "prior": true, "above": true, "earlier": true, "preceding": true, "foregoing": true, "previously": true, "existing": true, "initial": true,
	"original": true, "system": true, "past": true, "former": true, "given": true, "developer": true, "safety": true, "current": true,
}

var overrideThing = map[string]bool{
	"instructions": true, "instruction": true, "prompt": true, "prompts": true, "directions": true, "directives": true, "directive": true, "rules": true, "guidelines": true,
	"commands": true, "orders": true, "constraints": true, "programming": true, "guardrails": true, "context": true, "restrictions": true, "policies": true,
}

// overrideWords bounds the phrase, in words after the verb.
const overrideWords = 9

// override looks for the phrase that sets earlier instructions aside: a verb, something said before, and a
// word for instructions. The phrase in plain sight is a review, because people write about it, except where no
// one does: in the definition of a tool and in server instructions. Behind an encoding it is an attack.
func (sc *scan) override(at, end int) {
	if at > 0 && isAlnum(sc.text[at-1]) {
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
		switch {
		case overridePast[word]:
			past = true
		case overrideThing[word]:
			return i, past
		case overrideFill[word]:
		case past && word != "" && between < 2 && word != "ignore" && word != "disregard" && word != "forget":
			// A word or two may stand between: "previous security instructions".
			between++
		default:
			return 0, false
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
