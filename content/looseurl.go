package content

import "strings"

// looseURLKeywords open the addresses that clients read although they are not written as addresses are: with
// backslashes, or another number of slashes than two.
func looseURLKeywords() []keyword {
	var k []keyword
	for _, before := range [...]string{"](", "](<", "=\"", "='", "]: ", "(\"", "('"} {
		for _, scheme := range [...]string{"http:", "https:"} {
			k = append(k, keyword{text: before + scheme, look: func(sc *scan, at int) {
				end := at + len(before) + len(scheme)
				if !strings.HasPrefix(sc.text[end:], "//") {
					sc.loose(at+len(before), end)
				}
			}})
		}
		for _, slashes := range [...]string{`\\`, `/\`, `\/`} {
			if text := before + slashes; len(text) > minKeyword {
				k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.loose(at+len(before), at+len(before)) }})
			}
		}
	}
	for _, text := range [...]string{"java\tscript:", "java\nscript:", "java\rscript:", "jav\tascript:"} {
		k = append(k, keyword{text: text, look: func(sc *scan, at int) { sc.scriptURI(at, at+len(text)) }})
	}
	for _, handler := range [...]string{"onerror=", "onload=", "onfocus=", "onmouseover=", "ontoggle=", "onbegin=", "onanimationstart="} {
		k = append(k, keyword{text: handler, look: func(sc *scan, at int) { sc.handler(at, at+len(handler)) }})
	}
	return append(k, keyword{text: "srcdoc=", look: (*scan).srcdoc})
}

// loose looks at the address at byte start, whose slashes, of either kind and any number, begin at byte at.
func (sc *scan) loose(start, at int) {
	text := sc.text
	host := at
	for host < len(text) && host-at < 4 && (text[host] == '/' || text[host] == '\\') {
		host++
	}
	end := host
	for end < len(text) && end-host < maxURL && (setRelative[text[end]] || text[end] == '\\') {
		end++
	}
	if rest := text[host:end]; len(rest) >= minCarrier || !harmless(rest) {
		if strings.IndexByte(rest, '\\') >= 0 {
			rest = strings.ReplaceAll(rest, `\`, "/")
		}
		sc.carrier(start, host, rest)
	}
}

// hostExtent returns the length of the host that rest, which is nothing else, begins with.
func hostExtent(rest string) int {
	n := 0
	for n < len(rest) && !hostEnds[rest[n]] {
		n++
	}
	return n
}

var hostEnds = newCharset(")]'\"*,;!")

// dataWords are what an address is to carry away, by the names that an order gives it.
var dataWords = mustIndex("conversation", "secret", "token", "api_key", "apikey", "api-key", "password", "history", "context", "prompt", "message", "content", "summary", "data", "credential", "chat", "user_", "input", "output", "answer", "response", "encoded", "base64", "stolen", "memory")

// placeholderAfter reports whether an address ends where the name of what it is to carry stands in angle brackets,
// which are no part of addresses.
func (sc *scan) placeholderAfter(end int, rest string) bool {
	text := sc.text
	if end+2 >= len(text) || text[end] != '<' || !isLetter(text[end+1]) || rest == "" || strings.IndexByte("=/", rest[len(rest)-1]) < 0 {
		return false
	}
	name := text[end+1 : min(len(text), end+maxControl)]
	i := strings.IndexByte(name, '>')
	return i > 0 && dataWords.any(name[:i])
}

// asksForData reports whether an address has a place for data anywhere, called by what it is: {conversation}, $DATA,
// INSERT_SECRET_HERE.
func asksForData(rest string) bool {
	for i := 0; i < len(rest); i++ {
		var name string
		switch c := rest[i]; {
		case c == '{' || c == '[':
			end := strings.IndexByte(rest[i:], c+2)
			if end < 0 {
				continue
			}
			name = rest[i : i+end]
		case c == '$' && i+2 < len(rest) && rest[i+1] >= 'A' && rest[i+1] <= 'Z' && rest[i+2] >= 'A' && rest[i+2] <= 'Z':
			name = rest[i:extent(rest, i+1, maxControl, setWord)]
		case c|0x20 == 'i' && hasFoldPrefix(rest[i:], "insert_"):
			name = rest[i:extent(rest, i, maxControl, setWord)]
		default:
			continue
		}
		if dataWords.any(name) {
			return true
		}
		i += len(name) - 1
	}
	return false
}

// Bounds of the script in an attribute, in bytes.
const maxHandler = 240

// handlerReads are what script in an attribute takes, handlerSends how it sends it away.
var (
	handlerReads = newFinder("document.cookie", "localstorage", "sessionstorage", "document.body", "innerhtml", "innertext")
	handlerSends = mustIndex("fetch(", "http:", "https:", "'//", "sendbeacon", "new image", "location", "xmlhttprequest")
)

// handler looks at script that runs unasked and sends away what the page holds.
func (sc *scan) handler(at, end int) {
	if sc.full(detDataURI) || !sc.handled.within(handlerReads.first, sc.text, end, end+maxHandler) {
		return
	}
	stop := min(len(sc.text), end+maxHandler)
	if i := strings.IndexByte(sc.text[end:stop], '>'); i >= 0 {
		stop = end + i
	}
	sends := sc.handledSends.next(handlerSends.first, sc.text, end)
	if sends < stop && handlerSends.any(sc.text[sends:stop]) && handlerReads.any(sc.text[end:stop]) {
		sc.add(detDataURI, at, end)
	}
}

// srcdoc looks at a page in an attribute that runs script.
func (sc *scan) srcdoc(at int) {
	if !sc.enough(detDataURI, Review) && sc.srcdocs.within(findScript, sc.text, at, at+maxHandler) {
		sc.review(detDataURI, at, at+len("srcdoc="), Review)
	}
}

var findScript = newFinder("<script", "&lt;script").first
