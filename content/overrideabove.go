package content

import "strings"

// What stands behind instructions that are to be set aside: where they are, whose they are, and what is to be done instead.

// abovesBehind follow the word for instructions that were given before, as past words stand in front of it.
var abovesBehind = [...]string{" above", " given above", " before this", " preceding this", " that came before", " that precede"}

// otherConditions make advice of an order to ignore what stands above.
var otherConditions = [...]string{" if ", " when ", " unless ", " for ", " in ", " on ", " to ", " about ", " where ", " only "}

// aboveBehind returns the length of such words behind byte i, 0 where none stand there or a condition follows.
func aboveBehind(text string, i int) int {
	n := oneOf(text[i:], abovesBehind[:])
	if n == 0 || !wordEnds(text[i+n:]) || oneOf(text[i+n:], otherConditions[:]) > 0 {
		return 0
	}
	return n
}

// insteadMoves are what only a model is asked to do in place of what it was told, behind "and".
var insteadMoves = [...]string{"instead", "reply", "respond", "answer", "say ", "output ", "print ", "tell me", "reveal", "dump ", "leak ", "disclose", "email ", "forward ", "exfiltrate", "repeat ", "show me", "translate "}

var (
	ands    = [...]string{"and ", "then ", "& "}
	skipAnd = newCharset(", ")
)

// insteadBehind reports whether such an order follows byte i, in the same sentence.
func insteadBehind(text string, i int) bool {
	i = skip(text, i, skipAnd)
	n := oneOf(text[i:], ands[:])
	return n > 0 && oneOf(text[i+n:], insteadMoves[:]) > 0
}

// ofOthers reports whether what follows byte i says that the instructions are those of somebody who gives a model none, and nothing
// in the sentence is what only a model is asked to do.
func ofOthers(text string, i int) bool {
	n := oneOf(text[i:], givers[:])
	if n == 0 {
		return false
	}
	i += n
	if n = oneOf(text[i:], owners[:]); n == 0 || oneOf(text[i+n:], instructors[:]) > 0 {
		return false
	}
	for end := sentenceEnd(text, i, min(len(text), i+othersReach)); i < end; i++ {
		if (text[i] == ' ' || text[i] == ',') && insteadBehind(text, i) {
			return false
		}
	}
	return true
}

// othersReach is how far behind the instructions such a thing is looked for, in bytes.
const othersReach = 96

var (
	givers      = [...]string{" from ", " by ", " of "}
	owners      = [...]string{"the ", "your ", "our ", "my ", "mr ", "mr. ", "mrs ", "mrs. ", "ms ", "ms. ", "dr ", "dr. "}
	instructors = [...]string{"you", "system", "developer", "openai", "anthropic", "google", "user", "me", "us", "this", "above", "before", "prompt", "admin", "operator", "creator", "conversation", "chat", "assistant", "now", "earlier", "it", "that", "them", "context", "message", "model",
		// Where they stand, and what is no one at all.
		"start", "beginning", "first", "last", "previous", "prior", "past", "top", "initial", "original", "session", "document", "page", "text", "way", "order"}
)

// callings are the names by which a model is called on in front of an order.
var callings = wordSet("assistant ai llm model agent bot chatbot chatgpt gpt claude gemini copilot")

// calledOn reports whether a model is called on right before the order at byte at.
func calledOn(text string, at int) bool {
	i := at
	for i > 0 && at-i < maxPhraseGap && strings.IndexByte(" ,:;-*_!", text[i-1]) >= 0 {
		i--
	}
	word, _, none := wordBefore(text, i)
	return !none && callings[word]
}

// overNumber returns where the item of a list begins whose number stands at byte i, at the start of a line: i where none does.
func overNumber(text string, i int) int {
	if i == 0 || i == len(text) || !isDigit(text[i]) || strings.IndexByte("\n \t", text[i-1]) < 0 || strings.LastIndexByte(text[max(0, i-maxListIndent):i], '\n') < 0 {
		return i
	}
	end := extent(text, i, 3, setDigits)
	if end+1 < len(text) && (text[end] == '.' || text[end] == ')') && text[end+1] == ' ' {
		return end + 2
	}
	return i
}

// maxListIndent is how far from the start of a line its number may stand, in bytes.
const maxListIndent = 5

// verbatims follow the name of a system prompt where it is to be given away.
var verbatims = newFinder("verbatim", "word for word", "in your reply", "in your response", "in your answer", "in your next", "character by character", "exactly as ")

// verbatimReach is how far behind the name they stand, in bytes.
const verbatimReach = 64

// verbatimPrompt looks for the order to repeat "the system prompt" as it is.
func (sc *scan) verbatimPrompt(at, end int) {
	text := sc.text
	if sc.full(detExtraction) || !askingAny.any(text[max(0, at-extractionReach):at]) {
		return
	}
	i, betrays := asked(text[max(0, at-extractionReach):at])
	if i < 0 || !betrays {
		return
	}
	i += max(0, at-extractionReach)
	if to, start, _ := wordBefore(text, i); to == "to" {
		if who, _, _ := wordBefore(text, start); callings[who] {
			return // what somebody asks a model to do
		}
	}
	if stop := sentenceEnd(text, end, min(len(text), end+verbatimReach)); verbatims.any(text[end:stop]) && moodAt(text, i) == ordering && !sc.mentionedAt(i) {
		sc.review(detExtraction, i, end, Block)
	}
}
