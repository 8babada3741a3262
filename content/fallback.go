package content

import "strings"

// References to a secret may have it beside them, for where the reference leads nowhere: ${DB_PASSWORD:-x}, env('DB_PASSWORD', 'x'),
// process.env.DB_PASSWORD || 'x'.

// fallback looks for what stands in for the credential whose name text[at:end] ends a reference. It reports whether one is there.
func (sc *scan) fallback(at, end int, kind credential) bool {
	start, stop := expansionDefault(sc.text, at, end)
	if start < 0 {
		start, stop = otherwise(sc.text, end)
	}
	if start < 0 {
		return false
	}
	if !literalSecret(sc.text[start:stop], kind) {
		return false
	}
	sc.value = max(sc.value, stop)
	sc.add(detCredential, start, stop)
	return true
}

// literalSecret reports whether v is plausible as the secret that a literal of a program holds, and does not say what it is: those of
// tests do.
func literalSecret(v string, kind credential) bool {
	return len(v) >= minBare && kind.accepts(v, true) && (kind != credentialPassword || strongPassword(v)) && (kind == credentialPassword || entropy(v) >= 3) && !saysWhat.any(v)
}

var saysWhat = mustIndex("token", "secret", "password", "passwd", "api_key", "apikey")

// expansionDefault returns the default in the expansion of a variable whose name ends at byte end: ${NAME:-x}, ${NAME:x}. start is -1
// where there is none.
func expansionDefault(text string, at, end int) (start, stop int) {
	if text[end] != ':' && text[end] != '-' {
		return -1, -1
	}
	name := at
	for name > 0 && at-name < maxVariable && setDotted[text[name-1]] {
		name--
	}
	if name < 2 || text[name-1] != '{' || text[name-2] != '$' {
		return -1, -1
	}
	start = end + 1
	if text[end] == ':' && start < len(text) && (text[start] == '-' || text[start] == '=') {
		start++
	}
	n := strings.IndexByte(text[start:min(len(text), start+maxCredential)], '}')
	if n <= 0 || strings.IndexByte(text[start:start+n], '\n') >= 0 {
		return -1, -1
	}
	return start, start + n
}

// orElse are what stands between a reference and what is taken in its place.
var orElse = [...]string{"|| ", "?? ", "or "}

// otherwise returns the literal behind a reference that ends at byte end: NAME || 'x', getenv("NAME") or "x". start is -1 where there
// is none.
func otherwise(text string, end int) (start, stop int) {
	i := skip(text, skip(text, end, skipCalled), skipBlank)
	if i >= len(text) || i == end {
		return -1, -1
	}
	n := oneOf(text[i:], orElse[:])
	if n == 0 {
		return -1, -1
	}
	i = skip(text, i+n, skipBlank)
	if i >= len(text) || text[i] != '"' && text[i] != '\'' && text[i] != '`' {
		return -1, -1
	}
	n = literalLen(text[i+1:min(len(text), i+2+maxCredential)], text[i])
	if n <= 0 {
		return -1, -1
	}
	return i + 1, i + 1 + n
}

var skipCalled = newCharset("\"')]")

// lookedUp reports whether the literal that begins with the mark before the name at byte at is the first of a call that looks up what
// is configured: env('DB_PASSWORD'.
func lookedUp(text string, at int, mark byte) bool {
	open := at
	for open > 0 && at-open < maxVariable && setDotted[text[open-1]] {
		open--
	}
	if open < 2 || text[open-1] != mark || text[open-2] != '(' {
		return false
	}
	before := text[max(0, open-2-maxLookup) : open-2]
	return hasFoldSuffix(before, "env") || hasFoldSuffix(before, "environ.get") || hasFoldSuffix(before, "config") || hasFoldSuffix(before, "config.get") || hasFoldSuffix(before, "getproperty")
}

// maxLookup is the length of the longest name of such a call, in bytes.
const maxLookup = len("environ.get")
