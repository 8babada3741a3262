package content

import "strings"

// The tokens of services that no prefix tells, but the shape of the whole.

// alone reports whether text[start:end] stands alone among letters, digits and what joins them.
func alone(text string, start, end int) bool {
	return start >= 0 && end <= len(text) && (start == 0 || !setToken[text[start-1]]) && (end == len(text) || !setToken[text[end]])
}

// of reports whether all of text[start:end] is in set.
func of(text string, start, end int, set *charset) bool {
	return start >= 0 && end <= len(text) && extent(text, start, end-start, set) == end
}

// signedKey looks for a key of Azure: letters and digits of one length with the mark of its kind at one place.
func (sc *scan) signedKey(at, before, length int) {
	start, end := at-before, at-before+length
	if alone(sc.text, start, end) && of(sc.text, start, end, setAlnum) && strings.ToUpper(sc.text[at:at+4]) == sc.text[at:at+4] && mixed(sc.text[start:at]) {
		sc.add(detAzureKey, start, end)
	}
}

// awsSecret looks for the secret of an access key shortly behind it, as in tables: 40 characters of base64.
func (sc *scan) awsSecret(at int) {
	text := sc.text
	limit := min(len(text), at+awsReach)
	for i := at; i < limit; {
		if !setBase64[text[i]] || text[i] == '=' {
			i++
			continue
		}
		end := extent(text, i, 41, setBase64)
		if end-i == 40 && (end == len(text) || !setToken[text[end]]) && varied(text[i:end]) {
			sc.add(detAWSKey, i, end)
			return
		}
		i = end + extent(text[end:], 0, awsReach, setBase64)
	}
}

// awsReach is how far behind an access key its secret may begin, in bytes.
const awsReach = 64

// varied reports whether s has letters of both cases and digits, as random base64 has and hexadecimal has not.
func varied(s string) bool {
	upper, lower, digit := false, false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isDigit(c):
			digit = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= 'A' && c <= 'Z':
			upper = true
		}
	}
	return upper && lower && digit
}

// mailchimp looks for 32 hexadecimal digits and the number of a data centre.
func (sc *scan) mailchimp(at int) {
	end := extent(sc.text, at+len("-us"), 3, setDigits)
	if n := end - at - len("-us"); (n == 1 || n == 2) && alone(sc.text, at-32, end) && of(sc.text, at-32, at, setHex) && mixed(sc.text[at-32:at]) {
		sc.add(detService, at-32, end)
	}
}

// resend looks for re_, 8 letters and digits, a low line and 24.
func (sc *scan) resend(at int) {
	text, end := sc.text, at+len("re_")+8+1+24
	if alone(text, at, end) && text[at+11] == '_' && of(text, at+3, at+11, setAlnum) && of(text, at+12, end, setAlnum) && varied(text[at+3:end]) {
		sc.add(detService, at, end)
	}
}

// onePassword looks for the secret key of an account: A3 and groups of 6, 6, 5, 5, 5 and 5.
func (sc *scan) onePassword(at int) {
	text, i := sc.text, at+len("a3")
	for _, n := range [...]int{6, 6, 5, 5, 5, 5} {
		if i+n >= len(text) || text[i] != '-' || !of(text, i+1, i+1+n, setUpper) {
			return
		}
		i += 1 + n
	}
	if alone(text, at, i) && text[at] == 'A' && mixed(text[at+3:i]) {
		sc.add(detService, at, i)
	}
}

// clickUp looks for pk_, the number of a user, a low line and 32 letters and digits.
func (sc *scan) clickUp(at int) {
	text, start := sc.text, at+len("pk_")
	line := extent(text, start, 12, setDigits)
	if end := line + 33; line-start >= 5 && alone(text, at, end) && text[line] == '_' && of(text, line+1, end, setUpper) && mixed(text[line+1:end]) {
		sc.add(detService, at, end)
	}
}

// k3s looks for the token of a cluster: K10, a digest, and who joins with which secret.
func (sc *scan) k3s(at int) {
	text, start := sc.text, at-64-len("K10")
	end := extent(text, at+len("::server:"), maxToken, setToken)
	if start >= 0 && strings.HasPrefix(text[start:], "K10") && of(text, start+3, at, setHex) && end-at > len("::server:")+8 {
		sc.add(detService, start, end)
	}
}

// clickHouse looks for a secret of ClickHouse's cloud: 4b1d and 38 letters and digits of both cases.
func (sc *scan) clickHouse(at int) {
	if end := at + 42; alone(sc.text, at, end) && strings.HasPrefix(sc.text[at:], "4b1d") && of(sc.text, at, end, setAlnum) && varied(sc.text[at:end]) {
		sc.add(detService, at, end)
	}
}

// vaultShare looks for a share of the key that opens a Vault, as its init prints them: a number, a colon, and 33 bytes, or the 32 of
// a key that is not shared, in base64 or hexadecimal. One that is encrypted for its keeper is longer.
func (sc *scan) vaultShare(at int) {
	colon := extent(sc.text, at, 3, setDigits)
	start := colon + len(": ")
	if colon == at || !strings.HasPrefix(sc.text[colon:], ": ") {
		return
	}
	end := extent(sc.text, start, 67, setBase64)
	switch end - start {
	case 44, 64, 66:
		if mixed(sc.text[start:end]) {
			sc.add(detVault, start, end)
		}
	}
}

// minHook is the least that follows the host in the address of an incoming hook, in bytes.
const minHook = 12

// hookAddress looks for an incoming hook or a server of one user, whose address is the credential: what is behind the host.
func (sc *scan) hookAddress(at int) {
	text := sc.text
	start := at + strings.IndexByte(text[at:], '/') + 1
	if text[at] == '.' && text[at+1]|0x20 == 'm' {
		// Make's: hook.eu1.make.com/ and 32 letters and digits.
		if end := start + 32; hookHost.any(text[max(0, at-8):at]) && alone(text, start, end) && of(text, start, end, setLower) && mixed(text[start:end]) {
			sc.add(detService, start, end)
		}
		return
	}
	for _, word := range [...]string{"webhookb2/", "hooks/catch/", "api/mcp/s/"} {
		if hasFoldPrefix(text[start:], word) {
			start += len(word)
		}
	}
	if end := extent(text, start, 256, hookPath); end-start >= minHook && mixed(text[start:end]) && !placeholder(text[start:end]) {
		sc.add(detService, start, end)
	}
}

var (
	hookHost = mustIndex("hook.")
	hookPath = newCharset(lowerLetters + upperLetters + digitChars + "-@/_")
)
