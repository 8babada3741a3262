package rules

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// textRegexp is a regular expression that looks before it searches. Most texts that a predicate reads have nothing in common with
// what its expression looks for; the literals of which every match must contain one tell that for a fraction of the price.
type textRegexp struct {
	re       *regexp.Regexp
	literals *literals // nil: nothing is known of what a match contains
}

func newTextRegexp(expr string) (*textRegexp, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &textRegexp{re: re, literals: newLiterals(required(tree.Simplify()))}, nil
}

func (x *textRegexp) match(s string) bool {
	return x.literals.mayMatch(s) && x.re.MatchString(s)
}

const (
	minLiteral  = 2  // bytes of the shortest literal worth looking for
	maxLiterals = 64 // more than that, and the search itself is as good
	maxClass    = 4  // letters of a class that is spelled out
)

// required returns texts in lower case of which every match of tree contains one, or nil when there is no such set.
func required(tree *syntax.Regexp) []string {
	if all := spelled(tree); all != nil {
		return worthwhile(all)
	}
	switch tree.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min == 0 {
			return nil
		}
		return required(tree.Sub[0])
	case syntax.OpConcat:
		// Neighbours that can be spelled out are looked for together.
		var best, run []string
		for _, sub := range tree.Sub {
			all := spelled(sub)
			if all == nil {
				run = nil
				if set := required(sub); better(set, best) {
					best = set
				}
				continue
			}
			if run = product(run, all); run == nil {
				run = all
			}
			if set := worthwhile(run); better(set, best) {
				best = set
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			set := required(sub)
			if set == nil || len(all)+len(set) > maxLiterals {
				return nil
			}
			all = append(all, set...)
		}
		return all
	}
	return nil
}

// spelled returns every text in lower case that tree matches, or nil when there are too many of them, or others than ASCII.
func spelled(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if text := strings.ToLower(string(tree.Rune)); ascii(text) {
			return []string{text}
		}
	case syntax.OpCharClass:
		var all []string
		for i := 0; i+1 < len(tree.Rune); i += 2 {
			for r := tree.Rune[i]; r <= tree.Rune[i+1]; r++ {
				if r >= utf8.RuneSelf || len(all) >= maxClass {
					return nil
				}
				all = append(all, strings.ToLower(string(r)))
			}
		}
		return all
	case syntax.OpCapture:
		return spelled(tree.Sub[0])
	case syntax.OpConcat:
		var all []string
		for i, sub := range tree.Sub {
			texts := spelled(sub)
			if texts == nil {
				return nil
			}
			if i == 0 {
				all = texts
			} else if all = product(all, texts); all == nil {
				return nil
			}
		}
		return all
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			texts := spelled(sub)
			if texts == nil || len(all)+len(texts) > maxLiterals {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// product joins each of heads with each of tails, or returns nil when there are no heads or too many answers.
func product(heads, tails []string) []string {
	if len(heads)*len(tails) > maxLiterals {
		return nil
	}
	var all []string
	for _, h := range heads {
		for _, t := range tails {
			all = append(all, h+t)
		}
	}
	return all
}

func worthwhile(texts []string) []string {
	for _, t := range texts {
		if len(t) < minLiteral {
			return nil
		}
	}
	return texts
}

// better prefers the set whose shortest text is longer: it is met by chance less often.
func better(a, b []string) bool {
	shortest := func(set []string) int {
		n := 0
		for i, s := range set {
			if i == 0 || len(s) < n {
				n = len(s)
			}
		}
		return n
	}
	return shortest(a) > shortest(b)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// literals is a set of lower-case ASCII texts to look for in any letter case.
type literals struct {
	at     [256]uint8 // by byte of the text, in either case: bit n says that a literal has it at its place n
	places uint8      // how many first places at knows of: as many as the shortest literal has, eight at most
	texts  []string
}

func newLiterals(texts []string) *literals {
	if len(texts) == 0 {
		return nil
	}
	l := &literals{places: 8, texts: texts}
	for _, t := range texts {
		l.places = min(l.places, uint8(min(len(t), 8)))
	}
	for _, t := range texts {
		for i := range int(l.places) {
			l.at[t[i]] |= 1 << i
			l.at[upper(t[i])] |= 1 << i
		}
	}
	return l
}

// mayMatch reports whether s contains one of the literals, or a letter that only folding tells from one of theirs.
func (l *literals) mayMatch(s string) bool {
	if l == nil {
		return true
	}
	// Bit n of open says that what begins n bytes ago may be a literal so far.
	open, full := uint8(0), uint8(1)<<(l.places-1)
	odd := false
	for i := range len(s) {
		c := s[i]
		odd = odd || c >= utf8.RuneSelf
		if open = (open<<1 | 1) & l.at[c]; open&full != 0 && l.begins(s[i+1-int(l.places):]) {
			return true
		}
	}
	// The Kelvin sign and the long s are the two letters outside ASCII that fold to ASCII.
	return odd && (strings.Contains(s, "\u212a") || strings.Contains(s, "\u017f"))
}

func (l *literals) begins(s string) bool {
	for _, t := range l.texts {
		if len(s) >= len(t) && strings.EqualFold(s[:len(t)], t) {
			return true
		}
	}
	return false
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
