package content

import "strings"

// People set a value apart from its name with more than a colon: password – x, password → x, password | x, or the value in the next line.
// All of these mean much else, so that only what is plainly a credential is one.

// looseMarks are such marks; a break of the line may have the separator before it.
var looseMarks = [...]string{"→", "–", "—", "~", "|", "- ", "=\n", ":\n", "=\r\n", ":\r\n", "\n", "\r\n"}

// looselyMarked are the characters that they begin with.
var looselyMarked = firstOf(looseMarks[:])

// looseValue looks at what stands behind a loose mark after a name that ends at byte end. It reports whether a credential does.
func (sc *scan) looseValue(end int, kind credential) bool {
	text := sc.text
	i := extent(text, end, maxAligned, skipBlank)
	if i == len(text) || !looselyMarked[text[i]] {
		return false
	}
	n := oneOf(text[i:], looseMarks[:])
	if n == 0 || text[i] == '-' && i == end {
		return false
	}
	below := text[i+n-1] == '\n'
	start := extent(text, i+n, maxAligned, skipBlank)
	stop := start
	for stop < len(text) && stop-start <= maxBare && !bareEnds[text[stop]] {
		stop++
	}
	if below && stop < len(text) && text[stop] != '\n' && text[stop] != '\r' {
		return false
	}
	for stop > start && strings.IndexByte(".!?:)*", text[stop-1]) >= 0 {
		stop--
	}
	if v := text[start:stop]; !bareSecret(v, kind) || below && assigns(v) {
		return false
	}
	sc.value = max(sc.value, stop)
	sc.add(detCredential, start, stop)
	return true
}

// bareSecret reports whether v is plainly a password, a key or a token, and neither a word nor a name nor a path.
func bareSecret(v string, kind credential) bool {
	if kind == credentialPassword {
		return strongPassword(v) && strings.IndexByte(v, ' ') < 0 && (barePassword(v) || len(v) >= minDrawn && unsteady(v) && of(v, 0, len(v), setAlnum))
	}
	return len(v) >= minBareKey && literalSecret(v, kind) && of(v, 0, len(v), setToken)
}

// The lengths of the shortest key, and of the shortest password with one digit, that little but their looks tells, in bytes.
const (
	minBareKey = 20
	minDrawn   = 12
)

// assigns reports whether v is a setting of its own: DB_HOST=db1.
func assigns(v string) bool {
	name := extent(v, 0, len(v), setToken)
	return name > 0 && name < len(v) && (v[name] == '=' || v[name] == ':')
}
