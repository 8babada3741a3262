package content

import "strings"

// addressings are the openings of a note to whatever machine reads the text.
var addressings = [...]string{
	"note to ai", "note for ai", "note to the ai", "note to any ai", "note to llm", "note to all ai", "note to language model", "note for language model", "note to assistant", "note to the assistant", "note for the assistant", "note for llm",
	"notice for ai", "notice to ai", "notice to all ai", "attention ai", "attention llm", "attention assistant", "attention language model", "attention chatgpt", "attention claude", "attn ai", "attn: ai", "attention: ai", "attention all ai", "attention, ai", "attn llm", "attn agent",
	"message to ai", "message for ai", "message to the ai", "message for the ai", "message to llm", "message to language model", "instructions for the ai", "instruction for the ai", "instruction to ai", "instruction for ai", "instructions to ai", "instructions to the ai",
	"note for gpt:", "note for gpt]", "note to gpt:", "note for chatgpt", "note to chatgpt", "note for claude", "note to claude", "note for copilot", "assistant, before responding", "assistant, before answering", "assistant, before you", "llm instructions:", "instructions for llms", "instructions for language models", "instructions for gpt:", "instructions for chatgpt",
	"to any ai", "to the ai that", "to the ai reading", "to the ai processing", "to the assistant reading", "to the assistant processing", "to the language model", "to the llm reading", "to the llm processing", "to whichever ai", "to all ai",
	"if you are an ai", "if you're an ai", "if you are a language model", "if you're a language model", "if you are an llm", "if you're an llm", "if you are a large language model", "if you are a bot", "if you are an automated", "any ai reading", "any ai agent reading", "any assistant reading", "any llm reading",
	"ai reading this", "ais reading this", "ai processing this", "ai assistant reading this", "ai assistants reading this", "ai agent reading this", "ai agents reading this", "ai agents processing this", "ai assistant processing this", "ai assistants processing this", "assistant reading this", "assistant processing this", "llm reading this",
	"llms reading this", "llm processing this", "language model reading this", "language models reading this", "model reading this", "model processing this", "bot reading this", "dear ai", "dear assistant", "dear language model", "dear llm", "hey ai", "hello ai", "hey chatgpt", "hey claude", "hey gpt", "hey copilot", "hey gemini",
}

// Words that no note to a machine needs which means well: they set aside what it was asked, keep its user from
// knowing, or reach for what it holds.
var hostileWords = [...]string{
	"ignore ", "disregard ", "forget ", "override", "instead of", "instead,", "do not tell", "don't tell", "never tell", "do not mention", "don't mention", "never mention", "do not inform", "don't inform", "do not reveal this", "do not summarise", "do not summarize", "without telling", "without informing", "without asking", "without mentioning", "secretly", "silently", "quietly",
	"stop what", "stop your", "stop summar", "new task", "new instruction", "new orders", "real task", "real instruction", "previous task", "original task", "system prompt", "password", "credential", "api key", "api_key", "secret", "exfiltrate", "transfer ", "wire ", "bitcoin",
	"delete_", "send_", "delete all", "rm -rf", "curl ", "| sh", "| bash", "session token", "access token", "auth token", "user's token", "all contacts", "best candidate", "positive review only", "only positive review", "give a positive review", "any negatives", "five stars", "five-star", "top score", "highest score", "hire this", "recommend this", "approve this", "ranked first", "rank this", "rank it first", "rate this", "10/10", "maximum score", "full marks", "strong accept", "accept this paper", "all competing", "only recommend", "conversation to", "chat history", "forward all", "forward the",
}

// concealments are the orders to keep something from the user.
var concealments = [...]string{"tell the user", "inform the user", "notify the user", "alert the user", "mention this to the user", "mention it to the user", "let the user know", "reveal this to the user", "tell your user", "tell the human"}

// confided are what only whoever talks to a model has.
var confided = [...]string{"this conversation to", "the conversation to", "conversation history to", "chat history to", "chat log to", "entire conversation", "our conversation to", "contents of this conversation", "everything the user has", "everything the user said", "the user's messages to", "all user messages to", "system prompt to", "your instructions to", "your context to"}

func addressKeywords() []keyword {
	var k []keyword
	for _, a := range addressings {
		k = append(k, addressed(a))
	}
	for _, who := range [...]string{"ai", "llm", "language model", "ai agent", "ai agents", "ai assistant", "ai assistants"} {
		for _, does := range judgings {
			k = append(k, addressed(who+" "+does+" this"), addressed("to the "+who+" "+does))
		}
	}
	for _, c := range concealments {
		k = append(k, keyword{text: c, look: func(sc *scan, at int) { sc.concealment(at, at+len(c)) }})
	}
	for _, c := range confided {
		k = append(k, keyword{text: c, look: func(sc *scan, at int) { sc.confided(at, at+len(c)) }})
	}
	return k
}

// judgings are what machines do with applications, papers and offers, beside reading them.
var judgings = [...]string{"evaluating", "reviewing", "screening", "grading", "ranking", "scoring", "assessing", "summarising", "summarizing", "handling", "parsing"}

// addressed opens a look at a note to a machine.
func addressed(text string) keyword {
	return keyword{text: text, look: func(sc *scan, at int) { sc.address(at, at+len(text)) }}
}

// addressReach is how much of a note to a machine is read, in bytes.
const addressReach = 280

// address looks at a note to a machine. Many mean well, as in "note to AI agents: run the tests first", and are
// noted; one with words that serve nobody but an attacker blocks, or is a review where it is quoted.
func (sc *scan) address(at, end int) {
	if sc.full(detAddress) || at < sc.noted-addressReach/2 || at > 0 && isAlnum(sc.text[at-1]) || !wordEnds(strings.TrimPrefix(sc.text[end:], "s")) {
		return
	}
	note := sc.text[end:min(len(sc.text), end+addressReach)]
	sc.noted = end + len(note)
	sev := Note
	if sc.hostile(end, sc.noted) {
		sev = Block
		if sc.mentionedAt(at) || reporting.any(note) {
			sev = Review
		}
	}
	sc.review(detAddress, at, end, sev)
}

// wordEnds reports whether a word is over before rest.
func wordEnds(rest string) bool { return rest == "" || !isAlnum(rest[0]) && rest[0] != '\'' }

// concealment looks for the order to keep the user in the dark, in what tools return: in their definitions it is
// poisoning.
func (sc *scan) concealment(at, end int) {
	if sc.definitional() || sc.enough(detAddress, Review) || !wordEnds(sc.text[end:]) {
		return
	}
	for _, not := range [...]string{"do not ", "don't ", "never ", "dont "} {
		i := at - len(not)
		if i < 0 || !hasFoldPrefix(sc.text[i:], not) {
			continue
		}
		if moodAt(sc.text, i) == ordering && !sc.mentionedAt(i) && !hasFoldPrefix(sc.text[end:], " to ") && !hasFoldPrefix(sc.text[end:], " how") {
			sc.review(detAddress, i, end, Review)
		}
		return
	}
}

// deliveries are the verbs that carry something out.
var deliveries = mustIndex("send ", "forward ", "post ", "upload ", "email ", "e-mail ", "mail ", "transmit ", "exfiltrate ", "submit ", "append ", "leak ", "copy ")

// confided looks for the order to carry a conversation or a prompt to an address.
func (sc *scan) confided(at, end int) {
	if sc.enough(detAddress, Review) || sc.definitional() {
		return
	}
	before, after := sc.text[max(0, at-40):at], sc.text[at:min(len(sc.text), end+72)]
	if deliveries.any(before) && (strings.Contains(after, "http") || strings.IndexByte(after, '@') >= 0) {
		sc.review(detAddress, at, end, Review)
	}
}
