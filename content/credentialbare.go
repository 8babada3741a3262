package content

import "strings"

// Values that follow their name with nothing but a space between, and names that look like those of credentials and are none.

// bareValue looks at what stands a space behind the name of a credential: as an option of a command (--db-password x), in a
// statement of SQL (PASSWORD 'x'), or in a sentence (user kim and password Xy7!…).
func (sc *scan) bareValue(at, end int, kind credential) bool {
	text := sc.text
	if optionName(text, at) {
		start, stop := word(text, skip(text, end, skipBlank))
		if stop > start && text[start] != '-' && kind.accepts(text[start:stop], false) {
			sc.add(detCredential, start, quotedEnd(text, start, stop))
			return true
		}
		return false
	}
	if kind != credentialPassword || end+1 >= len(text) {
		return false
	}
	if i := end + 1; text[i] == '\'' || text[i] == '"' || (text[i] == '=' || text[i] == 'N') && sqlLiteral(text, i) > i {
		return sc.literal(max(i, sqlLiteral(text, i)))
	}
	start := end + 1
	if !isAlnum(text[start]) {
		return false
	}
	stop := start
	for stop < len(text) && stop-start <= maxBare && !bareEnds[text[stop]] {
		stop++
	}
	if stop-start < minBare {
		return false
	}
	for stop > start && strings.IndexByte(".!?:)*", text[stop-1]) >= 0 {
		stop--
	}
	if barePassword(text[start:stop]) {
		sc.add(detCredential, start, stop)
		return true
	}
	return false
}

// barePassword reports whether v is plainly a password, which no word, name or path is.
func barePassword(v string) bool {
	return len(v) >= minBare && (strongPassword(v) && strings.ContainsAny(v, keyboardMarks) && !namedValue(v) && !notLiteral(v) && !placeholder(v) || oneTurning(v))
}

// keyboardMarks are the marks that people put into passwords, and that no word, name or path has.
const keyboardMarks = "!#$%&*+=?@^~"

// Bounds of a password that is recognised by nothing but the word before it, in bytes.
const (
	minBare = 8
	maxBare = 64
)

var bareEnds = newCharset(" \t\r\n\"'`,;<|")

// optionName reports whether the name that goes on at byte at is an option of a command: -name, --long-name.
func optionName(text string, at int) bool {
	i := at
	for i > 0 && at-i < maxVariable && setToken[text[i-1]] {
		i--
	}
	return i < at && text[i] == '-' && (text[i+1] == '-' || i == 0 || strings.IndexByte(" \t\n\"'`", text[i-1]) >= 0)
}

// sqlLiteral returns where the literal begins behind what a statement puts between the word and it: = N'x', N'x'; 0 where none does.
func sqlLiteral(text string, i int) int {
	if text[i] == '=' {
		i = skip(text, i+1, skipBlank)
	}
	if i+1 < len(text) && text[i] == 'N' && text[i+1] == '\'' {
		return i + 1
	}
	return 0
}

// literal looks at a password between quotation marks, of which the first stands at byte at.
func (sc *scan) literal(at int) bool {
	text := sc.text
	body := text[at+1 : min(len(text), at+2+maxCredential)]
	n := literalLen(body, text[at])
	if n <= 0 || strings.IndexByte(body[:n], '\n') >= 0 {
		return false
	}
	if v := body[:n]; !credentialPassword.accepts(v, false) || strings.IndexByte(v, ' ') >= 0 || v[0] == ':' || v[0] == '?' || text[at] == '"' && !mixed(v) {
		return false
	}
	sc.add(detCredential, at+1, at+1+n)
	return true
}

// identified looks at the password that a statement of SQL gives a user: IDENTIFIED BY 'x'.
func (sc *scan) identified(at int) {
	at = skip(sc.text, at, skipBlank)
	if at < len(sc.text) && sc.text[at] == '\'' {
		sc.literal(at)
	}
}

// passGiven looks at the value of pass=, which is the name of a password where no word goes on before it.
func (sc *scan) passGiven(at int) {
	text := sc.text
	if at > 0 && (isAlnum(text[at-1]) || text[at-1] == '_' || text[at-1] == '-') || at < max(sc.value, sc.said) {
		return
	}
	start, end, _ := credentialValue(text, at+len("pass"))
	sc.said = max(sc.said, end)
	if start >= 0 && end-start <= maxCredential && strongPassword(text[start:end]) && credentialPassword.accepts(text[start:end], false) {
		sc.value = max(sc.value, end)
		sc.add(detCredential, start, end)
	}
}

// passSaid looks at what stands behind pass: and pw:, which say much else: only what is plainly a password, and no name of a test.
func (sc *scan) passSaid(at, end int) {
	text := sc.text
	if at > 0 && (isAlnum(text[at-1]) || text[at-1] == '_' || text[at-1] == '-' || text[at-1] == '/') || at < max(sc.value, sc.said) {
		return
	}
	start, stop, _ := credentialValue(text, end)
	sc.said = max(sc.said, stop)
	if start < 0 || stop-start > maxCredential {
		return
	}
	if plainlyPassword(text[start:stop]) {
		sc.value = max(sc.value, stop)
		sc.add(detCredential, start, stop)
	}
}

// plainlyPassword reports whether v is nothing but a password, and not the name of a test that the tools of Go numbered.
func plainlyPassword(v string) bool {
	return len(v) >= minBare && strongPassword(v) && strings.ContainsAny(v, keyboardMarks) && strings.IndexByte(v, '/') < 0 && credentialPassword.accepts(v, false) &&
		!hasFoldPrefix(v, "test") && !hasFoldPrefix(v, "example") && !namedValue(v)
}

// namedValue reports whether v is something else with its name before it, as in port=3306.
func namedValue(v string) bool {
	name := extent(v, 0, len(v), setLowerWord)
	return name > 0 && name < len(v)-1 && v[name] == '='
}

var setLowerWord = newCharset(lowerLetters + "_")

// strongPassword reports whether v mixes three of capitals, small letters, digits and marks that neither names nor
// paths have, digits or marks among them twice or more.
func strongPassword(v string) bool {
	upper, lower, digit, mark := 0, 0, 0, 0
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case isDigit(c):
			digit = 1
		case c >= 'A' && c <= 'Z':
			upper = 1
		case c >= 'a' && c <= 'z':
			lower = 1
		case strings.IndexByte("_-./:()", c) < 0 && c < 0x80:
			mark = 1
		}
	}
	return upper+lower > 0 && digit == 1 && upper+lower+digit+mark >= 3
}

// pageNames are the words before "token" that make it a place in a list, which the other side gets back unread.
var pageNames = [...]string{"page", "next", "sync", "continuation", "resume"}

func pageBefore(text string, at int) bool {
	if at > 0 && (text[at-1] == '_' || text[at-1] == '-') {
		at--
	}
	for _, w := range pageNames {
		if i := at - len(w); i >= 0 && hasFoldPrefix(text[i:at], w) && (i == 0 || !inWord(text[i-1], text[i])) {
			return true
		}
	}
	return false
}

// inWord reports whether b goes on with the word of letters that a belongs to, of which one begins where small letters
// end: "Page" in nextPageToken.
func inWord(a, b byte) bool {
	return 'a' <= a && a <= 'z' && 'a' <= b && b <= 'z' || 'A' <= a && a <= 'Z' && 'A' <= b && b <= 'Z'
}

// definedKey reports whether v is a key of WordPress, which its generator draws from all the marks of a keyboard.
func definedKey(text string, end int, v string) bool {
	i := skip(text, end, skipQuote)
	return i < len(text) && text[i] == ',' && len(v) >= minDefinedKey && mixed(v) && entropy(v) >= 4.5
}

// minDefinedKey is the shortest such key, in bytes: those that are generated have 64.
const minDefinedKey = 56

// elementNames and elementValues are the elements of a name and of the value behind it.
var (
	elementNames  = [...]string{"</key>", "</name>", "</param-name>", "</variable>"}
	elementValues = [...]string{"<string>", "<value>", "<param-value>", "<defaultvalue>"}
)

// elementValue finds the value in an element that an attribute or an element before it names: <entry key="db.password">x</entry>,
// <key>Password</key><string>x</string>. start is -1 where there is none.
func elementValue(text string, at int) (start, stop int) {
	i := at
	if strings.HasPrefix(text[i:], "\">") {
		i += len("\">")
	} else {
		n := 0
		if text[i] == '<' {
			n = oneOf(text[i:], elementNames[:])
		}
		if n == 0 {
			return -1, -1
		}
		i = extent(text, i+n, maxAligned, skipSpace)
		if n = oneOf(text[i:], elementValues[:]); n == 0 {
			return -1, -1
		}
		i += n
	}
	n := strings.IndexByte(text[i:min(len(text), i+maxCredential)], '<')
	if n < 1 || !strings.HasPrefix(text[i+n:], "</") {
		return -1, -1
	}
	return i, i + n
}
