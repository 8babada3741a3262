package content

import "strings"

// unmarkStep leaves out the markup at i, or takes the text up to where some may begin: the tags, comments and emphasis
// that cut words and phrases for whoever reads the source and not for who sees the page.
func unmarkStep(src string, i int, ends *commentEnds) (int, string) {
	if n, to := markAt(src, i, ends); n > 0 {
		return n, to
	}
	end := until(src, i+1, markByte)
	return end - i, src[i:end]
}

// markByte are the bytes that markup begins with.
var markByte = newCharset("<*_~`{}[]\\-\"'")

// Bounds of markup, in bytes: a tag or the address of a link, and a comment.
const (
	maxMark    = 256
	maxComment = 1024
)

// markAt returns the length of the markup at byte i, 0 for none, and what stands for it: a space where it sets words
// apart.
func markAt(src string, i int, ends *commentEnds) (int, string) {
	s := src[i:]
	switch s[0] {
	case '<':
		if strings.HasPrefix(s, "<!--") {
			if end := ends.after(src, i+4) + len(commentEnd); end <= min(len(src), i+maxComment) {
				return end - i, ""
			}
			return 0, ""
		}
		return tagAt(s)
	case '*', '`':
		n := repeated(s)
		if i > 0 && src[i-1] > ' ' || n < len(s) && s[n] > ' ' {
			return n, ""
		}
	case '_', '~':
		if n := repeated(s); n > 1 {
			return n, ""
		}
	case '{', '}', '[':
		return 1, ""
	case ']':
		if len(s) > 1 && s[1] == '(' {
			if end := strings.IndexByte(s[:min(len(s), maxMark)], ')'); end > 0 && strings.IndexByte(s[:end], '\n') < 0 {
				return end + 1, ""
			}
		}
		return 1, ""
	case '\\':
		if len(s) > 1 && s[1] == '\n' {
			return 2, ""
		}
		n := 1
		for n < len(s) && n < maxLeet && isLetter(s[n]) {
			n++
		}
		if n > 2 && n < len(s) && s[n] == '{' {
			return n + 1, ""
		}
		if n > 2 {
			return 1, ""
		}
	case '"', '\'':
		return literalGap(s), ""
	case '-':
		if len(s) > 2 && s[1] == '\n' && isLetter(s[2]) && i > 0 && isLetter(src[i-1]) {
			return 2, ""
		}
	}
	return 0, ""
}

// maxLiteralGap bounds what stands between two string literals that are put together, in bytes.
const maxLiteralGap = 16

// literalGap returns the length of what stands between two string literals that a program puts together, from the
// closing mark of one, where s begins, to the opening mark of the other; 0 when nothing does.
func literalGap(s string) int {
	marks := 0
	for n := 1; n < len(s) && n < maxLiteralGap; n++ {
		switch c := s[n]; {
		case c == s[0] && n > 1:
			return n + 1
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\':
		case (c == '+' || c == '.' || c == '&') && marks < 2:
			marks++
		default:
			return 0
		}
	}
	return 0
}

// repeated returns how often the first byte of s is repeated at its start.
func repeated(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// tagAt returns the length of the tag at the start of s and what it looks like.
func tagAt(s string) (int, string) {
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	start := i
	for i < len(s) && i-start < maxLeet && isAlnum(s[i]) {
		i++
	}
	if i == start || !isLetter(s[start]) {
		return 0, ""
	}
	for end := i; end < len(s) && end < maxMark; end++ {
		switch s[end] {
		case '<':
			return 0, ""
		case '>':
			if block, _ := blockTags.meaning(s[start:i]); block {
				return end + 1, " "
			}
			return end + 1, ""
		}
	}
	return 0, ""
}

// blockTags are the elements that set apart what is before them and in them.
var blockTags = newWordTable(wordSet("p br div td th tr li ul ol dl dt dd h1 h2 h3 h4 h5 h6 hr table tbody thead section article header footer main nav aside pre blockquote option select form body html head title script style figure figcaption details summary option label button iframe"))

// commentEnds remembers where a comment ends, so that a text full of openings is searched once.
type commentEnds struct {
	from, at int
	known    bool
}

// after returns the first place at or after i where a comment ends, the length of text when there is none. Calls come with
// rising i, nearly always.
func (c *commentEnds) after(text string, i int) int {
	if !c.known || i < c.from || i > c.at {
		c.from, c.at, c.known = i, i+findCommentEnd(text[i:]), true
	}
	return c.at
}

const commentEnd = "-->"

var findCommentEnd = finding(commentEnd)

// cuts reports whether the markup at byte i stands inside a word.
func (sc *scan) cuts(text string, i int) bool {
	if c := text[i]; c == '[' || c == ']' || c == '\\' || c == '*' && (i+1 == len(text) || text[i+1] != '*') || (c == '{' || c == '}') && (i+1 == len(text) || text[i+1] != '}') {
		// Programs have these inside what they name.
		return false
	}
	for range 4 {
		n, to := markAt(text, i, &sc.comments)
		if n == 0 || to != "" {
			return false
		}
		if i += n; i == len(text) {
			return false
		}
		if isAlnum(text[i]) {
			return true
		}
		if !markByte[text[i]] {
			return false
		}
	}
	return false
}

// unmark queues the view without markup, where that cuts words or stands in a phrase that may be an order.
func (sc *scan) unmark(v *view) {
	if sc.marked {
		var ends commentEnds
		sc.stepView(v, ViewUnmarked, 0, func(src string, i int) (int, string) { return unmarkStep(src, i, &ends) })
	}
}

// markedFrom notes that markup stands close behind byte i, where a phrase or a key goes on.
func (sc *scan) markedFrom(i int) {
	if sc.marked || sc.v.label == ViewUnmarked {
		return
	}
	end := min(len(sc.text), i+markReach)
	for i = max(i, sc.marks); i < end; i++ {
		if c := sc.text[i]; markByte[c] && c != '_' && (c != '"' && c != '\'' || overLiterals(sc.text[i:min(len(sc.text), i+maxLiteralGap)]) > 0) && (c != '-' || strings.HasPrefix(sc.text[i:], "-\n")) {
			sc.marked = true
			return
		}
	}
	sc.marks = end
}

// markReach is how far behind the verb of an order markup is looked for, in bytes.
const markReach = 40

// markKeywords are the words of such orders with markup at one of their ends.
func markKeywords() []keyword {
	var k []keyword
	mark := func(sc *scan, _ int) { sc.marked = true }
	for _, w := range [...]string{"system", "prompt", "instructions", "previous", "your"} {
		for _, m := range [...]string{"<", "*", "`", "}", "~~", "__"} {
			k = append(k, keyword{text: w + m, look: mark})
		}
	}
	return k
}
