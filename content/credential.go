package content

import (
	"strings"
	"unicode/utf8"
)

// credential is how much a name tells about the value after it.
type credential uint8

const (
	credentialNone credential = iota
	// credentialPassword: people choose it, so it may be short and must only not be a word or a placeholder.
	credentialPassword
	// credentialKey: machines make it; digests are accepted as values because many issuers' keys look so.
	credentialKey
	// credentialToken: the word has many meanings, so the value must look random and not be a digest.
	credentialToken
)

func credentialSuffix(s string) bool {
	for _, known := range credentialSuffixes {
		if len(s) == len(known) && hasFoldPrefix(s, known) {
			return true
		}
	}
	return numberedSuffix(s)
}

// credentialAt looks at a credential's name at byte at: as a member name, whose value follows as a string of
// its own, or in text, with a separator and the value behind it.
func (sc *scan) credentialAt(at, n int, kind credential) {
	text := sc.text
	end := at + n
	if inMask(text, at) || kind != credentialPassword && hashedBefore(text, at) || n == len("psk") && text[at]|0x20 == 'p' && text[at+1]|0x20 == 's' && at > 0 && setToken[text[at-1]] && text[at-1] != '_' {
		return
	}
	if kind == credentialToken && oneOfBefore(text, at, accessWords[:]) {
		kind = credentialKey
	}
	suffix := extent(text, end, 16, setToken)
	if kind == credentialPassword && suffix == len(text) && (suffix == end || text[end:] == "s") && sc.v.up == nil && sc.d.strings[sc.str].Key {
		sc.passwords = sc.str + 1
	}
	if suffix != end {
		if !credentialSuffix(text[end:suffix]) {
			return
		}
		if kind == credentialToken {
			kind = credentialKey
		}
		end = suffix
	}
	if end == len(text) {
		if kind == credentialToken && pageBefore(text, at) {
			return
		}
		if sc.d.strings[sc.str].Key && sc.v.up == nil && len(text) <= 64 {
			sc.credential, sc.credentialKey = kind, sc.str
		} else if sc.v.up == nil && len(text) <= 64 && pairNames[sc.memberName()] {
			sc.pair, sc.pairIn = kind, sc.d.strings[sc.str].container
			sc.pairBefore(kind)
		} else if sc.v.up == nil && len(text) <= 64 {
			sc.argumentElement(at, kind)
		}
		return
	}
	if sc.fallback(at, end, kind) || at < sc.value {
		// The rest is inside the value of another name.
		return
	}
	if (text[end] == ' ' || text[end] == '\t') && sc.listedValue(at, end, kind) || text[end] == ' ' && sc.bareValue(at, end, kind) || sc.looseValue(end, kind) || sc.argument(at, end, kind) {
		return
	}
	if kind == credentialPassword {
		if n, plain := toldAt(text[end:]); n > 0 {
			if text[end+n-1] < utf8.RuneSelf {
				n--
			}
			sc.toldPassword(end+n, plain)
			return
		}
	}
	if kind == credentialKey {
		if n, plain := toldAt(text[end:]); plain {
			sc.toldKey(end + n)
			return
		}
	}
	start, stop, quoted := credentialValue(text, end)
	if start >= 0 && (!quoted || text[end] == '>') {
		sc.value = stop
	}
	if start < 0 || !kind.accepts(text[start:stop], quoted) && !assigned(text, at, end, text[start:stop]) && !(quoted && definedKey(text, end, text[start:stop])) &&
		!(kind == credentialPassword && encodedPassword(text[start:stop])) || kind == credentialToken && pageBefore(text, at) {
		return
	}
	sc.add(detCredential, start, stop)
}

// accessWords make of a token one that gives access, of any form.
var accessWords = [...]string{"access_", "private_", "personal_access_", "api_", "bot_", "auth_", "server_", "access-", "private-", "api-", "auth-", "server-", "auth"}

// oneOfBefore reports whether one of the words stands right before byte at, and begins there.
func oneOfBefore(text string, at int, words []string) bool {
	for _, w := range words {
		if i := at - len(w); i >= 0 && hasFoldPrefix(text[i:], w) && (i == 0 || !isAlnum(text[i-1])) {
			return true
		}
	}
	return false
}

// inMask reports whether byte at is in the name that redaction wrote for what it masked: nothing there announces what
// follows, so that masked text has nothing new in it.
func inMask(text string, at int) bool {
	i := at
	for i > 0 && at-i < maxMaskName && (text[i-1] == '_' || text[i-1] >= 'A' && text[i-1] <= 'Z') {
		i--
	}
	return i > 0 && text[i-1] == ':' && strings.HasSuffix(text[:i], "[REDACTED:")
}

// maxMaskName is the longest beginning of a mask's name before a word that announces a credential, in bytes.
const maxMaskName = 24

// hashedBefore reports whether the name that goes on at byte at says that it is of a digest.
func hashedBefore(text string, at int) bool {
	before := text[max(0, at-len("hashed_")):at]
	return strings.HasSuffix(before, "hashed_") || strings.HasSuffix(before, "hash_")
}

// assigned reports whether a name in capitals, of more than the one word, is given a digest or an identifier in the
// environment, as in SNYK_TOKEN=…: many services' keys look so.
func assigned(text string, at, end int, v string) bool {
	if at < 3 || text[at-1] != '_' && text[at] != '_' || end >= len(text) || text[end] != '=' || !isUUID(v) && !isDigest(v) || !mixed(v) {
		return false
	}
	for i := at - 3; i < end; i++ {
		if c := text[i]; c != '_' && (c < 'A' || c > 'Z') && !isDigit(c) {
			return false
		}
	}
	return true
}

// toldKey looks at what a sentence says a key is.
func (sc *scan) toldKey(at int) {
	start := skip(sc.text, at, skipTold)
	end := extent(sc.text, start, maxCredential, setBearer)
	for end > start && strings.IndexByte(".-", sc.text[end-1]) >= 0 {
		end--
	}
	if v := sc.text[start:end]; len(v) >= 16 && credentialKey.accepts(v, false) && entropy(v) >= 3 {
		sc.add(detCredential, start, end)
	}
}

// pairNames and pairValues are the member names of a list of names and values, as of environment variables.
var (
	pairNames  = map[string]bool{"name": true, "key": true, "variable": true, "field": true, "header": true, "Name": true, "Key": true, "ParameterKey": true}
	pairValues = map[string]bool{"value": true, "val": true, "Value": true, "ParameterValue": true}
)

// toldWords lead from the word for a password to the password in a sentence: those up to plainTold at once, the
// others over whom or what it is for, and a colon.
var toldWords = [...]string{" is now ", " is ", " is:", " lautet ", " lautet:", " ist ", " ist:", " es ", " es:", " est ", " est:", " é ", " è ", " set to ", " changed to ", " reset to ", " been set to ", " been changed to ", " been reset to ", " has been set to ", " has been changed to ", " has been reset to ", " was set to ", " was changed to ", " was reset to ", "是", "は", "为", "為", "는 ", "은 ", " for ", " of ", " für ", " para ", " pour "}

// plainTold is how many of toldWords need no colon, toldToColon how far it is looked for, in bytes.
const (
	plainTold   = 31
	toldToColon = 48
)

// toldBy lists the words by their second byte, which the most begin with after a space: their places in toldWords.
var toldBy = func() (t [256][]uint8) {
	for i, w := range toldWords {
		t[w[1]] = append(t[w[1]], uint8(i))
	}
	return t
}()

// toldAt returns the length of the first of the words that s begins with, 0 for none, and whether it needs no colon.
func toldAt(s string) (n int, plain bool) {
	if len(s) < 2 {
		return 0, false
	}
	for _, i := range toldBy[foldTable[s[1]]] {
		if w := toldWords[i]; hasFoldPrefix(s, w) {
			return len(w), int(i) < plainTold
		}
	}
	return 0, false
}

// toldPassword looks at what a sentence says a password is: only what is no word at all.
func (sc *scan) toldPassword(at int, plain bool) {
	if !plain {
		line := sc.text[at:min(len(sc.text), at+toldToColon)]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		colon, is := strings.IndexByte(line, ':'), strings.Index(line, " is ")
		switch {
		case is >= 0 && (colon < 0 || is < colon):
			at += is + len(" is")
		case colon >= 0:
			at += colon
		default:
			return
		}
	}
	start := skip(sc.text, at, skipTold)
	end := start
	unspaced := at > 0 && sc.text[at-1] >= utf8.RuneSelf // in a language that sets no spaces
	for end < len(sc.text) && end-start <= maxCredential && !bareEnds[sc.text[end]] && (!unspaced || sc.text[end] < utf8.RuneSelf) {
		end++
	}
	for end > start && strings.IndexByte(".!?:)*", sc.text[end-1]) >= 0 {
		end--
	}
	v := sc.text[start:end]
	if len(v) >= 8 && mixed(v) && strings.IndexByte(v, '-') < 0 && strings.IndexByte(v, '/') < 0 && credentialPassword.accepts(v, false) {
		sc.add(detCredential, start, end)
	}
}

// maxCredential bounds a credential's value, in bytes; maxLongCredential those that machines make.
const (
	maxCredential     = 256
	maxLongCredential = 2048
)

// credentialValue finds the value that follows a name at byte at: name = value, "name": "value", name=value&.
func credentialValue(text string, at int) (start, stop int, quoted bool) {
	if text[at] == '>' {
		// The content of an XML element, or of one in it.
		if inner := extent(text, at+1, maxAligned, skipSpace); hasFoldPrefix(text[inner:], "<value>") {
			at = inner + len("<value>") - 1
		}
		if n := strings.IndexByte(text[at:min(len(text), at+maxCredential)], '<'); n > 1 && strings.HasPrefix(text[at+n:], "</") {
			return at + 1, at + n, true
		}
		return -1, -1, false
	}
	if start, stop = elementValue(text, at); start >= 0 {
		return start, stop, true
	}
	i := skip(text, at, skipQuote)
	i = extent(text, i, maxAligned, skipBlank)
	if i >= len(text) {
		return -1, -1, false
	}
	if i = pairValue(text, i); i >= len(text) {
		return -1, -1, false
	}
	switch {
	case strings.HasPrefix(text[i:], ":="), strings.HasPrefix(text[i:], "=>"), strings.HasPrefix(text[i:], "->"), strings.HasPrefix(text[i:], "| "):
		i += 2
	case strings.HasPrefix(text[i:], "=="):
		return -1, -1, false
	case text[i] == '=' || text[i] == ':':
		i = blockScalar(text, i+1)
	case text[i] == ',' && defines.any(text[max(0, at-maxDefined):at]):
		i++
	default:
		return -1, -1, false
	}
	i = skip(text, extent(text, dumped(text, i), maxAligned, skipBlank), skipStars)
	if i >= len(text) {
		return -1, -1, false
	}
	if text[i] == '\\' && i+1 < len(text) {
		i++
	}
	open, ends := byte(0), valueEnds
	if c := text[i]; int(c) < len(quotedEnds) && quotedEnds[c] != nil {
		open, ends = c, quotedEnds[c]
		i++
	}
	limit := min(len(text), i+maxLongCredential+1)
	stop = until(text[:limit], i, ends)
	if stop == limit && limit < len(text) && open != 0 {
		return -1, -1, false
	}
	if open != 0 && (stop >= len(text) || text[stop] != open && text[stop] != '\\') {
		return -1, -1, false
	}
	for open == 0 && stop > i && strings.IndexByte(".!?:", text[stop-1]) >= 0 {
		stop--
	}
	return i, stop, open != 0
}

// maxAligned is how many blanks stand before a separator or a value that is aligned with others, at most.
const maxAligned = 40

// defines begins a constant of PHP: define('DB_PASSWORD', 'x').
var defines = mustIndex("define(")

// maxDefined is how far before the end of its name a constant is defined, in bytes.
const maxDefined = 48

// blockScalar returns where the value begins when a YAML indicator puts it on the next line; else i.
func blockScalar(text string, i int) int {
	j := skip(text, i, skipBlank)
	if j == len(text) || j == i || text[j] != '>' && text[j] != '|' {
		return i
	}
	if j++; j < len(text) && (text[j] == '-' || text[j] == '+') {
		j++
	}
	if j == len(text) || text[j] != '\n' {
		return i
	}
	return j + 1
}

// dumped returns where the value begins behind an arrow that ends at byte i, when PHP's var_dump puts it on the next line behind its
// type and length: =>\n  string(8) "x"; else i.
func dumped(text string, i int) int {
	if !strings.HasPrefix(text[i:], "\n") || text[i-1] != '>' {
		return i
	}
	j := extent(text, i, maxAligned, skipSpace)
	if !strings.HasPrefix(text[j:], "string(") {
		return i
	}
	j = extent(text, j+len("string("), 5, setDigits)
	if !strings.HasPrefix(text[j:], ") ") {
		return i
	}
	return j + len(") ")
}

// pairValue returns where the separator stands after a name that is itself a value, as in a list of names and
// values that is part of a longer text: name: PASSWORD, value: x. Any other name's separator is at i already.
func pairValue(text string, i int) int {
	if text[i] == 'v' && strings.HasPrefix(text[i:], "value=") {
		// The attributes of an XML element: key="Password" value="x".
		return i + len("value")
	}
	if text[i] != ',' && text[i] != '\n' && text[i] != '\r' {
		return i
	}
	j := skip(text, skip(text, i, skipComma), skipSpace)
	j = skip(text, j, skipMarks)
	if !hasFoldPrefix(text[j:], "value") {
		return i
	}
	j = skip(text, j+len("value"), skipMarks)
	return skip(text, j, skipBlank)
}

// valueEnds are what ends a value that is not quoted.
var valueEnds = newCharset(" \t\r\n\"'`,;&<>|)}]")

// quotedEnds are what ends one that is, by the mark that opens it.
var quotedEnds = [...]*charset{'"': newCharset("\"\n\\"), '\'': newCharset("'\n\\"), '`': newCharset("`\n\\")}

// What is skipped between a name and its value.
var (
	skipTold  = newCharset(" \"'`:*")
	skipQuote = newCharset("\"'`\\*]")
	skipBlank = newCharset(" \t")
	skipStars = newCharset(" \t*")
	skipSpace = newCharset(" \t\n")
	skipMarks = newCharset("\"'`\\")
	skipComma = newCharset(",\r\n")
)

// skip returns the first position from i whose byte is not in set, looking at no more than eight.
func skip(text string, i int, set *charset) int {
	for n := 0; i < len(text) && n < 8 && set[text[i]]; n++ {
		i++
	}
	return i
}

// accepts reports whether v is plausible as the value of a name of this kind.
func (k credential) accepts(v string, quoted bool) bool {
	if len(v) < 6 || len(v) > maxLongCredential || len(v) > maxCredential && k == credentialPassword || k == credentialToken && len(v) < 16 || k == credentialKey && len(v) < 12 ||
		!quoted && strings.IndexByte(v, '[') >= 0 || notLiteral(v) || placeholder(v) {
		return false
	}
	switch k {
	case credentialPassword:
		return passwordLike(v, quoted)
	case credentialKey:
		return mixed(v) && !wordsOrPath(v)
	case credentialToken:
		return mixed(v) && !isUUID(v) && !isDigest(v) && !wordsOrPath(v)
	}
	return false
}

// passwordLike reports whether v is more than a word: the manual's "password: required" is no password.
func passwordLike(v string, quoted bool) bool {
	letter, digit, symbol, upper, lower, space := false, false, false, false, false, false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case isDigit(c):
			digit = true
		case isLetter(c):
			letter = true
			upper, lower = upper || c < 'a', lower || c >= 'a'
		case c == ' ':
			space = true
		case c == '_' || c == '-' || c == '.' || c == '/':
			// Names and paths have these.
		default:
			symbol = true
		}
	}
	if space {
		return quoted && digit && symbol
	}
	if isDigest(v) && len(v) >= 40 {
		return false
	}
	return letter && (digit || symbol) || digit && symbol || quoted && letter && upper && lower && len(v) >= 12 && entropy(v) > 3.4
}

// notLiteral reports whether v refers to a value instead of being one: a variable, a call, a template, a type.
func notLiteral(v string) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '$', '<', '{', '%', '(', '[', '&', '#':
		return true
	}
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '(', '{':
			return true
		case ':':
			if strings.HasPrefix(v[i:], "://") {
				return true
			}
		}
	}
	return referenceFirst[v[0]] && oneOf(v, references[:]) > 0
}

// references begin what refers to a value.
var references = [...]string{"process.env", "os.environ", "os.getenv", "env.", "self.", "this.", "config.", "settings.", "secrets.", "vars.", "params.", "args.",
	"request.", "req.", "null", "none", "undefined", "string", "env:", "vault:", "sha256:", "sha512-", "sha256-", "arn:", "!vault", "!reference", "!ref ", "!sub ", "!getatt", "!importvalue", "!env"}

// referenceFirst are the characters that they begin with.
var referenceFirst = firstOf(references[:])

// firstOf returns the characters that lower-case words begin with, in either case.
func firstOf(words []string) *charset {
	var c charset
	for _, w := range words {
		c[w[0]] = true
		c[strings.ToUpper(w[:1])[0]] = true
	}
	return &c
}

// wordsOrPath reports whether v reads as names joined by separators: an identifier, a path, a property chain.
// Random text has a part that mixes digits and letters in both directions.
func wordsOrPath(v string) bool {
	if strings.ContainsAny(v, " \t") {
		return true
	}
	changes, run := 0, 0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		if isDigit(a) && isLetter(b) || isLetter(a) && isDigit(b) {
			changes++
		}
		if isAlnum(b) {
			run++
		}
	}
	return changes < 2 || run < 8
}

// isUUID reports whether v is 8-4-4-4-12 hexadecimal digits.
func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := 0; i < len(v); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if v[i] != '-' {
				return false
			}
		} else if !isHex(v[i]) {
			return false
		}
	}
	return true
}

// isDigest reports whether v is hexadecimal of the length of a common digest.
func isDigest(v string) bool {
	switch len(v) {
	case 32, 40, 56, 64, 96, 128:
	default:
		return false
	}
	for i := 0; i < len(v); i++ {
		if !isHex(v[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return setAnyHex[c] }
