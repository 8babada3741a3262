package content

import "strings"

// What tools return may speak for the user: that consent was given already, so that nobody need be asked, or that something is to be
// done without a word to anyone. In tool definitions that is poisoning, which has its own looks.

// consents are how a text says that consent was given. Alone they say nothing, since people report such things every day.
var consents = [...]string{
	"user consent", "user's consent", "user approval", "user has already", "user already", "user has given", "user gave", "user has pre-", "user pre-", "user has approved", "user has authorized", "user has authorised", "user has confirmed", "user has agreed",
	"approved by the user", "confirmed by the user", "authorized by the user", "authorised by the user", "pre-approved", "pre-authorized", "pre-authorised", "preapproved", "preauthorized",
}

// unasked are the words by which it serves an attacker.
var unasked = newFinder("without asking", "without confirm", "without further confirm", "without prompting", "do not ask", "don't ask", "need not ask", "no need to ask", "no need to confirm", "do not prompt", "don't prompt", "skip the confirm", "skip confirm", "skip the approval", "no confirmation", "bypass the approval", "bypass approval")

// unaskedReach is how far behind a consent they may begin, in bytes.
const unaskedReach = 120

// behindBacks are how an order says that the user is not to know.
var behindBacks = [...]string{"without telling the user", "without informing the user", "without notifying the user", "without alerting the user", "without asking the user"}

// Bounds of what is read before them for the order: bytes, and verbs.
const (
	orderReach = 120
	orderVerbs = 2
)

// askedIf are the words before a consent that leave open whether it was given.
var askedIf = wordSet("if when once unless whether until after where")

func consentKeywords() []keyword {
	var k []keyword
	for _, w := range consents {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.consent(at, at+len(w)) }})
	}
	for _, w := range behindBacks {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.behindBack(at, at+len(w)) }})
	}
	return k
}

// consent looks for the claim of a result that the user need not be asked.
func (sc *scan) consent(at, end int) {
	text := sc.text
	if sc.definitional() || sc.enough(detAddress, Review) || !sc.unasked.within(unasked.first, text, end, end+unaskedReach) {
		return
	}
	word, start, _ := wordBefore(text, at)
	if word == "the" || word == "your" {
		word, _, _ = wordBefore(text, start)
	}
	if !askedIf[word] && !sc.mentionedAt(at) {
		sc.review(detAddress, at, end, Review)
	}
}

// behindBack looks for the order of a result to do something that the user is not to know: a verb of those that serve an attacker, in
// the same sentence.
func (sc *scan) behindBack(at, end int) {
	if sc.definitional() || sc.enough(detAddress, Review) || !wordEnds(sc.text[end:]) || sc.mentionedAt(at) {
		return
	}
	from := max(0, at-orderReach)
	sentence := sc.text[from:at]
	from += max(strings.LastIndex(sentence, ". ")+1, strings.LastIndexByte(sentence, '\n')+1)
	for range orderVerbs {
		if from += deeds.first(sc.text[from:at]); from == at {
			return
		}
		if verb := skip(sc.text, from, skipBlank); moodAt(sc.text, verb) == ordering {
			sc.review(detAddress, at, end, Review)
			return
		}
		from++
	}
}
