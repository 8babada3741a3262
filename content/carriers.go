package content

import (
	"strings"
	"unicode/utf8"
)

// Addresses in other markup than Markdown and HTML: reStructuredText, AsciiDoc, BBCode, Org, Textile, the wikis, and
// the messages of chats. Whoever shows such a text fetches its images unasked, as with any other.

// imageBefore are what stands right before the address of an image, linkBefore before that of a link.
var (
	imageBefore = newEndings("image::", "image:", "[img]", "[img=", "image:: ", "figure:: ", "{{", "{{ ")
	linkBefore  = newEndings("[url=", "[url]", "[url=\"", "link:", "[[", "xref:")
)

// endings are what a text may end with, by the last byte.
type endings [utf8.RuneSelf][]string

// newEndings files endings that are written in this package, in lower case.
func newEndings(list ...string) *endings {
	var e endings
	for _, end := range list {
		last := end[len(end)-1]
		e[last] = append(e[last], end)
	}
	return &e
}

// end reports whether s ends with one of them, ASCII case ignored.
func (e *endings) end(s string) bool {
	if s == "" || s[len(s)-1] >= utf8.RuneSelf {
		return false
	}
	for _, end := range e[foldTable[s[len(s)-1]]] {
		if hasFoldSuffix(s, end) {
			return true
		}
	}
	return false
}

// sheetWords are what makes a client fetch what a link element names.
var sheetWords = mustIndex("stylesheet", "prefetch", "preload", "icon")

// fingerprinted reports whether the whole query of an address is one digest in hexadecimal digits, as pages tell versions of
// their style sheets and scripts apart.
func fingerprinted(address string) bool {
	i := strings.IndexAny(address, "?\"'> ")
	if i < 0 || address[i] != '?' {
		return false
	}
	name := extent(address, i+1, longWord, setAlnum)
	if name < len(address) && address[name] == '=' {
		i = name
	}
	end := extent(address, i+1, 65, setAnyHex)
	n := end - i - 1
	return (n == 32 || n == 40 || n == 64) && (end == len(address) || strings.IndexByte("\"'> ", address[end]) >= 0)
}

// longestBefore is no less than any of these, in bytes.
const longestBefore = 12

// otherEmbedding is embedding for such markup. end is where the address ends.
func (sc *scan) otherEmbedding(start, end int) (image, link bool) {
	text := sc.text
	before := text[max(0, start-longestBefore):start]
	if imageBefore.end(before) {
		return true, false
	}
	if strings.HasSuffix(before, "!") && (len(before) == 1 || !isAlnum(before[len(before)-2])) {
		return true, false // of Textile
	}
	if strings.HasSuffix(before, "[[") {
		// Org shows what has no other text, and ends like a picture, as one.
		address := text[start:min(len(text), end+2)]
		i := strings.Index(address, "]]")
		return i > 0 && pictured(address[:i]) && strings.IndexByte(address[:i], '[') < 0, true
	}
	if linkBefore.end(before) {
		return false, true
	}
	if strings.HasSuffix(before, "<") {
		after := text[end:min(len(text), end+3)]
		// <address|text> of chats, `text <address>`_ of reStructuredText.
		return false, strings.HasPrefix(after, "|") || strings.HasPrefix(after, ">`_")
	}
	// address[text] of AsciiDoc.
	if i := strings.IndexByte(text[start:end], '['); i > 0 && start+i+1 < end && isLetter(text[start+i+1]) && text[start+i-1] != '=' {
		rest := text[start+i : min(len(text), start+i+quotedData)]
		j := strings.IndexByte(rest, ']')
		return false, j > 0 && (j+1 == len(rest) || rest[j+1] != '=' && rest[j+1] != '[')
	}
	return false, false
}

// pictured reports whether an address names a picture by its path.
func pictured(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	for _, ending := range [...]string{".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp"} {
		if hasFoldSuffix(path, ending) {
			return true
		}
	}
	return false
}

// referenceReach is how far before its address the picture may stand that names it, in bytes.
const referenceReach = 2048

// pictureNames reports whether a picture names the reference of Markdown whose label ends before byte at, which is the
// bracket that closes it.
func (sc *scan) pictureNames(at int) bool {
	text := sc.text
	from := max(0, at-longestLabel)
	i := strings.LastIndexByte(text[from:at], '[')
	if i < 0 {
		return false
	}
	label := text[from+i : at+1]
	j := strings.LastIndex(text[max(0, from+i-referenceReach):from+i], "]"+label)
	if j < 0 {
		return false
	}
	j += max(0, from+i-referenceReach)
	open := strings.LastIndex(text[max(0, j-quotedBody):j], "![")
	return open >= 0 && strings.IndexByte(text[max(0, j-quotedBody)+open:j], ']') < 0
}

// longestLabel bounds the label of a reference, in bytes.
const longestLabel = 32

// worded reports whether a query is words with escapes or plus signs between them, as of a search.
func worded(query string) bool {
	gaps, piece := 0, 0
	for i := 0; i < len(query); i++ {
		switch {
		case query[i] == '%' && i+2 < len(query):
			i += 2
			fallthrough
		case query[i] == '+':
			gaps, piece = gaps+1, 0
		case !setToken[query[i]]:
			piece = 0
		default:
			if piece++; piece >= minPiece {
				return false
			}
		}
	}
	return gaps >= 3
}
