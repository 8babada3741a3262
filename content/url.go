package content

import (
	"net/url"
	"strings"
)

func urlKeywords() []keyword {
	return append(looseURLKeywords(), []keyword{
		{text: "://", look: (*scan).url},
		{text: "](//", look: func(sc *scan, at int) { sc.relative(at + 2) }},
		{text: "=\"//", look: func(sc *scan, at int) { sc.relative(at + 2) }},
		{text: "='//", look: func(sc *scan, at int) { sc.relative(at + 2) }},
		{text: "data:text/html", look: (*scan).dataURI},
		{text: "data:application/javascript", look: (*scan).dataURI},
		{text: "data:text/javascript", look: (*scan).dataURI},
		{text: "data:image/svg+xml", look: (*scan).dataURI},
		{text: "javascript:", look: func(sc *scan, at int) { sc.scriptURI(at, at+len("javascript:")) }},
		{text: "vbscript:", look: func(sc *scan, at int) { sc.scriptURI(at, at+len("vbscript:")) }},
	}...)
}

// minCarrier is the shortest address that can carry an opaque value, from its host on, in bytes.
const minCarrier = 24

// harmless reports whether a short address has neither credentials nor a template, nor a host long enough for that
// of a collector.
func harmless(rest string) bool {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '@', '{', '[':
			return false
		case '/', '?', '#':
			if i >= minCollector {
				return false
			}
		}
	}
	return true
}

// minCollector is the length of the shortest host of a collector, in bytes.
const minCollector = len("0x0.st")

// maxURL bounds how much of a URL is read, in bytes.
const maxURL = 2048

var setURL = func() *charset {
	var c charset
	for i := 0x21; i < 0x7f; i++ {
		c[i] = true
	}
	for _, b := range []byte("\"<>\\^`{|}") {
		c[b] = false
	}
	// Templates are how a payload is asked for: {data} belongs to the URL.
	c['{'], c['}'] = true, true
	return &c
}()

// setRelative is setURL without the brackets and quotation marks that addresses without a scheme stand in.
var setRelative = func() *charset {
	c := *setURL
	for _, b := range []byte("()'[]") {
		c[b] = false
	}
	return &c
}()

// url looks at the :// at byte at: credentials in front of the host, and what the address would carry away.
func (sc *scan) url(at int) {
	text := sc.text
	start := at
	for start > 0 && at-start < 24 && setScheme[text[start-1]] {
		start--
	}
	for start < at && !isLetter(text[start]) {
		start++
	}
	if i := strings.LastIndexByte(text[start:at], '.'); i >= 0 && hasFoldPrefix(text[start+i+1:], "http") {
		start += i + 1 // the name of a setting: url.https://…
	}
	scheme := strings.ToLower(text[start:at])
	if scheme == "" {
		return
	}
	end := urlEnd(text, at+3)
	rest := text[at+3 : end]
	if len(rest) < minCarrier && harmless(rest) {
		return
	}
	sc.userinfo(scheme, at+3, rest)
	if !strings.HasPrefix(scheme, "http") && scheme != "ws" && scheme != "wss" && scheme != "ftp" {
		return
	}
	sc.carrier(start, at+3, rest)
}

// relative looks at an address at byte at that leaves its scheme to the page it is in.
func (sc *scan) relative(at int) {
	end := at + 2
	for end < len(sc.text) && end-at < maxURL && setRelative[sc.text[end]] {
		end++
	}
	if rest := sc.text[at+2 : end]; len(rest) >= minCarrier || !harmless(rest) {
		sc.carrier(at, at+2, rest)
	}
}

// urlEnd returns where the URL whose host starts at byte start ends. A URL inside it ends it too: it is looked
// at on its own, and a text that is all URLs stays linear.
func urlEnd(text string, start int) int {
	end := start
	for end < len(text) && end-start < maxURL {
		switch c := text[end]; {
		case c == ':' && strings.HasPrefix(text[end:], "://") && end > start:
			return end
		case setURL[c]:
			end++
		case oneOf(text[end:], wideDots[:]) > 0 && !strings.ContainsAny(text[start:end], "/?#"):
			end += len(wideDots[0])
		default:
			return end
		}
	}
	return end
}

// wideDots are what clients read as dots in the name of a host, beside the one that folding makes a dot of.
var wideDots = [...]string{"\u3002", "\uff61"}

var narrowDots = strings.NewReplacer(wideDots[0], ".", wideDots[1], ".")

// userinfo looks for a password between the scheme and the host. Only the password is the match, so that the
// rest of the address stays readable after masking.
func (sc *scan) userinfo(scheme string, start int, rest string) {
	if strings.IndexByte(rest, '@') < 0 {
		return
	}
	host := strings.IndexAny(rest, "/?#")
	if host < 0 {
		host = len(rest)
	}
	at := strings.LastIndexByte(rest[:host], '@')
	if at < 0 {
		// A password may hold a slash that should have been escaped.
		return
	}
	colon := strings.IndexByte(rest[:at], ':')
	if colon < 0 {
		if strings.HasPrefix(scheme, "http") && at >= 20 && mixed(rest[:at]) && !placeholder(rest[:at]) && extent(rest, 0, at, setToken) == at && !publicKeyOf(rest[at+1:host]) {
			sc.add(detURLCreds, start, start+at)
		}
		return
	}
	user, password := rest[:colon], rest[colon+1:at]
	switch {
	case len(password) < 3, notLiteral(password), placeholder(password), docPassword[strings.ToLower(password)]:
		return
	case password == user, variableName(password), strings.IndexByte(user, '[') >= 0 && strings.HasSuffix(password, "]"):
		// What comes with a program, what is to be filled in, and the syntax of addresses: scheme://[user[:password]@]host.
		return
	}
	t := detConnection
	if strings.HasPrefix(scheme, "http") || scheme == "ftp" {
		t = detURLCreds
	}
	sc.add(t, start+colon+1, start+at)
}

// publicKeyOf reports whether what stands before a host tells projects apart and lets nobody in: pages carry it, as the keys of
// Sentry's clients.
func publicKeyOf(host string) bool {
	return strings.HasSuffix(host, ".sentry.io") && strings.Contains(host, "ingest")
}

// docPassword are the passwords of manuals and local set-ups, which give nothing away.
var docPassword = map[string]bool{"password": true, "pass": true, "pwd": true, "secret": true, "user": true, "postgres": true, "root": true, "guest": true, "mypassword": true, "passwd": true, "admin": true, "test": true,
	"token": true, "mytoken": true, "tiger": true, "bar": true}

// variableName reports whether a value is rather the name of one, as manuals write it: words in capitals, of which one says what
// belongs there.
func variableName(v string) bool {
	for i := 0; i < len(v); i++ {
		if (v[i] < 'A' || v[i] > 'Z') && v[i] != '_' {
			return false
		}
	}
	return containsAny(v, "TOKEN", "PASS", "SECRET", "KEY", "_PAT")
}

// collectors are hosts that exist to receive what somebody else sends.
var collectors = setOf("webhook.site", "requestbin.com", "requestbin.net", "pipedream.net", "requestcatcher.com", "burpcollaborator.net", "oastify.com", "oast.fun",
	"oast.live", "oast.site", "oast.online", "oast.pro", "oast.me", "interact.sh", "interactsh.com", "canarytokens.com", "beeceptor.com", "hookb.in", "ngrok.io", "ngrok-free.app",
	"ngrok.app", "requestrepo.com", "webhookinbox.com", "dnslog.cn", "ceye.io", "pastebin.com", "hastebin.com", "transfer.sh", "file.io", "0x0.st")

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// collecting reports whether a host is a collector or below one: all of them are names of two labels.
func collecting(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot < 0 {
		return false
	}
	return collectors[host[strings.LastIndexByte(host[:dot], '.')+1:]]
}

// showing are hosts of everybody that draw what their address says, or show what it names. Nobody else reads what they are
// asked for, unless the address has them fetch another. A place for a secret is one, wherever it goes.
var showing = setOf("img.shields.io", "mermaid.ink", "plantuml.com", "www.plantuml.com", "kroki.io", "quickchart.io", "latex.codecogs.com", "youtube.com", "www.youtube.com", "youtu.be")

var passingOn = mustIndex("url=", "http", "%3a%2f%2f", "/redirect", "={{", "=${", "/{{", "/${")

// hostName returns the host of an authority as a client looks it up: in lower case, without user, port, escapes and
// final dots.
func hostName(authority string) string {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	host, _, _ = strings.Cut(host, ":")
	if strings.IndexByte(host, '%') >= 0 {
		if plain, err := url.PathUnescape(host); err == nil {
			host = plain
		}
	}
	if strings.IndexByte(host, wideDots[0][0]) >= 0 || strings.IndexByte(host, wideDots[1][0]) >= 0 {
		host = narrowDots.Replace(host)
	}
	return strings.TrimRight(strings.ToLower(host), ".")
}

// carrier looks at what a URL carries: a long opaque value in an image or a link, a payload for a collector.
func (sc *scan) carrier(start, hostAt int, rest string) {
	named := sc.placeholderAfter(hostAt+len(rest), rest)
	for strings.HasPrefix(rest, "/") {
		// Clients read any number of slashes as two.
		hostAt, rest = hostAt+1, rest[1:]
	}
	hostEnd := 0
	for hostEnd < len(rest) && !authorityEnds[rest[hostEnd]] {
		hostEnd++
	}
	if hostEnd == len(rest) {
		rest = rest[:hostExtent(rest)]
		hostEnd = len(rest)
	}
	tail := rest[hostEnd:]
	for len(tail) > 0 && strings.IndexByte(".,;:!?'*_", tail[len(tail)-1]) >= 0 {
		tail = tail[:len(tail)-1]
	}
	if i := strings.IndexByte(tail, ')'); i >= 0 && start > 0 && sc.text[start-1] == '(' {
		// The address of a Markdown link ends with the bracket that was opened for it.
		tail = tail[:i]
	}
	query := ""
	if i := strings.IndexByte(tail, '?'); i >= 0 {
		query = tail[i+1:]
	}
	host := hostName(rest[:hostEnd])
	collector := len(host) >= minCollector && collecting(host)
	image, link := sc.embedding(start)
	if !image && !link {
		image, link = sc.otherEmbedding(start, hostAt+len(rest))
		link = link && !worded(query)
	}
	if !collector && !image && (!link || sc.enough(detLink, Review)) {
		// An address that nothing fetches and nobody is to follow, or one more of them.
		return
	}
	if !collector && !named && plainAddress(rest) {
		return
	}
	if !named && showing[host] && !passingOn.any(tail) && !asksForData(rest) {
		return
	}
	template := named || templated(query)
	opaque := opaqueIn(query, 24) || opaqueLabel(host)
	path := !opaque && opaqueIn(tail, 40) && opaqueIn(undigested(tail), 40)
	pieces := !opaque && !path && opaquePieces(query)
	asked := !template && asksForData(rest)
	if !collector && !template && !opaque && !path && !pieces && !asked {
		return
	}
	opaque, template = opaque || image && pieces, template || image && asked
	switch end := hostAt + hostEnd + len(tail); {
	case collector && (template || opaqueIn(query, 12) || image && query != ""):
		sc.review(detCollector, start, end, Block)
	case image && template:
		sc.review(detImage, start, end, Block)
	case image && (opaque || path) && !signed(query):
		sc.add(detImage, start, end)
	case link && (template || opaque) && !signed(query):
		sc.review(detLink, start, end, Review)
	case collector && query != "":
		sc.add(detCollector, start, end)
	case (image || link) && opaque:
		sc.review(detLink, start, end, Note)
	}
}

var authorityEnds = newCharset("/?#")

// plainAddress reports whether nothing in an address, from its host on, can be opaque or ask for data, as in nearly all of them:
// there are letters and digits, in pieces that are short or words.
func plainAddress(rest string) bool {
	ends := hostPieceEnds
	for i := 0; ; i++ {
		end := extent(rest, i, len(rest), setPiece)
		if end-i >= minPiece && extent(rest, i, end-i, setWordPiece) < end {
			return false
		}
		if i = end; i == len(rest) {
			return true
		}
		if !ends[rest[i]] {
			return false
		}
		if authorityEnds[rest[i]] {
			ends = pieceEnds
		}
	}
}

// setPiece are the characters of such a piece, setWordPiece those of a word. The others stand between pieces, fewer in a host.
var (
	setPiece      = newCharset(lowerLetters + upperLetters + digitChars + "-")
	setWordPiece  = newCharset(lowerLetters + "-")
	hostPieceEnds = newCharset(".:/?#")
	pieceEnds     = newCharset(".:/?#&=),;!'")
)

// undigested returns the path of an address without the first of its parts that is a digest of a commit or a file, or an
// identifier, maybe with its number in front: hosts of code and pictures name what they keep by one.
func undigested(path string) string {
	var b []byte
	known := false
	for part := range strings.SplitSeq(path, "/") {
		name, _, _ := strings.Cut(part, ".")
		if i := strings.IndexByte(name, '-'); i > 0 && of(name, 0, i, setDigits) {
			name = name[i+1:]
		}
		if n := len(name); !known && (isUUID(name) || (n == 40 || n == 64) && of(name, 0, n, setHex)) {
			known = true
			continue
		}
		b = append(append(b, '/'), part...)
	}
	return string(b)
}

// templated reports whether a query has a value that is yet to be filled in: ={x}, =${x}, =[x], =<x>.
func templated(query string) bool {
	for {
		i := strings.IndexByte(query, '=')
		if i < 0 || i+1 == len(query) {
			return false
		}
		switch query = query[i+1:]; query[0] {
		case '{', '[', '<':
			return true
		case '$':
			if len(query) > 1 && query[1] == '{' {
				return true
			}
		}
	}
}

// embedding tells whether the URL at byte start is the address of an image, which is fetched unasked, or of a
// link, in Markdown or HTML.
func (sc *scan) embedding(start int) (image, link bool) {
	text := sc.text
	// An address may stand in angle brackets, and behind blanks.
	at := start - boolInt(start > 0 && text[start-1] == '<')
	for n := 0; n < 3 && at > 0 && text[at-1] == ' '; n++ {
		at--
	}
	if at > 1 && text[at-1] == '(' && text[at-2] == ']' {
		i := sc.brackets.before(linkOpens, text, at)
		return i > 0 && at-i < 200 && text[i] == '[' && text[i-1] == '!', true
	}
	if at > 1 && text[at-1] == ':' && text[at-2] == ']' {
		// The address of a Markdown reference, which an image or a link may name.
		return sc.pictureNames(at - 2), true
	}
	if imports.end(text[max(0, start-maxImport):start]) {
		return true, false
	}
	if !sc.angled {
		return false, false
	}
	i := sc.tags.before(tagEnds, text, start)
	if i < 0 || start-i > maxTag || text[i] == '>' {
		return false, false
	}
	tag := text[i+1 : start]
	if oneOf(tag, imageTags[:]) > 0 || hasFoldPrefix(tag, "link ") && sheetWords.any(tag) && !fingerprinted(text[start:min(len(text), start+maxURL)]) {
		return true, false
	}
	return false, oneOf(tag, linkTags[:]) > 0
}

func hasFoldSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && hasFoldPrefix(s[len(s)-len(suffix):], suffix)
}

// What the text of a link and a tag begin with, or cannot go beyond.
var linkOpens, tagEnds = newCharset("[\n"), newCharset("<>")

// maxImport is no less than the length of any of imports, in bytes.
const maxImport = 16

// maxTag is how far before an address its tag is looked for, in bytes.
const maxTag = 1024

var (
	imageTags = [...]string{"img", "image", "iframe", "video", "object", "embed", "source", "use ", "audio", "input", "body ", "meta ", "picture", "track "}
	linkTags  = [...]string{"a ", "a\n", "form", "area ", "base ", "button"}
	imports   = newEndings("@import url('", "@import '", "@import \"", "url(", "url(\"", "url('") // of style sheets
)

// signed reports whether a query is that of a signed address of a content network or an object store.
func signed(query string) bool {
	for {
		if oneOf(query, signatures[:]) > 0 {
			return true
		}
		i := strings.IndexByte(query, '&')
		if i < 0 {
			return false
		}
		query = query[i+1:]
	}
}

// signatures are the parameters of signed addresses.
var signatures = [...]string{"x-amz-signature=", "x-goog-signature=", "x-goog-credential=", "key-pair-id=", "sig=", "signature=", "hmac=", "expires=", "se=", "token=exp",
	"verify=", "hash=", "s=", "ixid=", "ixlib=", "oh=", "jwt="}

// What the script of a data: address has, and what a picture must have before it can run any.
var (
	scriptWords = newFinder("<script", "%3cscript", "javascript:", "onload=", "onerror=", "onclick=", "fetch(", "eval(", "document.", "window.", "xmlhttprequest")
	svgWords    = newFinder("script", "onload", "base64")
)

// Bounds of a data: address, in bytes: of what stands before its comma, and of what is read of it.
const (
	maxDataHead = 128
	maxDataURI  = 4096
)

// dataURI looks at a data: address whose type can run script.
func (sc *scan) dataURI(at int) {
	text := sc.text
	end := min(len(text), at+maxDataURI)
	comma := strings.IndexByte(text[at:min(end, at+maxDataHead+1)], ',')
	if comma < 0 || sc.full(detDataURI) {
		return
	}
	head, start := text[at:at+comma], at+comma+1
	if hasFoldPrefix(head, "data:image/svg") && !sc.svg.within(svgWords.first, text, at, end) {
		return
	}
	found := false
	if base64Word.any(head) {
		found = scriptWords.any(decodePrefix(text[start:end]))
	} else {
		found = sc.scripts.within(scriptWords.first, text, start, end)
	}
	if found {
		sc.add(detDataURI, at, start)
	}
}

var base64Word = mustIndex("base64")

// linkScripts are what a javascript: address in a link does when it is up to something.
var linkScripts = newFinder("fetch(", "xmlhttprequest", "document.cookie", "location=", "eval(", "atob(", "sendbeacon")

// maxScriptURI is how much of a javascript: address is read, in bytes.
const maxScriptURI = 160

// scriptURI looks at an address in a link that is script.
func (sc *scan) scriptURI(at, end int) {
	if at == 0 || strings.IndexByte("(\"'=", sc.text[at-1]) < 0 {
		return
	}
	if sc.links.within(linkScripts.first, sc.text, at, at+maxScriptURI) {
		sc.add(detDataURI, at, end)
	}
}
