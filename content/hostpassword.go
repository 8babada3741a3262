package content

import "strings"

// The address of a service without a scheme: user:password@host:port/name. Addresses of mail behind a colon, images with their
// digests, packages with their versions, times and places look much the same.

// Bounds of such an address, in bytes: what stands before its host, its user, and its password.
const (
	maxUserinfo     = 96
	maxHostUser     = 48
	minHostPassword = 6
)

var (
	userinfoEnds = newCharset(" \t\r\n\"'`<>,;|")
	setHostUser  = newCharset(lowerLetters + upperLetters + digitChars + "._-+\\")
)

// hostMarks are the marks of a password that no address of mail has, nor the version of a package.
const hostMarks = "!#$%^&*=?~"

// hostPassword looks for a password before the host at the @ at byte at, and reports whether it found one.
func (sc *scan) hostPassword(at int) bool {
	text := sc.text
	if at < 1+1+minHostPassword || userinfoEnds[text[at-1]] {
		return false
	}
	start, ats, colon := at, 0, -1
	for start > 0 && at-start < maxUserinfo && !userinfoEnds[text[start-1]] {
		start--
		switch text[start] {
		case ':':
			colon = start
		case '@':
			if ats++; ats > 1 {
				return false
			}
		}
	}
	if colon < 0 || at-colon <= minHostPassword {
		return false
	}
	user, password := text[start:colon], text[colon+1:at]
	if i := strings.LastIndexAny(user, "=([{/"); i >= 0 {
		if user[i] == '/' && (i == 0 || user[i-1] != '/') {
			return false // a path, or the name of an image
		}
		user = user[i+1:]
	}
	if user == "" || len(user) > maxHostUser || !isLetter(user[0]) || !of(user, 0, len(user), setHostUser) || labels[strings.ToLower(user)] || strings.IndexByte(password, '/') >= 0 {
		return false
	}
	named, reached := serviceHost(text, at+1)
	if !named && !reached || !sentBefore(password, reached) || docPassword[strings.ToLower(password)] || variableName(password) || namedValue(password) || !credentialPassword.accepts(password, false) {
		return false
	}
	sc.add(detConnection, colon+1, at)
	return true
}

// labels stand before a colon and an address of mail or of another service, a package or an image.
var labels = setOf("mail", "email", "e-mail", "mailto", "from", "to", "cc", "bcc", "reply-to", "sender", "author", "committer", "reviewer", "contact", "sip", "sips", "xmpp", "acct",
	"npm", "jsr", "pkg", "urn", "image", "docker", "file", "git", "github")

// sentBefore reports whether v is a password where it stands before a host: one with a mark that nothing else there has, or one that
// reads as no name does. Where a port or a path follows, it may be less telling.
func sentBefore(v string, reached bool) bool {
	if strings.ContainsAny(v, hostMarks) {
		return strongPassword(v)
	}
	turns := turnsOf(v)
	return len(v) >= minBare && strings.IndexByte(v, ':') < 0 && (turns >= minTurns && reached || turns > minTurns && hasMixedCase(v))
}

// serviceHost looks at the name at byte i: named is true where it is one of a host, with its domain or as four numbers, reached where a
// port, a path or a module follows.
func serviceHost(text string, i int) (named, reached bool) {
	end := extent(text, i, maxDomain, setHostname)
	for end > i && text[end-1] == '.' {
		end--
	}
	host := text[i:end]
	if len(host) < 2 || !isAlnum(host[0]) {
		return false, false
	}
	dot := strings.LastIndexByte(host, '.')
	top := host[dot+1:]
	switch {
	case of(top, 0, len(top), setDigits):
		named = strings.Count(host, ".") == 3 && of(host, 0, len(host), setNumbers)
		if !named {
			return false, false // a version
		}
	case dot > 0 && notTLD(strings.ToLower(top)):
		return false, false // a file
	case dot > 0:
		named = len(top) > 1 && !mixed(top)
	}
	if dot < 0 && !isLetter(host[0]) || end == len(text) {
		return named, false
	}
	switch rest := text[end:]; rest[0] {
	case '/':
		reached = named
	case ':':
		n := extent(rest, 1, 6, setDigits) - 1
		reached = n >= 2 && n <= 5 && (1+n == len(rest) || !isAlnum(rest[1+n])) || named && strings.HasPrefix(rest, "::")
	}
	return named, reached
}

var setNumbers = newCharset(digitChars + ".")
