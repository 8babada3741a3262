package content

import "strings"

// charset is a set of bytes.
type charset [256]bool

func newCharset(s string) *charset {
	var c charset
	for i := 0; i < len(s); i++ {
		c[s[i]] = true
	}
	return &c
}

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digitChars   = "0123456789"
)

var (
	setAlnum    = newCharset(lowerLetters + upperLetters + digitChars)
	setDigits   = newCharset(digitChars)
	setUpper    = newCharset(upperLetters + digitChars)
	setBase32   = newCharset(upperLetters + "234567")
	setWord     = newCharset(lowerLetters + upperLetters + digitChars + "_")
	setToken    = newCharset(lowerLetters + upperLetters + digitChars + "_-")
	setDotted   = newCharset(lowerLetters + upperLetters + digitChars + "_-.")
	setHex      = newCharset("abcdef" + digitChars)
	setHexDot   = newCharset("abcdef" + digitChars + ".")
	setHexDash  = newCharset("abcdef" + digitChars + "-")
	setLower    = newCharset(lowerLetters + digitChars)
	setDjango   = newCharset(lowerLetters + upperLetters + digitChars + "!@#$%^&*(-_=+)")
	setBase64   = newCharset(lowerLetters + upperLetters + digitChars + "+/=")
	setAllB64   = newCharset(lowerLetters + upperLetters + digitChars + "+/=_-")
	setBearer   = newCharset(lowerLetters + upperLetters + digitChars + "._~+/=-")
	setDollar   = newCharset(lowerLetters + upperLetters + digitChars + "$")
	setScheme   = newCharset(lowerLetters + upperLetters + digitChars + "+.-")
	setEmail    = newCharset(lowerLetters + upperLetters + digitChars + "._%+-'")
	setHostname = newCharset(lowerLetters + upperLetters + digitChars + ".-")
)

// token is a credential that a fixed prefix announces: prefix, then a body of one character set, then
// something that is not of that set.
type token struct {
	prefix string
	det    *detector
	set    *charset
	// min and max bound the body in bytes. A longer run is not this token; max 0 means up to maxToken.
	min, max int
	// mixed demands a digit and a letter in the body: words joined by hyphens are no key.
	mixed bool
}

// maxToken bounds the body of a token, in bytes.
const maxToken = 512

var (
	detAWSKey     = secretDetector("aws-access-key", "AWS_ACCESS_KEY", true)
	detGoogleKey  = secretDetector("google-api-key", "GOOGLE_API_KEY", true)
	detGitHub     = secretDetector("github-token", "GITHUB_TOKEN", true)
	detGitLab     = secretDetector("gitlab-token", "GITLAB_TOKEN", true)
	detSlack      = secretDetector("slack-token", "SLACK_TOKEN", true)
	detStripe     = secretDetector("stripe-key", "STRIPE_KEY", true)
	detLLMKey     = secretDetector("llm-api-key", "LLM_API_KEY", true)
	detHFToken    = secretDetector("huggingface-token", "HUGGINGFACE_TOKEN", true)
	detNPM        = secretDetector("npm-token", "NPM_TOKEN", true)
	detPyPI       = secretDetector("pypi-token", "PYPI_TOKEN", true)
	detTwilio     = secretDetector("twilio-key", "TWILIO_KEY", true)
	detSendGrid   = secretDetector("sendgrid-key", "SENDGRID_KEY", true)
	detDOToken    = secretDetector("digitalocean-token", "DIGITALOCEAN_TOKEN", true)
	detVault      = secretDetector("vault-token", "VAULT_TOKEN", true)
	detShopify    = secretDetector("shopify-token", "SHOPIFY_TOKEN", true)
	detDatabricks = secretDetector("databricks-token", "DATABRICKS_TOKEN", true)
	detAgeKey     = secretDetector("age-key", "PRIVATE_KEY", true)
	detService    = secretDetector("service-token", "SERVICE_TOKEN", true)
)

// tokenSets numbers the character sets of the table.
var tokenSets = func() map[*charset]int {
	m := map[*charset]int{}
	for i := range tokens {
		if _, ok := m[tokens[i].set]; !ok {
			m[tokens[i].set] = len(m)
		}
	}
	return m
}()

func tokenKeywords() []keyword {
	k := make([]keyword, 0, len(tokens))
	for i := range tokens {
		t := &tokens[i]
		set := tokenSets[t.set]
		for _, prefix := range longEnough(strings.ToLower(t.prefix), t.set) {
			k = append(k, keyword{text: prefix, look: func(sc *scan, at int) { sc.token(t, set, at) }})
		}
	}
	return k
}

// longEnough returns a prefix, or what it may be with the byte after it where it has no more than three: the index
// tells words of four bytes from others by fewer looks.
func longEnough(prefix string, set *charset) []string {
	if len(prefix) > minKeyword {
		return []string{prefix}
	}
	var all []string
	for c := range set {
		if set[c] && foldTable[c] == byte(c) {
			all = append(all, prefix+string(rune(c)))
		} else if set[c] && !set[foldTable[c]] {
			all = append(all, prefix+string(rune(foldTable[c])))
		}
	}
	return all
}

// token looks for a credential of shape t, whose character set has the number set, at byte at.
func (sc *scan) token(t *token, set, at int) {
	text := sc.text
	if !strings.HasPrefix(text[at:], t.prefix) || at > 0 && joins(t, text[at-1]) && !lineDash(text, at) && !sc.afterSecret(at) {
		return
	}
	start := at + len(t.prefix)
	limit := t.max
	if limit == 0 {
		limit = maxToken
	}
	// A run of the same set that was followed before is not followed again.
	end := max(start, sc.bodies[set])
	for end < len(text) && end-start <= limit && t.set[text[end]] {
		end++
	}
	sc.bodies[set] = end
	sc.dirty = true
	n := end - start
	if n > limit {
		return
	}
	stop, body := sc.overSeams(at, start, end, limit, t.set, func(b []byte) bool { return len(b) >= t.min })
	if n = len(body); n < t.min {
		if n > 0 && end < len(text) && (markByte[text[end]] || text[end] == '"' || text[end] == '\'') && sc.v.label != ViewUnmarked {
			sc.marked = true
		}
		return
	}
	for n > 0 && (body[n-1] == '.' || body[n-1] == '-') {
		// The end of a sentence is not part of the key.
		n--
	}
	stop -= len(body) - n
	body = body[:n]
	if n < t.min || t.mixed && !mixed(body) || placeholder(body) {
		return
	}
	if t.prefix == "sk-" && !keyLike(body) {
		return
	}
	if sc.afterSecret(at) {
		// What belongs to the one before is masked with it.
		at = min(sc.hits[len(sc.hits)-1].end, start)
	}
	sc.add(t.det, at, stop)
	if t.det == detAWSKey && n == 16 {
		sc.awsSecret(stop)
	}
}

// afterSecret reports whether the last match is a secret that reaches byte at: another may follow it without a gap.
func (sc *scan) afterSecret(at int) bool {
	n := len(sc.hits)
	return n > 0 && sc.hits[n-1].det.category == CategorySecret && sc.hits[n-1].start < at && sc.hits[n-1].end >= at
}

// joins reports whether byte c before a prefix makes it the middle of something longer. A hyphen does so only
// for prefixes that ordinary hyphenated names contain.
func joins(t *token, c byte) bool {
	if isAlnum(c) {
		return true
	}
	return (c == '-' || c == '_') && (t.prefix == "sk-" || t.set == setToken && c == '-')
}

// keyLike tells a key that starts with sk- from a style sheet's class name: a key has at least one long part
// that mixes digits with letters.
func keyLike(body string) bool {
	for part := range strings.FieldsFuncSeq(body, func(r rune) bool { return r == '-' || r == '_' }) {
		if len(part) < 16 {
			continue
		}
		letter, digit := false, false
		for i := 0; i < len(part); i++ {
			letter, digit = letter || isLetter(part[i]), digit || isDigit(part[i])
		}
		if letter && digit {
			return true
		}
	}
	return false
}

// placeholder reports whether a value is what documentation writes in place of a secret: a published example,
// a run of crosses, a word that asks to be replaced.
func placeholder(v string) bool {
	if len(v) == 0 {
		return true
	}
	if strings.IndexByte("xX0*.-_", v[0]) >= 0 && strings.Trim(v, v[:1]) == "" {
		return true
	}
	return placeholders.any(v[:min(len(v), maxPlaceholder)])
}

// maxPlaceholder is how much of a value is read to tell that it is none, in bytes.
const maxPlaceholder = 128

// placeholders are what documentation writes into a value; the last is a key that its issuer publishes in a manual.
var placeholders = mustIndex("example", "xxxx", "placeholder", "changeme", "change_me", "change-me", "your_", "your-", "yourkey",
	"yourtoken", "yoursecret", "yourpass", "dummy", "redacted", "insert", "replace_", "replace-", "****", "....",
	"4ec39hqlyjwdarjtt1zdp7dc")
