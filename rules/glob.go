package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// glob matches * (any run of characters, none and slashes included) and ? (one character). There is no escape: a name that
// itself contains * or ? is matched with a regular expression.
type glob struct {
	text     string
	prefix   string // the literal text before the first wildcard
	suffix   string // the literal text after the last one
	onlyStar bool   // prefix*suffix
}

func newGlob(text string) *glob {
	first, last := strings.IndexAny(text, "*?"), strings.LastIndexAny(text, "*?")
	return &glob{
		text: text, prefix: text[:first], suffix: text[last+1:],
		onlyStar: first == last && text[first] == '*',
	}
}

// foreignGlob refuses the notations of other globs, which are read as they stand here and so match next to nothing: a list that
// was meant to deny would deny nothing and say so nowhere.
func foreignGlob(text string) error {
	for _, pair := range []string{"[]", "{}"} {
		if i := strings.IndexByte(text, pair[0]); i >= 0 && strings.IndexByte(text[i:], pair[1]) > 0 {
			return fmt.Errorf("glob %q holds %s: a glob knows * and ? alone, and ? stands for any one character", text, pair)
		}
	}
	return nil
}

func (g *glob) match(s string) bool {
	if len(s) < len(g.prefix)+len(g.suffix) || !strings.HasPrefix(s, g.prefix) || !strings.HasSuffix(s, g.suffix) {
		return false
	}
	return g.onlyStar || globMatch(g.text, s)
}

// globMatch is the usual two-pointer match: on a mismatch it returns to the last star and lets it take one more character, which
// is at most len(pattern) x len(s) steps and needs no recursion.
func globMatch(pattern, s string) bool {
	p, i := 0, 0
	star, mark := -1, 0
	for i < len(s) {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			p, i = p+1, i+size
		case p < len(pattern) && pattern[p] == s[i]:
			p, i = p+1, i+1
		case star >= 0:
			_, size = utf8.DecodeRuneInString(s[mark:])
			mark += size
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
