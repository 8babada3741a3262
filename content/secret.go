package content

import (
	"bytes"
	"strings"
)

// secretKeywords opens the credentials that have more structure than a prefix and a body.
func secretKeywords() []keyword {
	return []keyword{
		{text: "-----begin ", look: (*scan).privateKey},
		{text: "---- begin ssh2 ", look: (*scan).privateKey},
		{text: "putty-user-key-file-", look: (*scan).puttyKey},
		{text: "eyj", look: (*scan).jwt},
		{text: "bearer ", look: (*scan).bearer},
		{text: "basic ", look: (*scan).basicAuth},
		{text: "authorization", look: (*scan).otherAuth},
		{text: "hooks.slack.com/", look: (*scan).slackHook},
		{text: "accountkey=", look: (*scan).azureKey},
		{text: "sharedaccesskey=", look: (*scan).azureKey},
		{text: "sig=", look: (*scan).azureSignature},
		{text: "8q~", look: (*scan).azureSecret},
		{text: "authtoken", look: (*scan).twilio},
		{text: "auth_token", look: (*scan).twilio},
	}
}

// maxPEM bounds how far the end of a private key is looked for, in bytes.
const maxPEM = 64 << 10

// pemMemo remembers the last search for an end marker, so that a text full of beginnings stays linear.
type pemMemo struct {
	next int // first end marker at or after from; -1 when there is none
	from int
	end  int // of the last key
}

// privateKey looks for an armoured private key: PEM of any kind, encrypted or not, OpenSSH, PGP. The key is
// masked whole; when its end is missing, as in a cut-off listing, up to where key material stops.
func (sc *scan) privateKey(at int) {
	text := sc.text
	if at < sc.pem.end {
		return
	}
	head := text[at:min(len(text), at+80)]
	kind := privateKeyWords.first(head)
	if kind == len(head) || strings.IndexByte(head[:kind], '\n') >= 0 {
		return
	}
	body := at + kind + len("PRIVATE KEY")
	if mention(text[body:min(len(text), body+16)]) {
		return
	}
	end := sc.nextEnd(body)
	if end >= 0 {
		// The marker runs to its closing dashes on the same line.
		tail := text[end+5 : min(len(text), end+80)]
		if i := strings.Index(tail, "-----"); i >= 0 {
			end += 5 + i + 5
		} else {
			end += 5
		}
	} else {
		end = body
		for end < len(text) && end-body < maxPEM && (setAllB64[text[end]] || strings.IndexByte(" \r\n\t:,\\", text[end]) >= 0) {
			end++
		}
		for end > body && strings.IndexByte(" \r\n\t,", text[end-1]) >= 0 {
			end--
		}
	}
	if elided(text[body:end]) {
		return
	}
	sc.pem.end = end
	sc.add(detPrivateKey, at, end)
}

var privateKeyWords = mustIndex("private key")

// mention reports whether what follows the words of a header closes a quotation: program text and manuals name
// the header, and no key follows.
func mention(after string) bool {
	after = strings.TrimLeft(after, " BLOCK-")
	return after != "" && strings.IndexByte("'\"`)]},;<", after[0]) >= 0
}

// elided reports whether what stands between the markers is no key but dots, or a few letters that stand for one.
func elided(body string) bool {
	material, closed := body, false
	if i := strings.LastIndex(body, "-----END"); i >= 0 {
		material, closed = body[:i], true
	}
	if i := strings.Index(material, "ENCRYPTED"); i >= 0 {
		// The headers of an encrypted key.
		material = material[i+len("ENCRYPTED"):]
	}
	n := 0
	for i := 0; i < len(material) && n < 16; i++ {
		if isAlnum(material[i]) || material[i] == '+' || material[i] == '/' {
			n++
		}
	}
	return closed && (n < 8 || prose(material)) || n > 0 && n < 16 && strings.Contains(material, "...")
}

// prose reports whether what stands between the markers is a sentence about them: words in small letters, in the line of the first.
func prose(material string) bool {
	rest := strings.TrimPrefix(material, "-----")
	return len(rest) < len(material) && strings.HasPrefix(rest, " ") && !strings.ContainsFunc(rest, func(r rune) bool {
		return r < ' ' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r == '+' || r == '/'
	})
}

// nextEnd returns the position of the first end marker at or after from, or -1.
func (sc *scan) nextEnd(from int) int {
	m := &sc.pem
	if m.from <= from && (m.next < 0 || m.next >= from) {
		if m.next >= 0 && m.next-from > maxPEM {
			return -1
		}
		return m.next
	}
	m.from = from
	m.next = strings.Index(sc.text[from:], "-----END")
	if m.next >= 0 {
		m.next += from
	}
	if m.next-from > maxPEM {
		return -1
	}
	return m.next
}

// puttyPrivate begins the private half of a PuTTY key file.
var puttyPrivate = newFinder("private-lines:")

// puttyKey looks for the private half of a PuTTY key file.
func (sc *scan) puttyKey(at int) {
	if !sc.putty.within(puttyPrivate.first, sc.text, at, at+maxPEM) {
		return
	}
	end := sc.putty.at + len("Private-Lines:")
	for end < len(sc.text) && (setAllB64[sc.text[end]] || sc.text[end] == ' ' || sc.text[end] == '\n' || sc.text[end] == '\r') {
		end++
	}
	if n := len(sc.hits); n > 0 && sc.hits[n-1].det == detPrivateKey && sc.hits[n-1].end >= end {
		return
	}
	sc.add(detPrivateKey, at, end)
}

// extent returns the end of the run of set from start, at most limit bytes long.
func extent(text string, start, limit int, set *charset) int {
	end := start
	for end < len(text) && end-start < limit && set[text[end]] {
		end++
	}
	return end
}

// until returns the first place from byte i on whose byte is in set, the length of text when there is none.
func until(text string, i int, set *charset) int {
	for ; i+4 <= len(text); i += 4 {
		if t := text[i : i+4]; set[t[0]] || set[t[1]] || set[t[2]] || set[t[3]] {
			break
		}
	}
	for i < len(text) && !set[text[i]] {
		i++
	}
	return i
}

// maxJWT bounds each part of a JSON web token, in bytes.
const maxJWT = 8 << 10

// jwt looks for a signed JSON web token: three base64url parts, of which the first is a JSON object.
func (sc *scan) jwt(at int) {
	text := sc.text
	if !strings.HasPrefix(text[at:], "eyJ") || at > 0 && setToken[text[at-1]] && !lineDash(text, at) {
		return
	}
	if n := len(sc.hits); n > 0 && sc.hits[n-1].det == detJWT && sc.hits[n-1].end > at {
		return
	}
	end, ok := signedParts(text, at)
	if end < len(text) && seamByte[text[end]] {
		stop, body := sc.overSeams(at, at, end, maxJWT, setDotted, wholeJWT)
		if n, whole := signedParts(body, 0); whole && stop > end {
			// What follows its last part is the end of a sentence.
			end, ok = stop-(len(body)-n), true
		}
	}
	if !ok {
		return
	}
	if sc.d.HandedBack(sc.str) {
		return
	}
	sc.add(detJWT, at, end)
}

// signedParts returns where the three parts that begin at byte at end, or where what there is of them does.
func signedParts(text string, at int) (end int, ok bool) {
	for part := range 3 {
		end = extent(text, at, maxJWT, setToken)
		if end-at < minSignedPart || part < 2 && (end >= len(text) || text[end] != '.') {
			return end, false
		}
		at = end + 1
	}
	return end, true
}

// minSignedPart is the shortest part of a token, minSignature the shortest that is not cut off, in bytes: of HMAC with SHA-256.
const (
	minSignedPart = 11
	minSignature  = 43
)

// wholeJWT reports whether the pieces of a token have all of its parts.
func wholeJWT(body []byte) bool {
	return bytes.Count(body, []byte{'.'}) == 2 && len(body)-bytes.LastIndexByte(body, '.') > minSignature
}

// memberName returns the name of the member whose value the current string is, "" when there is none.
func (sc *scan) memberName() string {
	if s := &sc.d.strings[sc.str]; !s.Key && s.name >= 0 {
		return sc.d.strings[s.name].Text
	}
	return ""
}

// bearer looks for a token after the word of an Authorization header.
func (sc *scan) bearer(at int) {
	start := at + len("bearer ")
	if at > 0 && isAlnum(sc.text[at-1]) {
		return
	}
	end, body := sc.overSeams(start, start, extent(sc.text, start, maxToken, setBearer), maxToken, setBearer, wholeBearer)
	for body != "" && strings.IndexByte(".-", body[len(body)-1]) >= 0 {
		end, body = end-1, body[:len(body)-1]
	}
	if len(body) < 16 || !mixed(body) || placeholder(body) || entropy(body) < 1.5 {
		return
	}
	sc.add(detBearer, start, end)
}

// wholeBearer reports whether the pieces of a token of no known shape are as long as the most are.
func wholeBearer(body []byte) bool { return len(body) >= 32 }

var authorization = mustIndex("authorization")

// basicAuth looks for the credentials of an Authorization header of the basic scheme.
func (sc *scan) basicAuth(at int) {
	start := at + len("basic ")
	if !authorization.any(sc.text[max(0, at-24):at]) && !(at == 0 && authorization.any(sc.memberName())) {
		return
	}
	end := extent(sc.text, start, maxToken, setBase64)
	if end-start >= 8 && !placeholder(sc.text[start:end]) {
		sc.add(detBearer, start, end)
	}
}

// authSchemes are what services write in an Authorization header in place of Bearer and Basic.
var authSchemes = [...]string{"token token=", "token ", "apikey ", "api-key ", "splunk ", "geniekey ", "ssws ", "bot ", "klaviyo-api-key ", "key ", "zoho-oauthtoken ", "private-token ", "dropbox-api-arg "}

// otherAuth looks for the credentials of an Authorization header of a service's own scheme.
func (sc *scan) otherAuth(at int) {
	text := sc.text
	i := skip(text, at+len("authorization"), skipQuote)
	i = skip(text, i, skipBlank)
	given := i < len(text) && (text[i] == ':' || text[i] == '=')
	if given || i < len(text) && text[i] == ',' {
		i++
	}
	i = skip(text, skip(text, i, skipBlank), skipQuote)
	if !sc.schemed(i) && given {
		sc.unschemed(i)
	}
}

// schemed looks at what follows the name of a scheme at byte i, and reports whether one is there.
func (sc *scan) schemed(i int) bool {
	if i >= len(sc.text) {
		return false
	}
	n := oneOf(sc.text[i:], authSchemes[:])
	if n == 0 {
		return false
	}
	start := skip(sc.text, i+n, skipQuote)
	end := extent(sc.text, start, maxToken, setBearer)
	if body := sc.text[start:end]; len(body) >= 16 && mixed(body) && !placeholder(body) && entropy(body) >= 2 {
		sc.add(detBearer, start, end)
	}
	return true
}

// unschemed looks at a token that is all of the value of the header, as many services want it.
func (sc *scan) unschemed(start int) {
	text := sc.text
	end := extent(text, start, maxToken, setBearer)
	if end-start < minUnschemed {
		return
	}
	if v := text[start:end]; len(digitsOf(v)) >= 3 && mixed(v) && !isUUID(v) && !wordsOrPath(v) && !placeholder(v) && entropy(v) >= 3 {
		sc.add(detBearer, start, end)
	}
}

// minUnschemed is the shortest token that is told by nothing but the name of the header, in bytes: longer than the name of any
// scheme.
const minUnschemed = 24

// slackHook looks for an incoming webhook, whose address is the credential.
func (sc *scan) slackHook(at int) {
	rest := sc.text[at+len("hooks.slack.com/"):]
	if !strings.HasPrefix(rest, "services/T") && !strings.HasPrefix(rest, "workflows/") && !strings.HasPrefix(rest, "triggers/") {
		return
	}
	end := extent(sc.text, at, 160, newlineFreeURL)
	path := sc.text[at:end]
	if len(path) > len("hooks.slack.com/services/")+20 && !placeholder(path[len("hooks.slack.com/"):]) {
		sc.add(detSlackHook, at, end)
	}
}

var newlineFreeURL = newCharset(lowerLetters + upperLetters + digitChars + "./_-")

// azureKey looks for the key in a storage or bus connection string.
func (sc *scan) azureKey(at int) {
	start := at + strings.IndexByte(sc.text[at:], '=') + 1
	if start <= sc.azure {
		// Inside the run of one before.
		return
	}
	end := extent(sc.text, start, maxToken, setBase64)
	sc.azure = end
	if end-start >= 40 && !placeholder(sc.text[start:end]) {
		sc.add(detAzureKey, start, end)
	}
}

// azureSignature looks for the signature of a shared access URL.
func (sc *scan) azureSignature(at int) {
	if at == 0 || sc.text[at-1] != '&' && sc.text[at-1] != '?' {
		return
	}
	start := at + len("sig=")
	end := extent(sc.text, start, maxToken, azureSigSet)
	if end-start < 40 {
		return
	}
	around := sc.text[max(0, at-256):min(len(sc.text), end+256)]
	shared := strings.Contains(around, "sv=20") && strings.Contains(around, "se=") || strings.Contains(around, "sv=1.0") && strings.Contains(around, "sp=")
	if shared && !placeholder(sc.text[start:end]) {
		sc.add(detAzureKey, start, end)
	}
}

var azureSigSet = newCharset(lowerLetters + upperLetters + digitChars + "%+/=")

// azureSecret looks for a client secret, which carries the literal 8Q~ or its like after three characters.
func (sc *scan) azureSecret(at int) {
	start := at
	for start > 0 && at-start < 4 && azureSecretSet[sc.text[start-1]] {
		start--
	}
	if at-start != 3 && at-start != 4 || start > 0 && azureSecretSet[sc.text[start-1]] && at-start == 4 {
		return
	}
	end := extent(sc.text, at+3, 64, azureSecretSet)
	for end > at+3 && sc.text[end-1] == '.' {
		end--
	}
	if n := end - (at + 3); n >= 31 && n <= 35 && mixed(sc.text[at+3:end]) {
		sc.add(detAzureKey, start, end)
	}
}

var azureSecretSet = newCharset(lowerLetters + upperLetters + digitChars + "_~.-")

// twilio looks for an account's token, 32 hexadecimal digits, which only its neighbour tells from a digest:
// the account identifier AC followed by as many.
func (sc *scan) twilio(at int) {
	if at < sc.authTokens || !sc.accounts.within(accountSID, sc.text, max(0, at-accountReach), at+accountReach-accountLength) {
		return
	}
	i := at
	limit := min(len(sc.text), at+64)
	for i < limit {
		for i < limit && !setHex[sc.text[i]] {
			i++
		}
		end := extent(sc.text, i, 33, setHex)
		if end-i == 32 && !placeholder(sc.text[i:end]) {
			sc.add(detTwilio, i, end)
			sc.authTokens = i
			return
		}
		i = max(end, i+1)
	}
}

// accountReach is how far from the word the account identifier may stand, accountLength its own length, in bytes.
const (
	accountReach  = 200
	accountLength = 34
)

// accountSID returns where the first account identifier of s begins, the length of s when there is none.
func accountSID(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], "AC")
		if i < 0 {
			return len(s)
		}
		from += i + len("AC")
		if extent(s, from, 33, setHex) == from+32 {
			return from - len("AC")
		}
	}
}
