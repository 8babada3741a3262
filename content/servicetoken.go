package content

import "strings"

// serviceKeywords opens the tokens of services that have more structure than a prefix and a body.
func serviceKeywords() []keyword {
	k := []keyword{
		{text: ":apa91b", look: (*scan).firebase},
		{text: ".atlasv1.", look: (*scan).terraform},
		{text: "discord.com/api/webhooks/", look: (*scan).discordHook},
		{text: "discordapp.com/api/webhooks/", look: (*scan).discordHook},
		{text: "nral", look: (*scan).newRelic},
		{text: "jqqj99", look: func(sc *scan, at int) { sc.signedKey(at, 52, 84) }},
		{text: "azdo", look: func(sc *scan, at int) { sc.signedKey(at, 76, 84) }},
		{text: "::server:", look: (*scan).k3s},
		{text: "4b1d", look: (*scan).clickHouse},
		{text: ".webhook.office.com/webhookb2/", look: (*scan).hookAddress},
		{text: "hooks.zapier.com/hooks/catch/", look: (*scan).hookAddress},
		{text: "mcp.zapier.com/api/mcp/s/", look: (*scan).hookAddress},
		{text: "nseal key ", look: func(sc *scan, at int) { sc.vaultShare(at + len("nseal key ")) }},
		{text: "ecovery key ", look: func(sc *scan, at int) { sc.vaultShare(at + len("ecovery key ")) }},
		{text: ".make.com/", look: (*scan).hookAddress},
	}
	for prefix, shape := range map[string]struct {
		set  *charset
		look func(sc *scan, at int)
	}{"-us": {setDigits, (*scan).mailchimp}, "re_": {setAlnum, (*scan).resend}, "a3-": {setAlnum, (*scan).onePassword}, "pk_": {setDigits, (*scan).clickUp}} {
		for _, text := range longEnough(prefix, shape.set) {
			k = append(k, keyword{text: text, look: shape.look})
		}
	}
	for _, c := range lowerLetters + digitChars {
		k = append(k, keyword{text: ":aa" + string(c), look: (*scan).telegram})
	}
	for _, name := range [...]string{"_auth=", "_auth =", "\"auth\":", "\"auth\" :"} {
		k = append(k, keyword{text: name, look: func(sc *scan, at int) { sc.registryAuth(at + len(name)) }})
	}
	return k
}

// telegram looks for the token of a bot: its number, a colon, and 35 characters that begin with AA.
func (sc *scan) telegram(at int) {
	text := sc.text
	start := at
	for start > 0 && at-start <= 10 && isDigit(text[start-1]) {
		start--
	}
	end := extent(text, at+1, 36, setToken)
	if n := at - start; n < 8 || n > 10 || end-at-1 != 35 || text[at+1] != 'A' || text[at+2] != 'A' || start > 0 && isAlnum(text[start-1]) {
		return
	}
	sc.add(detService, start, end)
}

// firebase looks for a server key of Cloud Messaging: 11 characters that begin with AAAA, a colon, and 140 that begin
// with APA91b.
func (sc *scan) firebase(at int) {
	start, end := at-11, extent(sc.text, at+1, 141, setToken)
	if end-at-1 == 140 && start >= 0 && alone(sc.text, start, end) && strings.HasPrefix(sc.text[start:], "AAAA") && of(sc.text, start, at, setToken) {
		sc.add(detService, start, end)
	}
}

// terraform looks for a token of HCP Terraform: 14 characters, the name of the format, and 60 or more.
func (sc *scan) terraform(at int) {
	start := at
	for start > 0 && at-start <= 14 && isAlnum(sc.text[start-1]) {
		start--
	}
	body := at + len(".atlasv1.")
	if end := extent(sc.text, body, 80, setToken); at-start == 14 && end-body >= 60 {
		sc.add(detService, start, end)
	}
}

// discordHook looks for an incoming webhook, whose address is the credential.
func (sc *scan) discordHook(at int) {
	id := at + strings.Index(sc.text[at:], "hooks/") + len("hooks/")
	slash := id
	for slash < len(sc.text) && slash-id < 21 && isDigit(sc.text[slash]) {
		slash++
	}
	if slash-id < 15 || slash == len(sc.text) || sc.text[slash] != '/' {
		return
	}
	if end := extent(sc.text, slash+1, 100, setToken); end-slash > 60 && !placeholder(sc.text[slash+1:end]) {
		sc.add(detService, id, end)
	}
}

// newRelic looks for a licence key: 36 hexadecimal digits before the four letters.
func (sc *scan) newRelic(at int) {
	start := at
	for start > 0 && at-start <= 36 && setHex[sc.text[start-1]] {
		start--
	}
	if end := at + len("nral"); at-start == 36 && strings.HasPrefix(sc.text[at:], "NRAL") && (end == len(sc.text) || !isAlnum(sc.text[end])) {
		sc.add(detService, start, end)
	}
}

// Bounds of the first part of a token in parts, in bytes.
const (
	minNamedPart = 17
	maxNamedPart = 28
)

// dottedToken looks for a token in parts with full stops between them, of which text[start:end] is the first: of bots
// of Discord, and Airtable's.
func (sc *scan) dottedToken(start, end int) {
	text := sc.text
	body := end + 1
	switch c := text[start]; {
	case c == 'p' && end-start == 17 && strings.HasPrefix(text[start:], "pat"):
		if stop := extent(text, body, 65, setHex); stop-body == 64 {
			sc.add(detService, start, stop)
		}
	case (c == 'M' || c == 'N' || c == 'O') && end-start >= 23:
		second := extent(text, body, 7, setToken)
		if second-body != 6 || second == len(text) || text[second] != '.' || start > 0 && text[start-1] == '.' {
			return
		}
		third := second + 1
		if stop := extent(text, third, 40, setToken); stop-third >= 27 && stop-third <= 38 && (stop == len(text) || text[stop] != '.') && mixed(text[start:end]) && mixed(text[third:stop]) {
			sc.add(detService, start, stop)
		}
	}
}

// registryAuth looks for the user and the password of a registry, which npm and Docker keep in base64.
func (sc *scan) registryAuth(at int) {
	start := skip(sc.text, at, skipQuote)
	start = skip(sc.text, start, skipBlank)
	start = skip(sc.text, start, skipQuote)
	end := extent(sc.text, start, maxToken, setBase64)
	if end-start < 12 {
		return
	}
	plain, ok := asText(decode64(sc.text[start:end]))
	if user, password, found := strings.Cut(plain, ":"); ok && found && user != "" && len(password) >= 6 && !placeholder(password) {
		sc.add(detCredential, start, end)
	}
}
