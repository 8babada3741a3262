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

// tokens is the table of prefixed credentials. Shapes follow what the issuers publish.
var tokens = []token{
	{"AKIA", detAWSKey, setUpper, 16, 16, false},
	{"ASIA", detAWSKey, setUpper, 16, 16, false},
	{"ABIA", detAWSKey, setBase32, 16, 16, false},
	{"ACCA", detAWSKey, setBase32, 16, 16, false},
	{"AIza", detGoogleKey, setToken, 35, 35, false},
	{"ya29.", detGoogleKey, setToken, 30, 0, true},
	{"GOCSPX-", detGoogleKey, setToken, 28, 28, false},
	{"ghp_", detGitHub, setAlnum, 36, 255, false},
	{"gho_", detGitHub, setAlnum, 36, 255, false},
	{"ghu_", detGitHub, setAlnum, 36, 255, false},
	{"ghs_", detGitHub, setDotted, 36, 0, true},
	{"ghr_", detGitHub, setAlnum, 36, 255, false},
	{"github_pat_", detGitHub, setWord, 36, 255, false},
	{"glpat-", detGitLab, setDotted, 20, 0, false},
	{"gldt-", detGitLab, setToken, 20, 0, false},
	{"glrt-", detGitLab, setDotted, 20, 0, false},
	{"glcbt-", detGitLab, setToken, 20, 0, false},
	{"glptt-", detGitLab, setToken, 20, 0, false},
	{"glsoat-", detGitLab, setToken, 20, 0, false},
	{"glagent-", detGitLab, setToken, 20, 0, false},
	{"glimt-", detGitLab, setToken, 20, 0, false},
	{"glft-", detGitLab, setToken, 20, 0, false},
	{"gloas-", detGitLab, setHex, 64, 64, false},
	{"glffct-", detGitLab, setToken, 20, 0, true},
	{"glwt-", detGitLab, setToken, 20, 0, true},
	{"GR1348941", detGitLab, setToken, 20, 20, true},
	{"xoxb-", detSlack, setToken, 20, 0, true},
	{"xoxp-", detSlack, setToken, 20, 0, true},
	{"xoxa-", detSlack, setToken, 20, 0, true},
	{"xoxr-", detSlack, setToken, 20, 0, true},
	{"xoxs-", detSlack, setToken, 20, 0, true},
	{"xoxe-", detSlack, setToken, 20, 0, true},
	{"xoxe.xox", detSlack, setDotted, 20, 0, true},
	{"xoxc-", detSlack, setToken, 20, 0, true},
	{"xoxd-", detSlack, newCharset(lowerLetters + upperLetters + digitChars + "%+/=-_"), 20, 0, true},
	{"xapp-", detSlack, setToken, 20, 0, true},
	{"sk_live_", detStripe, setAlnum, 16, 0, true},
	{"sk_test_", detStripe, setAlnum, 16, 0, true},
	{"rk_live_", detStripe, setAlnum, 16, 0, true},
	{"rk_test_", detStripe, setAlnum, 16, 0, true},
	{"whsec_", detStripe, setBase64, 24, 0, true},
	{"sk-", detLLMKey, setToken, 20, 0, true},
	{"gsk_", detLLMKey, setAlnum, 40, 0, true},
	{"xai-", detLLMKey, setAlnum, 60, 0, true},
	{"r8_", detLLMKey, setAlnum, 37, 40, true},
	{"pplx-", detLLMKey, setAlnum, 40, 0, true},
	{"sk-lf-", detLLMKey, setHexDash, 36, 36, true},
	{"sk_", detLLMKey, setHex, 48, 48, true},
	{"csk-", detLLMKey, setLower, 48, 48, true},
	{"fw_", detLLMKey, setAlnum, 22, 24, true},
	{"hf_", detHFToken, setAlnum, 30, 60, true},
	{"hf_", detHFToken, setAlnum, 34, 34, false}, // most are of letters alone
	{"api_org_", detHFToken, setAlnum, 30, 60, true},
	{"npm_", detNPM, setAlnum, 36, 36, true},
	{"pypi-", detPyPI, setToken, 50, 0, true},
	{"SG.", detSendGrid, setDotted, 60, 80, true},
	{"dop_v1_", detDOToken, setHex, 64, 64, false},
	{"doo_v1_", detDOToken, setHex, 64, 64, false},
	{"hvs.", detVault, setToken, 24, 0, true},
	{"hvb.", detVault, setToken, 24, 0, true},
	{"shpat_", detShopify, setHex, 32, 32, false},
	{"shpss_", detShopify, setHex, 32, 32, false},
	{"shpca_", detShopify, setHex, 32, 32, false},
	{"dapi", detDatabricks, setHexDash, 32, 34, true},
	{"AGE-SECRET-KEY-1", detAgeKey, setUpper, 58, 58, false},
	{"dor_v1_", detDOToken, setHex, 64, 64, false},
	{"shppa_", detShopify, setHex, 32, 32, false},
	{"ABSKQmVkcm9ja0FQSUtleS1", detAWSKey, setBase64, 40, 0, true},
	{"1//0", detGoogleKey, setToken, 40, 120, true},
	{"sq0atp-", detService, setToken, 22, 60, true}, {"sq0csp-", detService, setToken, 40, 60, true}, {"sq0atb-", detService, setToken, 22, 60, true}, {"sandbox-sq0atb-", detService, setToken, 22, 60, true}, {"EAAAE", detService, setToken, 59, 59, true}, {"EAACEdEose0cBA", detService, setAlnum, 30, 0, true},
	{"key-", detService, setHex, 32, 32, true}, {"ATATT3xFfGF0", detService, setAllB64, 100, 0, true}, {"ATCTT3xFfGN0", detService, setAllB64, 100, 0, true}, {"ATBB", detService, setAlnum, 32, 32, true}, {"lin_api_", detService, setAlnum, 40, 40, true}, {"lin_oauth_", detService, setAlnum, 40, 64, true},
	{"dp.pt.", detService, setAlnum, 40, 44, true}, {"dp.st.", detService, setDotted, 40, 70, true}, {"dp.ct.", detService, setAlnum, 40, 44, true}, {"dp.sa.", detService, setAlnum, 40, 44, true}, {"NRAK-", detService, setUpper, 27, 27, true}, {"glsa_", detService, setWord, 41, 41, true}, {"glc_eyJ", detService, setBase64, 40, 0, true},
	{"PMAK-", detService, setHexDash, 59, 59, true}, {"fm2_", detService, setBase64, 100, 0, true}, {"fo1_", detService, setToken, 43, 43, true}, {"ntn_", detService, setAlnum, 43, 50, true}, {"secret_", detService, setAlnum, 43, 43, true}, {"figd_", detService, setToken, 38, 50, true}, {"sntrys_eyJ", detService, setAllB64, 60, 0, true}, {"sntryu_", detService, setHex, 64, 64, false},
	{"dt0c01.", detService, setDotted, 89, 89, true}, {"dt0s16.", detService, setDotted, 89, 89, true}, {"pscale_tkn_", detService, setToken, 32, 64, true}, {"pscale_pw_", detService, setToken, 32, 64, true}, {"pscale_oauth_", detService, setToken, 32, 64, true}, {"sbp_", detService, setHex, 40, 40, false}, {"sb_secret_", detService, setToken, 28, 48, true},
	{"rlwy_", detService, setAlnum, 36, 64, true}, {"v1.0-", detService, setHexDash, 171, 171, true}, {"pnu_", detService, setAlnum, 36, 36, true}, {"pul-", detService, setHex, 40, 40, false}, {"rubygems_", detService, setHex, 48, 48, false}, {"dckr_pat_", detService, setToken, 27, 40, true}, {"dckr_oat_", detService, setToken, 27, 40, true}, {"AKCp", detService, setAlnum, 60, 80, true},
	{"rdme_", detService, setAlnum, 64, 80, true}, {"tgp_v1_", detService, setToken, 43, 43, true}, {"lsv2_pt_", detService, setWord, 40, 50, true}, {"lsv2_sk_", detService, setWord, 40, 50, true}, {"esecret_", detService, setAlnum, 25, 40, true}, {"pcsk_", detService, setWord, 60, 80, true}, {"tvly-", detService, setToken, 28, 60, true}, {"HRKU-AA", detService, setToken, 58, 58, true},
	{"CFPAT-", detService, setToken, 43, 43, true}, {"tfp_", detService, setDotted, 40, 60, true}, {"EZAK", detService, setAlnum, 54, 54, true}, {"EZTK", detService, setAlnum, 54, 54, true}, {"shippo_live_", detService, setHex, 40, 40, false}, {"shippo_test_", detService, setHex, 40, 40, false}, {"access-production-", detService, setHexDash, 36, 36, true}, {"access-sandbox-", detService, setHexDash, 36, 36, true},
	{"ops_eyJ", detService, setAllB64, 100, 0, true}, {"pat-na1-", detService, setHexDash, 36, 36, true}, {"pat-na2-", detService, setHexDash, 36, 36, true}, {"pat-eu1-", detService, setHexDash, 36, 36, true}, {"sqp_", detService, setHex, 40, 40, false}, {"squ_", detService, setHex, 40, 40, false}, {"sqa_", detService, setHex, 40, 40, false}, {"sgp_", detService, setWord, 40, 60, true},
	{"snyk_uat.", detService, setDotted, 60, 0, true}, {"bkua_", detService, setHex, 40, 40, false}, {"CCIPAT_", detService, setWord, 60, 64, true}, {"CCIPRJ_", detService, setWord, 60, 64, true}, {"CLOJARS_", detService, setHex, 60, 60, false}, {"aio_", detService, setAlnum, 28, 28, true}, {"access_token$production$", detService, setDollar, 49, 49, true},
	{"tskey-auth-", detService, setToken, 20, 80, true}, {"tskey-api-", detService, setToken, 20, 80, true}, {"tskey-client-", detService, setToken, 20, 80, true}, {"xkeysib-", detService, setToken, 75, 90, true}, {"mlsn.", detService, setHex, 64, 64, false}, {"nvapi-", detService, setToken, 60, 70, true}, {"apify_api_", detService, setAlnum, 36, 40, true}, {"phx_", detService, setAlnum, 40, 50, true},
	{"xsmtpsib-", detService, setToken, 75, 90, true}, {"wandb_v1_", detService, setWord, 60, 90, true}, {"bb_live_", detService, setToken, 25, 40, true}, {"m0-", detService, setAlnum, 40, 40, true}, {"vck_", detService, setAlnum, 50, 70, true}, {"nsec1", detService, setLower, 58, 58, true}, {"ctx7sk-", detService, setHexDash, 36, 36, true}, {"y0_Ag", detService, setToken, 50, 60, true}, {"vcp_", detService, setAlnum, 50, 70, true}, {"vci_", detService, setAlnum, 50, 70, true}, {"vca_", detService, setAlnum, 50, 70, true}, {"vcr_", detService, setAlnum, 50, 70, true}, {"fc-", detService, setHex, 32, 32, true}, {"pa-", detService, setToken, 43, 43, true},
	{"cio", detService, setAlnum, 32, 32, true}, {"oy2", detService, setLower, 43, 43, true}, {"cmVmdGtu", detService, setAlnum, 56, 56, true}, {"rnd_", detService, setAlnum, 28, 40, true}, {"vercel_blob_rw_", detService, setWord, 40, 60, true}, {"nfp_", detService, setAlnum, 36, 40, true}, {"cfut_", detService, setAlnum, 40, 60, true}, {"cfat_", detService, setAlnum, 40, 60, true},
	{"napi_", detService, setLower, 60, 70, true}, {"mdb_sa_sk_", detService, setToken, 40, 60, true}, {"ATTA", detService, setAlnum, 72, 76, true}, {"EAAAl", detService, setToken, 59, 60, true}, {"EAA", detService, setAlnum, 110, 300, true}, {"FLWSECK-", detService, setToken, 32, 40, true}, {"FLWSECK_TEST-", detService, setToken, 32, 40, true},
	{"sl.B", detService, setToken, 120, 0, true}, {"sl.u.", detService, setToken, 120, 0, true}, {"NRII-", detService, setToken, 32, 32, true}, {"hcaik_01", detService, setLower, 56, 57, true}, {"hcalk_01", detService, setLower, 56, 57, true}, {"sdk-", detService, setHexDash, 36, 36, true},
	{"secret-", detService, setAlnum, 43, 43, true}, {"sk.eyJ", detService, setDotted, 80, 0, true}, {"GOOG1E", detService, setUpper, 55, 55, true}, {"LTAI5t", detService, setAlnum, 18, 18, true}, {"AKID", detService, setAlnum, 32, 32, true}, {"t1.9euel", detService, setDotted, 150, 0, true}, {"waka_", detService, setHexDash, 36, 36, true},
	{"duffel_live_", detService, setToken, 43, 43, true}, {"duffel_test_", detService, setToken, 43, 43, true}, {"fio-u-", detService, setAllB64, 64, 64, true}, {"unkey_", detService, setAlnum, 22, 30, true}, {"tr_prod_", detService, setAlnum, 20, 24, true}, {"tr_dev_", detService, setAlnum, 20, 24, true}, {"signkey-prod-", detService, setHex, 64, 64, false}, {"signkey-test-", detService, setHex, 64, 64, false},
	{"sk_prod_", detService, setToken, 40, 80, true}, {"django-insecure-", detService, setDjango, 50, 50, false}, {"polar_oat_", detService, setAlnum, 40, 50, true}, {"xprv", detService, setAlnum, 107, 107, true}, {"yprv", detService, setAlnum, 107, 107, true}, {"zprv", detService, setAlnum, 107, 107, true}, {"tprv", detService, setAlnum, 107, 107, true}, {"rpa_", detService, setAlnum, 40, 50, true}, {"jina_", detService, setToken, 50, 70, true}, {"e2b_", detService, setHex, 40, 40, false}, {"amzn.mws.", detService, setHexDash, 36, 36, true}, {"AQVN", detService, setToken, 35, 38, true},
}

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
