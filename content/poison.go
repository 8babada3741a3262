package content

import "strings"

// poisonKeywords opens the wording of poisoned tool definitions.
func poisonKeywords() []keyword {
	var k []keyword
	for _, w := range [...]string{"<important>", "<secret>", "<hidden>", "<instructions>", "<instruction>", "<critical>", "<private>"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.poisonTag(at, at+len(w)) }})
	}
	for _, w := range [...]string{"tell the user", "mention to the user", "inform the user", "notify the user", "mention this", "tell anyone", "reveal this", "show the user", "let the user know", "alert the user", "disclose this", "show this to the user", "show it to the user", "show this step", "explain this to the user"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.secrecy(at, at+len(w)) }})
	}
	for _, w := range [...]string{".ssh/", "id_rsa", "id_ed25519", ".aws/credentials", ".env", "/etc/passwd", "/etc/shadow", "mcp.json", ".cursor/", ".kube/config", ".netrc", ".npmrc", ".git-credentials", ".docker/config", "api keys", "environment variables", "conversation history", "system prompt"} {
		secret := containsAny(w, "ssh", "id_", "aws", "shadow", "netrc", "git-credentials", "kube", "mcp.json", "cursor")
		confided := containsAny(w, "conversation", "system prompt", "environment", "api keys", ".env", "passwd", "npmrc", "docker")
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.credentialPath(at, at+len(w), secret, confided) }})
	}
	for _, w := range [...]string{"before using any", "before calling any", "before using this tool", "before calling this tool", "before any other tool", "before using other", "instead of using the", "instead of the", "when any other tool", "whenever any tool", "all other tools", "any other tool", "other tools are", "overrides the", "must always be called", "must be called first", "must be called before", "must call this"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.precondition(at, at+len(w)) }})
	}
	for _, w := range [...]string{"secretly", "silently", "covertly", "without telling", "without informing", "without notifying", "without asking", "without mentioning", "without the user", "hide this from", "hide it from", "keep this hidden", "keep this secret", "keep it secret", "unknown to the user", "remain hidden from", "stay hidden from", "kept hidden from"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.covert(at, at+len(w), w) }})
	}
	for _, w := range [...]string{"bcc", "recipient to", "must be sent to", "should be sent to", "always send to", "also send", "forward a copy", "send a copy", "forward it to", "post it to", "upload it to"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.divert(at, at+len(w)) }})
	}
	for _, w := range [...]string{"other servers", "other mcp servers"} {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.rival(at, at+len(w)) }})
	}
	for _, w := range forgedConsent {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) {
			if sc.poisonable() {
				sc.review(detPoison, at, at+len(w), Review)
			}
		}})
	}
	for _, w := range coaxings {
		k = append(k, keyword{text: w, look: func(sc *scan, at int) { sc.coaxing(at, at+len(w)) }})
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

// poisonNear reports whether a word of a set stands in the current text between two bytes.
func (sc *scan) poisonNear(set, lo, hi int) bool {
	return sc.poison.within(poisonWords, set, sc.text, lo, hi)
}

// covert looks for a definition that orders something to be done behind the user's back.
func (sc *scan) covert(at, end int, word string) {
	if !sc.poisonable() {
		return
	}
	lo, hi := at-100, end+100
	if !sc.poisonNear(covertMoves, lo, hi) || word == "silently" && !sc.poisonNear(silentMoves, end, end+12) {
		// Programs fail silently, overwrite silently, and send nothing anywhere.
		return
	}
	sev := Review
	if !strings.HasSuffix(word, "hidden from") && sc.poisonNear(covertStakes, lo, hi) &&
		(word != "without asking" || sc.poisonNear(unaskedStakes, lo, hi) || sc.ats.within(findAt, sc.text, max(0, lo), hi)) {
		sev = Block
	}
	sc.review(detPoison, at, end, sev)
}

var findAt, findPlusOne, findClosingTag = finding("@"), finding("+1"), finding("</")

// divert looks for a definition that sends what another tool handles to an address that it names itself.
func (sc *scan) divert(at, end int) {
	lo, hi := at-160, end+160
	if !sc.poisonable() || !sc.poisonNear(divertAlways, lo, hi) || sc.poisonNear(divertExample, lo, hi) {
		return
	}
	text, from := sc.text, max(0, lo)
	if sc.poisonNear(divertAddress, lo, hi) || sc.plusOnes.within(findPlusOne, text, from, hi-1) ||
		sc.ats.within(findAt, text, from, hi) && strings.IndexByte(text[from:min(len(text), hi)], '.') >= 0 {
		sc.review(detPoison, at, end, Block)
	}
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// secrecy looks for orders to keep something from the user.
func (sc *scan) secrecy(at, end int) {
	// A word or two may stand between the negation and the verb.
	if !sc.poisonable() || !sc.poison.ending(poisonWords, secrecyNegations, sc.text, at-24, at, at-12) {
		return
	}
	// Advice on style, as in "do not tell the user to refresh", hides nothing by itself.
	if after := sc.text[end:]; hasFoldPrefix(after, " to ") && !hasFoldPrefix(after, " to anyone") && !hasFoldPrefix(after, " to the user") || hasFoldPrefix(after, " how to") {
		return
	}
	sev := Review
	if sc.poisonNear(secrecyStakes, at-400, end+400) {
		sev = Block
	}
	sc.review(detPoison, at, end, sev)
}

// poisonTag looks at a pseudo-tag that shouts at a model, with an order inside.
func (sc *scan) poisonTag(at, end int) {
	sev := Review
	if sc.definitional() {
		sev = Block
	}
	if sc.enough(detPoison, sev) {
		return
	}
	// Outside of definitions nothing else asks for the words of poisoned ones, so these few are looked for by themselves.
	first := sc.tagOrders.next(tagOrders.first, sc.text, end)
	if closing := min(len(sc.text), end+tagReach, sc.closings.next(findClosingTag, sc.text, end)); first < closing && tagOrders.any(sc.text[first:closing]) {
		sc.review(detPoison, at, end, sev)
	}
}

// tagReach is how far behind such a tag its order is looked for, in bytes.
const tagReach = 400

// tagOrders are what a pseudo-tag must hold. None of them lies within another.
var tagOrders = mustIndex("do not tell", "don't tell", "do not mention", "before using", "before calling", "you must", "read ", "ssh", "also call", "send ", "otherwise", "never ", "must first", "pass its content", "bcc", "forward", "ignore", "disregard")

// sentenceEnds are the marks that may end a sentence.
var sentenceEnds = newCharset(".!?;")

// credentialPath looks for the reading of a place where credentials or confidences are kept.
func (sc *scan) credentialPath(at, end int, secret, confided bool) {
	if !sc.poisonable() {
		return
	}
	from := max(0, at-90)
	if i := sc.stops.before(sentenceEnds, sc.text, at); i >= from && i < at-8 && sc.text[i] != '.' {
		from = i
	}
	if !sc.poisonNear(credentialTakes, from, at) {
		return
	}
	order := sc.poisonNear(credentialOrders, at-200, end+200)
	forwarded := sc.poisonNear(credentialGives, end, end+120)
	switch {
	case secret && (order || forwarded):
		sc.review(detPoison, at, end, Block)
	case order && forwarded && confided:
		sc.review(detPoison, at, end, Review)
	}
}

// forgedConsent are the orders to answer in the user's place.
var forgedConsent = [...]string{"answer yes on behalf", "confirm on behalf of the user", "approve on behalf of the user", "consent on behalf of the user", "skip any approval", "skip any confirmation", "skip all confirmations", "bypass the user's confirmation", "bypass the user's approval", "bypass user confirmation", "without waiting for the user's approval"}

// rival looks for a definition that keeps the reader from the tools of others.
func (sc *scan) rival(at, end int) {
	if sc.poisonable() && sc.poisonNear(rivalTools, at-60, end+20) && sc.poisonNear(rivalOrders, at-90, end+90) {
		sc.review(detPoison, at, end, Review)
	}
}

// precondition looks for a definition that places itself before or above other tools.
func (sc *scan) precondition(at, end int) {
	lo, hi := at-160, end+200
	switch {
	case !sc.poisonable() || !sc.poisonNear(preconditionOrders, lo, hi):
	case sc.poisonNear(preconditionStakes, lo, hi):
		sc.review(detPoison, at, end, Block)
	case sc.poisonNear(preconditionNotes, lo, hi):
		sc.review(detPoison, at, end, Note)
	}
}
