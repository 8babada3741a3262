package content

import "strings"

// Credentials that are declared, not assigned: the instructions of container files, the variables of Terraform, the cookies of
// sessions, passwords that a pipe hands on.

func declaredKeywords() []keyword {
	return []keyword{
		{text: "env ", look: func(sc *scan, at int) { sc.containerVariable(at, at+len("env ")) }},
		{text: "variable \"", look: func(sc *scan, at int) { sc.defaulted(at + len("variable \"")) }},
		{text: "cookie:", look: func(sc *scan, at int) { sc.cookies(at + len("cookie:")) }},
		{text: "| sudo -s", look: (*scan).pipedPassword},
	}
}

// namedParts are the parts of a variable's name that announce a credential.
var namedParts = [...]struct {
	text string
	kind credential
}{
	{"PASSWORD", credentialPassword}, {"PASSWD", credentialPassword}, {"PASSPHRASE", credentialPassword}, {"_PASS", credentialPassword}, {"_PSK", credentialPassword},
	{"SECRET", credentialKey}, {"API_KEY", credentialKey}, {"APIKEY", credentialKey}, {"ACCESS_KEY", credentialKey}, {"PRIVATE_KEY", credentialKey}, {"TOKEN", credentialToken},
}

// variableKind returns what the name of a variable announces.
func variableKind(name string) credential {
	name = strings.ToUpper(name)
	for _, p := range namedParts {
		if i := strings.LastIndex(name, p.text); i >= 0 && (i+len(p.text) == len(name) || credentialSuffix(strings.ToLower(name[i+len(p.text):]))) {
			return p.kind
		}
	}
	return credentialNone
}

// maxVariable is the longest name of a variable, in bytes.
const maxVariable = 64

// containerVariable looks at the value behind the name that a container file sets: ENV DB_PASSWORD value.
func (sc *scan) containerVariable(at, end int) {
	text := sc.text
	if text[at] != 'E' || at > 0 && text[at-1] != '\n' && text[at-1] != ' ' && text[at-1] != '\t' {
		return
	}
	stop := extent(text, end, maxVariable, setToken)
	if stop == end || stop == len(text) || text[stop] != ' ' {
		return
	}
	kind := variableKind(text[end:stop])
	if kind == credentialNone {
		return
	}
	if start, stop := word(text, stop+1); stop > start && kind.accepts(text[start:stop], false) {
		sc.add(detCredential, start, stop)
	}
}

// defaultReach is how far behind the name of a variable its default may begin, in bytes.
const defaultReach = 240

// defaulted looks at the default of a variable of Terraform whose name, at byte at, announces a credential.
func (sc *scan) defaulted(at int) {
	text := sc.text
	stop := extent(text, at, maxVariable, setToken)
	kind := variableKind(text[at:stop])
	if kind == credentialNone || stop == len(text) || text[stop] != '"' {
		return
	}
	block := text[stop:min(len(text), stop+defaultReach)]
	if end := strings.IndexByte(block, '}'); end >= 0 {
		block = block[:end]
	}
	i := strings.Index(block, "default")
	if i < 0 {
		return
	}
	i += len("default")
	open := strings.IndexByte(block[i:], '"')
	if open < 0 || strings.Trim(block[i:i+open], " =\t") != "" {
		return
	}
	start := stop + i + open + 1
	end := start + strings.IndexByte(text[start:min(len(text), start+defaultReach)], '"')
	if end > start && kind.accepts(text[start:end], true) {
		sc.add(detCredential, start, end)
	}
}

// sessionNames are what the names of the cookies of sessions end with.
var sessionNames = [...]string{"sessionid", "session", "sessid", "connect.sid", "session_id", "session-id", "_sid", "auth_token", "authtoken", "access_token", "session_token", "remember_token", "laravel_session", "sessionkey",
	"session-token", "refresh_token", "refreshtoken", ".aspnetcore.cookies", ".identity.application", ".aspxauth", ".applicationcookie", "_gh_sess"}

// sessionWords are such names in full.
var sessionWords = map[string]bool{"sid": true, "hsid": true, "ssid": true, "apisid": true, "sapisid": true, "__secure-1psid": true, "__secure-3psid": true, "li_at": true, "jwt": true, "sess": true}

// cookies looks for the cookie of a session in the value of a header. Whoever has it is logged in.
func (sc *scan) cookies(at int) {
	if at < sc.cookieLine {
		return
	}
	text := sc.text
	line := text[at:min(len(text), at+maxCookies)]
	if n := strings.IndexAny(line, "\r\n"); n >= 0 {
		line = line[:n]
	}
	sc.cookieLine = at + len(line)
	for i := 0; i < len(line); {
		next := len(line)
		if n := strings.IndexByte(line[i:], ';'); n >= 0 {
			next = i + n
		}
		name, value, _ := strings.Cut(line[i:next], "=")
		// The value first: most are short, and what is no cookie has names of any length.
		if n := extent(value, 0, len(value), setSession); n >= minSession && mixed(value[:n]) && sessionName(strings.ToLower(strings.TrimSpace(name))) && !placeholder(value[:n]) {
			start := at + i + len(name) + 1
			sc.add(detCredential, start, start+n)
		}
		i = next + 1
	}
}

// maxCookies is how much of the value of such a header is read, in bytes: what browsers send of one cookie at most.
const maxCookies = 4096

// minSession is the shortest identifier of a session, in bytes: half of what OWASP asks for, in hexadecimal.
const minSession = 16

var setSession = newCharset(lowerLetters + upperLetters + digitChars + "-_.%+/=~:")

func sessionName(name string) bool {
	for _, s := range sessionNames {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return sessionWords[name] || strings.HasPrefix(name, "wordpress_logged_in_") || strings.HasPrefix(name, "wordpress_sec_")
}

// pipedPassword looks at what is printed into the command at byte at: echo 'password' | sudo -S.
func (sc *scan) pipedPassword(at int) {
	text := sc.text
	if end := at + len("| sudo -s"); text[end-1] != 'S' {
		return
	}
	end := at
	for end > 0 && text[end-1] == ' ' {
		end--
	}
	start := end
	for start > 0 && end-start < maxVariable && text[start-1] > ' ' {
		start--
	}
	if before := text[:start]; !strings.HasSuffix(before, "echo ") && !strings.HasSuffix(before, "echo -e ") && !strings.HasSuffix(before, "echo -n ") {
		return
	}
	if v := text[start:end]; len(v) > 2 && (v[0] == '\'' || v[0] == '"') && v[len(v)-1] == v[0] {
		start, end = start+1, end-1
	}
	if credentialPassword.accepts(text[start:end], false) {
		sc.add(detCredential, start, end)
	}
}
