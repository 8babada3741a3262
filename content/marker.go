package content

import "strings"

// chatTokens are the control tokens of chat templates. Their spelling is so odd that no ordinary text has
// them; whoever puts one into data wants a model to see a turn end there.
var chatTokens = []string{
	"<|im_start|>", "<|im_end|>", "<|im_sep|>", "<|system|>", "<|user|>", "<|assistant|>", "<|endoftext|>", "<|end|>",
	"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>", "<|end_of_text|>", "<|python_tag|>",
	"<|start|>", "<|channel|>", "<|message|>", "<|return|>", "<|tool_call|>", "<|tool|>", "<|prompter|>", "<|endofprompt|>",
	"<|start_of_turn_token|>", "<|end_of_turn_token|>", "<|system_token|>", "<|user_token|>", "<|chatbot_token|>", "<|end_of_role|>", "<|start_of_role|>",
	"<|begin_of_sentence|>", "<|end_of_sentence|>", "<|begin▁of▁sentence|>",
	"<start_of_turn>", "<end_of_turn>", "[|system|]", "[|user|]", "[|assistant|]", "[|endofturn|]", "<seed:bos>", "<seed:eos>", "<reserved_106>", "<reserved_107>", "]~!b[", "]~b]", "<extra_id_0>system", "<extra_id_1>user", "<extra_id_1>assistant", "<<sys>>", "<</sys>>", "[system_prompt]", "[/system_prompt]", "[available_tools]", "[/available_tools]",
	"[tool_results]", "[/tool_results]", "[tool_calls]", "|im_start|>", "|im_end|>", "|eot_id|>", "|start_header_id|>",
}

func markerKeywords() []keyword {
	var k []keyword
	for _, t := range chatTokens {
		k = append(k, keyword{text: t, look: func(sc *scan, at int) { sc.marker(at, at+len(t)) }})
	}
	for _, role := range [...]string{"system", "assistant", "developer", "human", "user"} {
		phrases := takeoversBy
		if role == "system" || role == "developer" {
			phrases = ordersBy
		}
		k = append(k, keyword{text: role + ":", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+1, phrases) }},
			keyword{text: role + " :", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+2, phrases) }},
			keyword{text: role + "**:", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+3, phrases) }},
			keyword{text: role + " message:", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+9, phrases) }},
			keyword{text: role + " override:", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+10, phrases) }},
			keyword{text: role + " notice:", look: func(sc *scan, at int) { sc.fakeTurn(at, at+len(role)+8, phrases) }},
			keyword{text: "### " + role, look: func(sc *scan, at int) { sc.fakeHeading(at, at+4+len(role), phrases) }})
	}
	for _, tag := range [...]string{"<system>", "<system_prompt>", "<system-prompt>", "<system-reminder>", "<system_message>", "<system-message>", "<admin>", "<developer>", "<system_instructions>", "<system-instructions>", "<system_instruction>", "<instructions>", "<new_instructions>", "<system_override>", "[system]", "[system:", "[system notice]", "[system alert]", "[system instruction]", "[system directive]", "[system update]", "[system message]", "[system prompt]", "[system note]", "[system override]", "[[system]]", "{system}", "{{#system}}", "{{#system~}}"} {
		k = append(k, keyword{text: tag, look: func(sc *scan, at int) { sc.systemBlock(at, at+len(tag)) }})
	}
	k = append(k, keyword{text: "<system ", look: func(sc *scan, at int) {
		// With attributes.
		if n := strings.IndexByte(sc.text[at:min(len(sc.text), at+maxTag)], '>'); n > 0 {
			sc.systemBlock(at, at+n+1)
		}
	}})
	for _, w := range [...]string{"###instruction", "### instruction"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.instructionHeading(at, at+len(w)) }})
	}
	k = append(k, keyword{text: "end of ", look: (*scan).fence})
	k = append(k, templateKeywords()...)
	k = append(k, controlKeywords()...)
	return k
}

// orders are the first words of a sentence that tells a model what to do. They are what makes a line that
// starts with "system:" a turn of its own and not a line of a log.
var orders = []string{
	"you are", "you must", "you will", "you should", "you shall", "you have to", "you have admin", "you have root", "you have full access", "you have unrestricted", "do not ask for confirmation", "don't ask for confirmation", "all safety guidelines", "all safety policies", "all safety rules", "all safety filters", "all safety restrictions", "all safety measures are", "all restrictions are", "all restrictions on you", "you can now", "your new", "your task", "your instructions", "your role", "your job",
	"ignore ", "disregard ", "forget ", "override ", "bypass ", "obey", "from now on", "new instructions", "new instruction", "new task", "new system",
	"updated instructions", "the following instructions", "follow the", "follow these", "do not tell", "don't tell", "never tell", "never mention", "do not mention", "don't mention", "do not reveal",
	"reveal ", "all previous", "previous instructions", "act as", "pretend ", "safety ", "instructions:", "stop what", "the user has authorised", "the user has authorized",
	"the assistant must", "the assistant should", "the assistant will", "assistant must", "comply ", "execute the following", "run the following", "send all", "send the", "exfiltrate", "priority override",
}

// orderWindow is how far into a turn its order may start, in bytes.
const orderWindow = 48

// takeovers are the orders that no one gives in a transcript of people talking: what a forged turn of the user
// or the assistant must begin with. "Assistant: you should restart it" is support.
var takeovers = []string{
	"ignore all", "ignore the", "ignore your", "ignore previous", "ignore prior", "ignore everything", "disregard all", "disregard the", "disregard your", "disregard previous", "disregard prior",
	"forget all", "forget your", "forget everything", "override ", "bypass ", "new instructions", "new task", "new system", "updated instructions", "from now on", "reveal your", "reveal the system",
	"previous instructions", "all previous", "exfiltrate", "priority override", "i will comply", "i will now ignore", "sure, here is the system prompt",
}

var (
	ordersBy    = byBeginning(orders)
	takeoversBy = byBeginning(takeovers)
)

// byBeginning lists phrases by their first three letters.
func byBeginning(phrases []string) map[[3]byte][]string {
	m := map[[3]byte][]string{}
	for _, o := range phrases {
		k := [3]byte{o[0], o[1], o[2]}
		m[k] = append(m[k], o)
	}
	return m
}

// ordered reports whether the text from byte i begins with one of the phrases, give or take a few words.
func ordered(text string, i int, phrases map[[3]byte][]string) bool {
	end := min(len(text), i+orderWindow)
	for range 4 {
		for i < end && !isAlnum(text[i]) {
			if text[i] >= 0x80 || strings.IndexByte(".,;?!)", text[i]) >= 0 {
				return false
			}
			i++
		}
		if end-i < 3 {
			return false
		}
		w := text[i:end]
		for _, o := range phrases[[3]byte{foldTable[w[0]], foldTable[w[1]], foldTable[w[2]]}] {
			if hasFoldPrefix(w, o) {
				return true
			}
		}
		// Polite and stern words before the order change nothing.
		n := 0
		for _, p := range preambles {
			if hasFoldPrefix(w, p) {
				n = len(p)
				break
			}
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return false
}

var preambles = []string{"please ", "important: ", "important, ", "attention: ", "now ", "note: ", "urgent: ", "kindly ", "immediately ", "ok, ", "override: "}

// lineStart reports whether only decoration stands between the start of a line and byte at.
func lineStart(text string, at int) bool {
	for i := at; i > 0; i-- {
		switch text[i-1] {
		case '\n', '\r':
			return true
		case '>':
			if i > 1 && (isAlnum(text[i-2]) || text[i-2] == '"' || text[i-2] == '/') {
				return true // behind a tag
			}
		case ',', ';':
			return i < len(text) && text[i] == '"' // the quoted cell of a table
		case ' ', '\t', '#', '*', '-', '=', '[', '<', '|', '(', '"', '\'', '`', '_', '~':
		default:
			return false
		}
		if at-i > 16 {
			return false
		}
	}
	return true
}

// fakeTurn looks at a role name with its colon: a turn when it starts a line and an order follows.
func (sc *scan) fakeTurn(at, end int, phrases map[[3]byte][]string) {
	if sc.full(detFakeTurn) || !lineStart(sc.text, at) {
		return
	}
	if ordered(sc.text, end, phrases) || sc.text[at]|0x20 == 's' && sc.saidToAssistant(end) {
		sc.add(detFakeTurn, at, end)
	}
}

// fakeHeading looks at a heading made of a role name alone, with an order under it. A heading that goes on, as
// in "### System Requirements", is a heading.
func (sc *scan) fakeHeading(at, end int, phrases map[[3]byte][]string) {
	if sc.full(detFakeTurn) || !lineStart(sc.text, at) {
		return
	}
	rest := strings.TrimLeft(sc.text[end:min(len(sc.text), end+orderWindow)], " \t:*#")
	if rest == "" || rest[0] != '\n' && rest[0] != '\r' {
		return
	}
	if ordered(sc.text, len(sc.text[:end])+strings.IndexAny(sc.text[end:], "\r\n"), phrases) {
		sc.add(detFakeTurn, at, end)
	}
}

// instructionHeading looks at the heading of a prompt with an order under it that no manual gives.
func (sc *scan) instructionHeading(at, end int) {
	for end < len(sc.text) && isLetter(sc.text[end]) {
		end++
	}
	if end < len(sc.text) && sc.text[end] == ':' {
		end++
	}
	if end < len(sc.text) && (sc.text[end] == '\n' || sc.text[end] == '\r') && !sc.full(detFakeTurn) && lineStart(sc.text, at) && ordered(sc.text, end, takeoversBy) {
		sc.add(detFakeTurn, at, end)
	}
}

// systemBlock looks at an opening tag that claims authority, with an order inside.
func (sc *scan) systemBlock(at, end int) {
	if sc.full(detSysBlock) {
		return
	}
	phrases := ordersBy
	if c := sc.text[at]; c == '[' || c == '{' || hasFoldPrefix(sc.text[at:], "<instructions>") {
		// Logs, games and the templates of manuals write their own lines like this.
		phrases = takeoversBy
	}
	if ordered(sc.text, end, phrases) || sc.saidToAssistant(end) {
		sc.add(detSysBlock, at, end)
	}
}

// fenceWindow is how far after "end of document" the new instructions may start, in bytes.
const fenceWindow = 200

// fenceKinds are what a fence says has ended; of two that begin alike the longer comes first.
var fenceKinds = []string{"user data", "search results", "results", "user message", "web page", "website", "untrusted data", "untrusted content", "external content", "external data", "transcript", "attachment", "retrieved context", "tool response", "document", "file", "text", "data", "page", "article", "context", "tool output", "tool result", "result", "output", "input",
	"user input", "user query", "query", "conversation", "content", "email", "message", "prompt"}

// newOrders are what follows a fence when it is no end of anything.
var newOrders = mustIndex("new instruction", "new task", "new system", "real task", "actual task", "updated instruction", "additional instruction", "real instruction",
	"actual instruction", "next instruction", "system instruction", "new prompt", "begin instruction", "start of instruction", "important instruction", "new objective", "special instruction")

// fence looks at a line that claims that the data ends, with new instructions after it.
func (sc *scan) fence(at int) {
	end := at + len("end of ")
	if hasFoldPrefix(sc.text[end:], "the ") {
		end += len("the ")
	}
	kind := 0
	for _, k := range fenceKinds {
		if hasFoldPrefix(sc.text[end:], k) {
			kind = len(k)
			break
		}
	}
	if end += kind; kind == 0 || end < len(sc.text) && isLetter(sc.text[end]) {
		return
	}
	if !lineStart(sc.text, at) || at < sc.fenced-fenceWindow/2 {
		return
	}
	sc.fenced = end + fenceWindow
	after := sc.text[end:min(len(sc.text), end+fenceWindow)]
	if newOrders.any(after) {
		sc.add(detFence, at, end)
		return
	}
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		if line := strings.TrimLeft(after[i:], "\r\n"); ordered(line, 0, ordersBy) {
			sc.add(detFence, at, end)
		}
	}
}
