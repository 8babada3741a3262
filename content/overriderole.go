package content

import (
	"slices"
	"strings"
)

// turns are the openings of a sentence that makes a model something else.
var turns = [...]string{"you are now", "you're now", "you are going to", "you will now", "you are about to", "you are no longer", "from now on", "from this point on", "from this moment on", "starting now, you", "henceforth you", "henceforth, you"}

// freedoms are what no one is made but a model that is to forget its rules.
var freedoms = []string{"unrestricted", "unfiltered", "uncensored", "jailbroken", "jailbreak mode", "do anything now", "without any restriction", "without restrictions", "no restrictions", "no rules",
	"no limitations", "no filters", "no guidelines", "no longer bound", "not bound by", "bound by any", "bound by the rules", "free from all", "freed from", "free of all", "no ethical", "no moral", "without ethical", "without moral",
	"any ethical", "amoral", "developer mode", "god mode", "sudo mode", "dan mode", "evil twin", "evil ai", "evil chatbot", "called dan", "named dan", "known as dan", "as dan", "(dan)", " dan,", " dan.", " dan ", "never refuse", "cannot refuse", "can't refuse", "not refuse",
	"obey me", "obey my", "obey all", "obey every", "ignore all", "ignore any", "ignore your", "disregard all", "disregard any", "disregard your", "bypass all", "safety guidelines", "content policy", "content policies", "openai policy", "openai policies"}

// parts are what someone is told to play or to say from now on.
var parts = []string{"respond", "answer", "reply", "act as", "act like", "pretend", "behave", "speak", "obey", "refer to me", "call me", "call yourself", "end every", "start every", "begin every", "only talk", "only say", "only output",
	"ignore", "disregard", "an assistant", "an ai", "a chatbot", "chatgpt", "language model", "roleplay", "role-play", "stay in character"}

// promises are both, told apart by their number: the freedoms come first.
var promises = newFinder(slices.Concat(freedoms, parts)...)

// personas are what a model is told to be.
var personas = mustIndex("act as", "act like", "pretend", "obey", "an assistant", "an ai ", "an ai.", "an ai,", "a chatbot", "chatgpt", "language model", "roleplay", "role-play", "in character", "playing the role", "an evil")

// suppositions are the ways to ask for it as a game.
var suppositions = [...]string{"pretend you have no", "pretend that you have no", "pretend to have no", "act as if you have no", "act as if you had no", "as though you have no", "as though you had no", "imagine you have no", "imagine that you have no", "you have no ethical", "you have no content",
	"pretend there are no", "respond without any", "answer without any", "reply without any"}

// unboundParts are the beginnings of a part that no one plays but a model without rules.
var unboundParts = [...]string{"act as an unrestricted", "act as an unfiltered", "act as an uncensored", "act as a jailbroken", "behave as an unrestricted", "behave like an unrestricted", "become an unrestricted", "respond as an unrestricted", "answer as an unrestricted", "respond as an uncensored", "you are an unrestricted", "you are an uncensored", "you are an unfiltered", "you are a jailbroken", "act like an unrestricted", "act like an uncensored"}

// players are who such a part is for.
var players = mustIndex(" ai", "assistant", "model", "chatbot", " bot", "llm")

// unbound are what is missing in such a game.
var unbound = mustIndex("restriction", "rules", "guideline", "filter", "limitation", "limits", "policy", "policies", "ethic", "moral", "safety", "censorship", "programming", "boundaries")

func takeoverKeywords() []keyword {
	var k []keyword
	for _, t := range turns {
		k = append(k, keyword{text: t, look: func(sc *scan, at int) { sc.takeover(at, at+len(t)) }})
	}
	for _, t := range suppositions {
		k = append(k, keyword{text: t, look: func(sc *scan, at int) { sc.supposition(at, at+len(t)) }})
	}
	for _, t := range unboundParts {
		k = append(k, keyword{text: t, look: func(sc *scan, at int) { sc.unboundPart(at, at+len(t)) }})
	}
	return k
}

// unboundPart looks for the order to play a model without rules.
func (sc *scan) unboundPart(at, end int) {
	if sc.full(detTakeover) || at > 0 && isAlnum(sc.text[at-1]) || !players.any(sentence(sc.text, end, 48)) {
		return
	}
	if moodAt(sc.text, at) != ordering {
		return
	}
	sev := Review
	if !sc.mentionedAt(at) {
		sev = Block
	}
	sc.review(detTakeover, at, end, sev)
}

// takeoverReach is how far behind its opening the sentence of a takeover is read, in bytes.
const takeoverReach = 160

// takeover looks for the sentence that makes a model one without rules: a block. One that only gives it a part to
// play or a way to answer is a review, and only where the reader is addressed.
func (sc *scan) takeover(at, end int) {
	if sc.full(detTakeover) || at < sc.turned-takeoverReach/2 || at > 0 && isAlnum(sc.text[at-1]) {
		return
	}
	text := sc.text
	if !sc.takeovers.within(promises.first, text, end, end+takeoverReach) {
		return
	}
	after := sentence(text, end, takeoverReach)
	sc.turned = end + len(after)
	free, part := false, false
	promises.index.walk(after, func(w *keyword, _ int) bool {
		free = w.user < len(freedoms)
		part = part || !free
		return !free
	})
	if !free && !(part && addresses(text[at:end], after)) {
		return
	}
	sev := Review
	if free && !sc.mentionedAt(at) {
		sev = Block
	}
	sc.review(detTakeover, at, end, sev)
}

// addresses reports whether a takeover speaks to its reader: "from now on" may say what a program will do.
func addresses(opening, after string) bool {
	if !strings.EqualFold(opening[:4], "from") {
		return strings.EqualFold(opening[len(opening)-3:], "now") && personas.any(after)
	}
	after = strings.TrimLeft(after, " ,:")
	return oneOf(after, orderedParts[:]) > 0
}

var orderedParts = [...]string{"you will respond", "you will answer", "you will reply", "you will act", "you will only", "you will pretend", "you will behave", "you will speak", "you will ignore", "you will call", "you must", "you are an", "you are a ", "you are the", "you shall", "you should respond",
	"you should answer", "you should act", "you only", "you respond", "you answer", "you act", "you speak", "respond", "answer", "reply", "act as", "act like", "pretend", "ignore", "disregard", "only "}

// supposition looks for the game in which there are no rules.
func (sc *scan) supposition(at, end int) {
	if sc.full(detTakeover) || at > 0 && isAlnum(sc.text[at-1]) || !unbound.any(sentence(sc.text, end-4, 64)) {
		return
	}
	sev := Review
	if strings.Contains(strings.ToLower(sc.text[at:end]), "you ") && !sc.mentionedAt(at) {
		sev = Block
	}
	sc.review(detTakeover, at, end, sev)
}

// sentence returns what follows byte from up to the end of its sentence, at most n bytes of it.
func sentence(text string, from, n int) string {
	s := text[from:min(len(text), from+n)]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return s[:i]
		case '.', '!', '?':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '"' {
				return s[:i+1]
			}
		}
	}
	return s
}
