package content

import "strings"

// Listings of names and values in two columns, as vaults, shells and clients print them, and the arguments of programs as lists of
// literals.

// listedValue looks at the value in the second of two columns whose first, a line's only word before it, is the name of a credential
// that ends at byte end. It reports whether one is there.
func (sc *scan) listedValue(at, end int, kind credential) bool {
	text := sc.text
	start := extent(text, end, maxAligned, skipBlank)
	if start < end+2 && text[end] != '\t' || start == len(text) {
		return false
	}
	stop := start
	for stop < len(text) && stop-start <= maxCredential && text[stop] > ' ' {
		stop++
	}
	if rest := extent(text, stop, maxAligned, skipBlank); rest < len(text) && text[rest] != '\n' && text[rest] != '\r' {
		return false
	}
	v := text[start:stop]
	if len(v) < minBare || !kind.accepts(v, false) || kind == credentialPassword && !strongPassword(v) || kind != credentialPassword && entropy(v) < 3 || namedValue(v) {
		return false
	}
	if _, lead := sc.lines.begin(text, at); lead > at || at-lead > maxVariable || !of(text, lead, at, setDotted) || text[lead] == '-' {
		return false
	}
	sc.add(detCredential, start, stop)
	return true
}

// argument looks at the literal behind an option that is a literal itself, as in "--password", "x", behind the name in a call that
// looks it up, or in one that sets it: set("password", "x"). It reports whether one is there.
func (sc *scan) argument(at, end int, kind credential) bool {
	text := sc.text
	mark := text[end]
	if mark != '"' && mark != '\'' || end+1 == len(text) || text[end+1] != ',' {
		return false
	}
	is := literalSecret
	if !optionName(text, at) && !lookedUp(text, at, mark) {
		if !firstOfCall(text, at, mark) {
			return false
		}
		is = bareSecret
	}
	open := extent(text, end+2, maxAligned, skipSpace)
	if open == len(text) || text[open] != mark {
		return false
	}
	n := literalLen(text[open+1:min(len(text), open+2+maxCredential)], mark)
	if n <= 0 || !is(text[open+1:open+1+n], kind) {
		return false
	}
	sc.add(detCredential, open+1, open+1+n)
	return true
}

// firstOfCall reports whether the literal that ends with the name at byte at is the first of a call.
func firstOfCall(text string, at int, mark byte) bool {
	open := at
	for open > 0 && at-open < maxVariable && setDotted[text[open-1]] {
		open--
	}
	return open > 2 && text[open-1] == mark && text[open-2] == '(' && isAlnum(text[open-3])
}

// argumentElement notes that the current string, an element of a list, is an option that takes a credential.
func (sc *scan) argumentElement(at int, kind credential) {
	if s := &sc.d.strings[sc.str]; !s.Key && s.name < 0 && s.container >= 0 && sc.text[0] == '-' && optionName(sc.text, at) {
		sc.taking, sc.takenBy = kind, sc.str+1
	}
}

// taken looks at the element behind such an option.
func (sc *scan) taken(s *String, raw *view) {
	before := &sc.d.strings[sc.str-1]
	if s.Key || s.name >= 0 || s.container != before.container || s.Host != before.Host || strings.HasPrefix(s.Text, "-") || s.Role == RoleSchema || s.Role == RoleDescription || !sc.taking.accepts(s.Text, true) {
		return
	}
	sc.v, sc.text = raw, raw.text
	sc.hits = append(sc.hits[:0], hit{det: detCredential, start: 0, end: len(s.Text)})
	sc.flush()
}

// netUse looks for the password among the words of a command that connects a drive: behind the user, or before it.
func (sc *scan) netUse(at int) {
	text := sc.text
	user := false
	for range maxNetWords {
		at = skip(text, at, skipBlank)
		end := wordEnd(text, at)
		switch v := text[at:end]; {
		case end == at:
			return
		case hasFoldPrefix(v, "/user:"):
			user = true
		case user && v[0] != '/':
			sc.commandWord(at, end)
			return
		case !user && v[0] != '\\' && v[0] != '/' && v[len(v)-1] != ':' && strongPassword(v):
			sc.commandWord(at, end)
			return
		}
		at = end
	}
}

// maxNetWords is how many words of such a command are looked at.
const maxNetWords = 6

// passTold looks at what stands behind "pw" in a sentence: what has letters and digits in turn.
func (sc *scan) passTold(at, end int) {
	text := sc.text
	if at > 0 && setToken[text[at-1]] {
		return
	}
	stop := end
	for stop < len(text) && stop-end <= maxBare && !bareEnds[text[stop]] {
		stop++
	}
	for stop > end && strings.IndexByte(".!?:)*", text[stop-1]) >= 0 {
		stop--
	}
	if v := text[end:stop]; oneTurning(v) || plainlyPassword(v) {
		sc.add(detCredential, end, stop)
	}
}

// oneTurning reports whether v is no word or name, but changes between letters of both cases and digits as drawn passwords do.
func oneTurning(v string) bool {
	return len(v) >= minBare && strongPassword(v) && turnsOf(v) > minTurns && unsteady(v) && of(v, 0, len(v), setAlnum) && credentialPassword.accepts(v, false)
}
