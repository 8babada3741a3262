package content

import "strings"

// What the runtime of a model writes around the calls of tools and between the turns of a conversation, put into data:
// markup of calls that are complete, results that end and another's turn that begins, whole exchanges that never were.
// One that is only named, as manuals do, lacks the rest.

// callMarks are the openings of calls, with what must follow: what stands right behind, blanks aside, and what shortly
// after.
var callMarks = [...]struct {
	open  string
	next  []string // one of these right behind, any when nil
	later *keywordIndex
}{
	{"<invoke name=", nil, mustIndex("<parameter name=", "<"+"antml:parameter name=")},
	{"<" + "antml:invoke name=", nil, mustIndex("<parameter name=", "<"+"antml:parameter name=")},
	{"<tool_call>", []string{"{", "<function="}, mustIndex("\"arguments\"", "\"parameters\"", "<parameter=")},
	{"<toolcall>", []string{"{"}, mustIndex("\"arguments\"", "\"parameters\"")},
	{"<tool_use>", []string{"<name>", "<tool_name>", "{"}, mustIndex("<input>", "<parameters>", "<arguments>", "\"input\"")},
	{"<use_mcp_tool>", []string{"<server_name>"}, mustIndex("<tool_name>")},
	{"<function_call>", []string{"{"}, mustIndex("\"arguments\"", "\"parameters\"")},
	{"<functioncall>", []string{"{"}, mustIndex("\"arguments\"", "\"parameters\"")},
	{"<tool_code>", []string{"print(", "default_api."}, mustIndex("print(", "default_api.")},
	{"<function=", nil, mustIndex(">{\"", "> {\"", ">\n{\"", "<parameter=")},
}

// callRests are what follows in any of them, which is looked for first.
var callRests = mustIndex("<parameter name=", "<"+"antml:parameter name=", "\"arguments\"", "\"parameters\"", "<parameter=", "<input>", "<parameters>", "<arguments>", "\"input\"", "<tool_name>", "print(", "default_api.", ">{\"", "> {\"", ">\n{\"")

// callReach is how far behind its opening the rest of a call may begin, in bytes.
const callReach = 160

// resultEnds are what ends the result of a tool or a document that a prompt holds.
var resultEnds = [...]string{"</tool_result>", "</tool_results>", "</function_results>", "</function_result>", "</tool_response>", "</tool_output>", "</search_results>", "</documents>", "</document>", "</untrusted_content>", "</user_input>", "</context>", "</tool>", "</observation>", "</" + "antml:function_results>", "</function_calls>"}

// takers are who has the turn after that.
var takers = [...]string{"human:", "user:", "system:", "assistant:", "<system>", "<user>", "<human>", "<assistant>", "[system]", "### human", "### user", "### system", "new instructions", "instructions:"}

// takersReach is how many bytes of blanks and other closings may stand between.
const takersReach = 40

// Deeds are what a forged turn asks for, stakes what with; both tell it from transcripts of people.
var (
	deeds  = mustIndex("delete", "send ", "forward ", "upload ", " post ", "transfer ", "wire ", "export ", "share ", "email ", "mail ", "run `", "run rm", "execute ", "wipe ", "exfiltrate", "disregard", "copy ", "print ", "reveal")
	stakes = mustIndex("password", "credential", "secret", "api key", ".ssh", ".aws", ".env", "/var/", "/etc/", "payroll", "mailbox", "vault", "rm -rf", "private key")
	// Of these people speak all day; an attacker wants all of them.
	goods = mustIndex("token", "backup", "customer", "contact", "http", "files")
	broad = mustIndex("all ", "every", "each ", "entire ", "whole ", "any ", "now ", "list ")
)

// assistantWords open the turn of the model.
var assistantWords = newFinder("assistant:", "assistant**:", "### assistant", "\nai:", "### response")

// Bounds of a forged exchange, in bytes: how far behind the turn of the user that of the model may begin, and how much of
// the user's is read.
const (
	exchangeReach = 400
	turnReach     = 200
)

func templateKeywords() []keyword {
	var k []keyword
	for i := range callMarks {
		m := &callMarks[i]
		k = append(k, keyword{text: m.open, look: func(sc *scan, at int) {
			sc.forgedCall(at, at+len(m.open), m.next, m.later)
		}})
	}
	for i, end := range resultEnds {
		open := "<" + end[len("</"):len(end)-len(">")]
		k = append(k, keyword{text: end, look: func(sc *scan, at int) { sc.brokenOut(at, at+len(end), i) }},
			keyword{text: open, look: func(sc *scan, at int) { sc.opensResult(at+len(open), i) }})
	}
	for _, turn := range [...]string{"human:", "user:", "human**:", "### instruction:", "###instruction:"} {
		k = append(k, keyword{text: turn, look: func(sc *scan, at int) { sc.forgedExchange(at, at+len(turn)) }})
	}
	for _, deed := range [...]string{"call", "now call", "send", "post", "forward", "include the", "export", "run `", "run the command", "upload", "not tell", "not mention", "never tell", "not inform", "reveal"} {
		text := "the assistant must " + deed
		k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.toldAssistant(at, at+len(text)) }})
	}
	for _, text := range modelTold {
		k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.toldAssistant(at, at+len(text)) }})
	}
	return append(k, keyword{text: "[inst]", look: func(sc *scan, at int) { sc.instruction(at, at+len("[inst]")) }},
		keyword{text: "[/inst]", look: func(sc *scan, at int) { sc.instruction(at, at+len("[/inst]")) }})
}

// forgedCall looks at the opening of a tool call, for the rest of it.
func (sc *scan) forgedCall(at, end int, next []string, later *keywordIndex) {
	if sc.enough(detCall, Review) {
		return
	}
	text := sc.text
	i := end
	for i < len(text) && i-end < maxControlGap && text[i] <= ' ' {
		i++
	}
	if next != nil && oneOf(text[i:], next) == 0 || !sc.calls.within(callRests.first, text, end, end+callReach) || !later.any(text[end:min(len(text), end+callReach)]) {
		return
	}
	sc.add(detCall, at, end)
}

// opensResult notes that the i-th element of resultEnds begins, if its name ends at byte end.
func (sc *scan) opensResult(end, i int) {
	if end < len(sc.text) && (sc.text[end] == '>' || sc.text[end] == ' ') {
		sc.openedResults |= 1 << i
	}
}

// brokenOut looks at the end of a result, the i-th of resultEnds, for someone's turn behind it.
func (sc *scan) brokenOut(at, end, i int) {
	text := sc.text
	if sc.full(detFence) {
		return
	}
	turn := end
	for limit := min(len(text), end+takersReach); turn < limit; {
		switch {
		case text[turn] <= ' ':
			turn++
			continue
		case strings.HasPrefix(text[turn:], "</"):
			n := strings.IndexByte(text[turn:limit], '>')
			if n < 0 {
				return
			}
			turn += n + 1
			continue
		}
		break
	}
	n := oneOf(text[turn:], takers[:])
	if n == 0 {
		return
	}
	// Where a line of its own begins, and what is said there is not for the data. An element that the text itself opened
	// is that of a prompt which a program or its manual shows, as a whole.
	inline := strings.IndexByte(text[end:turn], '\n') < 0 && text[turn] != '<' && text[turn] != '['
	if inline || sc.openedResults&(1<<i) != 0 || sc.mentionedAt(at) {
		sc.review(detFence, at, turn+n, Review)
		return
	}
	sc.add(detFence, at, turn+n)
}

// forgedExchange looks at the turn of a user that asks for what serves an attacker, with the turn of the model behind it.
func (sc *scan) forgedExchange(at, end int) {
	text := sc.text
	if sc.enough(detFakeTurn, Review) || !lineStart(text, at) || !sc.answers.within(assistantWords.first, text, end, end+exchangeReach) {
		return
	}
	turn := text[end:min(sc.answers.at, end+turnReach)]
	if !deeds.any(turn) || !stakes.any(turn) && strings.IndexByte(turn, '@') < 0 && !(goods.any(turn) && broad.any(turn)) {
		return
	}
	sc.review(detFakeTurn, at, end, Review)
}

// The words that stand behind a mark which is only named.
var namedBefore = wordSet("and or tag tags token tokens marker markers block blocks marks mark is are was were in to with around as for format template delimiter delimiters opens closes begins ends pair pairs means stands")

// instruction looks at a mark of Llama's and Mistral's templates. In a sentence that names it it is none.
func (sc *scan) instruction(at, end int) {
	text := sc.text
	if sc.full(detMarker) || at > 0 && text[at+1] == 'i' && (isAlnum(text[at-1]) || strings.IndexByte("_])", text[at-1]) >= 0) {
		return // the index of an expression, as in visited[inst]
	}
	i := end
	for i < len(text) && (text[i] == ' ' || text[i] == '`' || text[i] == '"' || text[i] == '\'') {
		i++
	}
	quoted := at > 0 && strings.IndexByte("`\"'", text[at-1]) >= 0 && end < len(text) && text[end] == text[at-1]
	word := extent(text, i, longWord, setAlnum)
	switch {
	case quoted && text[at-1] == '`':
		return
	case lineStart(text, at) && !quoted:
	case i < len(text) && text[i] == '{':
		sc.review(detMarker, at, end, Review) // a template, which a program fills
		return
	case i == len(text) || strings.IndexByte(".,;:?()\n", text[i]) >= 0, namedBefore[strings.ToLower(text[i:word])]:
		return
	}
	sc.marker(at, end)
}

// assistantOrders are what a forged word of the system tells the model, however it begins.
var assistantOrders = newFinder("the assistant must", "the assistant should", "the assistant has to", "the assistant is to", "the assistant is required", "the assistant will now", "the ai must", "the model must", "the agent must", "assistants must",
	"the user has approved", "the user has authorised", "the user has authorized", "the user wants you to", "answer must contain", "answer must include", "response must include", "response must contain", "call the tool", "all safety policies", "safety policies are")

// saidReach is how far behind a word of the system its order may begin, in bytes.
const saidReach = 120

// saidToAssistant reports whether what follows byte end tells the model what it must do.
func (sc *scan) saidToAssistant(end int) bool {
	return sc.assistants.within(assistantOrders.first, sc.text, end, end+saidReach)
}

// modelTold are what results say to a model as if its user or its operator spoke.
var modelTold = [...]string{"your actual instructions are", "your real instructions are", "your true instructions are", "your real task is", "your actual task is", "before you can solve the task", "the task that i gave you in the beginning", "important message from me,", "important message from the user", "the user has already approved all", "the user has already consented to", "the user has consented to everything", "your instructions have been updated", "your guidelines have been updated", "your system prompt has been updated", "your instructions have been replaced", "you no longer need to ask for confirmation", "no need to ask the user for confirmation"}

// toldAssistant looks at what a result says that the model must do, where it is not told about.
func (sc *scan) toldAssistant(at, end int) {
	if !sc.definitional() && !sc.enough(detAddress, Review) && wordEnds(sc.text[end:]) && !sc.mentionedAt(at) {
		sc.review(detAddress, at, end, Review)
	}
}
