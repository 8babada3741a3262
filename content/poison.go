package content

import "strings"

// poisonKeywords opens the wording of poisoned tool definitions.
func poisonKeywords() []keyword {
	var k []keyword
	for _, w := range [...]string{"<important>", "<secret>", "<hidden>", "<instructions>", "<instruction>", "<critical>", "<private>"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.poisonTag(at, at+len(w)) }})
	}
	for _, w := range [...]string{"tell the user", "mention to the user", "inform the user", "notify the user", "mention this", "tell anyone", "reveal this", "show the user", "let the user know", "alert the user", "disclose this"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.secrecy(at, at+len(w)) }})
	}
	for _, w := range [...]string{".ssh/", "id_rsa", "id_ed25519", ".aws/credentials", ".env", "/etc/passwd", "/etc/shadow", "mcp.json", ".cursor/", ".kube/config", ".netrc", ".npmrc", ".git-credentials", ".docker/config", "api keys", "environment variables", "conversation history", "system prompt"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.credentialPath(at, at+len(w)) }})
	}
	for _, w := range [...]string{"before using any", "before calling any", "before using this tool", "before calling this tool", "before any other tool", "before using other", "instead of using the", "instead of the", "when any other tool", "whenever any tool", "all other tools", "any other tool", "other tools are", "overrides the", "must always be called", "must be called first", "must be called before", "must call this"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.precondition(at, at+len(w)) }})
	}
	for _, w := range [...]string{"secretly", "silently", "covertly", "without telling", "without informing", "without notifying", "without asking", "without mentioning", "without the user", "hide this from", "hide it from", "keep this hidden", "keep this secret", "keep it secret", "unknown to the user"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.covert(at, at+len(w)) }})
	}
	for _, w := range [...]string{"bcc", "recipient to", "must be sent to", "should be sent to", "always send to", "also send", "forward a copy", "send a copy", "forward it to", "post it to", "upload it to"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.divert(at, at+len(w)) }})
	}
	return k
}

// definitional reports whether the current string is part of a tool definition or of server instructions: the
// text that a model takes for the words of its operator.
func (sc *scan) definitional() bool {
	switch sc.role {
	case RoleDescription, RoleSchema, RoleInstruction, RoleToolName:
		return sc.side == SideResponse
	}
	return false
}

// poisonable reports whether the current text may still tell something new about a poisoned definition.
func (sc *scan) poisonable() bool { return sc.definitional() && !sc.full(detPoison) }

// moves are the verbs that take data somewhere.
var moves = []string{"send", "forward", "upload", "post ", "copy", "email", "transmit", "exfiltrate", "leak", "include", "attach", "append", "call ", "invoke", "execute", "read ", "collect", "log "}

// covert looks for a definition that orders something to be done behind the user's back.
func (sc *scan) covert(at, end int) {
	if !sc.poisonable() {
		return
	}
	near := sc.around(at, end, 100, 100)
	if !containsAny(near, moves...) {
		return
	}
	sev := Review
	if containsAny(near, "user", "secretly", "covertly", "conversation", "credential", "password", "token", "key", "message", "mail", "http") {
		sev = Block
	}
	if strings.EqualFold(sc.text[at:end], "silently") && !containsAny(sc.around(end, end, 0, 12), " send", " forward", " upload", " copy", " post ", " transmit", " email", " call", " include", " log ") {
		// Programs fail silently, overwrite silently, and send nothing anywhere.
		return
	}
	if containsAny(strings.ToLower(sc.text[at:end]), "without asking") && !containsAny(near, "conversation", "credential", "password", "token", "http", "@") {
		sev = Review
	}
	sc.review(detPoison, at, end, sev)
}

// divert looks for a definition that sends what another tool handles to an address that it names itself.
func (sc *scan) divert(at, end int) {
	if !sc.poisonable() {
		return
	}
	near := sc.around(at, end, 160, 160)
	if !containsAny(near, "must", "always", "every", "all ", "whenever", "when ", "change") {
		return
	}
	address := strings.IndexByte(near, '@') >= 0 && strings.IndexByte(near, '.') >= 0 || strings.Contains(near, "http") || strings.Contains(near, "+1") || strings.Contains(near, "attacker") || strings.Contains(near, "proxy number")
	example := containsAny(near, "e.g.", "for example", "example:", "for instance", "such as", "in the format", "optional", "comma", "list of")
	if address && !example {
		sc.review(detPoison, at, end, Block)
	}
}

// around returns the lower-case text near a span.
func (sc *scan) around(at, end, before, after int) string {
	return strings.ToLower(sc.text[max(0, at-before):min(len(sc.text), end+after)])
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// negations make "tell the user" an order to keep quiet.
var negations = []string{"do not ", "don't ", "dont ", "never ", "not to ", "without ", "must not ", "should not ", "avoid ", "no need to ", "refrain from "}

// secrecy looks for orders to keep something from the user.
func (sc *scan) secrecy(at, end int) {
	if !sc.poisonable() {
		return
	}
	before := sc.around(at, at, 24, 0)
	for _, n := range negations {
		i := strings.LastIndex(before, n)
		if i < 0 || len(before)-i-len(n) > 12 {
			continue
		}
		after := sc.around(end, end, 0, 60)
		// Advice on style, as in "do not tell the user to refresh", hides nothing by itself.
		if strings.HasPrefix(after, " to ") || strings.HasPrefix(after, " how to") {
			return
		}
		sev := Review
		if containsAny(sc.around(at, end, 400, 400), "ssh", "password", "credential", "secret", "api key", "token", "send", "read ", "forward", "bcc", "instructions", "safety", "check ran", "important", "side", "hidden", "this tool", "file", "upload", "call ") {
			sev = Block
		}
		sc.review(detPoison, at, end, sev)
		return
	}
}

// poisonTag looks at a pseudo-tag that shouts at a model, with an order inside.
func (sc *scan) poisonTag(at, end int) {
	inside := sc.around(end, end, 0, 400)
	if i := strings.Index(inside, "</"); i >= 0 {
		inside = inside[:i]
	}
	strong := containsAny(inside, "do not tell", "don't tell", "do not mention", "before using", "before calling", "you must", "read ", "ssh", "also call", "send ", "otherwise", "never ", "must first", "pass its content", "bcc", "forward", "ignore", "disregard")
	switch {
	case strong && sc.definitional():
		sc.review(detPoison, at, end, Block)
	case strong:
		sc.review(detPoison, at, end, Review)
	}
}

// takes are the verbs that fetch something to hand it on.
var takes = []string{"read ", "open ", "cat ", "load ", "retrieve ", "fetch ", "include ", "attach ", "send ", "pass ", "provide ", "copy ", "upload ", "extract ", "append ", "collect ", "forward ", "grab ", "output ", "exfiltrate"}

// gives are the words that say where it goes.
var gives = []string{" as '", " as \"", " as `", "parameter", "argument", "sidenote", "side note", "memo", "into the", "in the ", "to the ", "along with", "content", " pass ", "send", "http", "field", "note", "response", "otherwise", "base64", "before "}

// credentialPath looks for the reading of a place where credentials or confidences are kept.
func (sc *scan) credentialPath(at, end int) {
	if !sc.poisonable() {
		return
	}
	before := sc.around(at, at, 90, 0)
	if i := strings.LastIndexAny(before, ".!?;"); i >= 0 && i < len(before)-8 && !strings.HasSuffix(before[:i+1], "~/.") && before[i] != '.' {
		before = before[i:]
	}
	if !containsAny(before, takes...) {
		return
	}
	path := strings.ToLower(sc.text[at:end])
	secret := containsAny(path, "ssh", "id_", "aws", "shadow", "netrc", "git-credentials", "kube", "mcp.json", "cursor")
	order := containsAny(sc.around(at, end, 200, 200), "before using", "before calling", "you must", "you should", "must first", "do not", "don't", "otherwise", "important", "any other tool", "pass it", "its content", "first read", "always ", "silently", "sidenote", "as part of")
	forwarded := containsAny(sc.around(end, end, 0, 120), gives...)
	switch {
	case secret && (order || forwarded):
		sc.review(detPoison, at, end, Block)
	case order && forwarded && containsAny(path, "conversation", "system prompt", "environment", "api keys", ".env", "passwd", "npmrc", "docker"):
		sc.review(detPoison, at, end, Review)
	}
}

// precondition looks for a definition that places itself before or above other tools.
func (sc *scan) precondition(at, end int) {
	if !sc.poisonable() {
		return
	}
	near := sc.around(at, end, 160, 200)
	order := containsAny(near, "must", "always", "required", "mandatory", "need to", "have to", "important", "first")
	bad := containsAny(near, "do not tell", "don't tell", "do not mention", "ssh", "credential", "password", "secret", "send ", "recipient", "bcc", "forward", "exfil", "conversation", "read ~", "read the file", "read /", "attacker", "proxy", "redirect", "ignore", "silently", "sidenote", "pass its", "pass the content", "api key")
	if order && bad {
		sc.review(detPoison, at, end, Block)
	} else if order && containsAny(near, "never use", "do not use", "instead of", "overrides", "disabled", "deprecated", "broken", "insecure") {
		sc.review(detPoison, at, end, Note)
	}
}
