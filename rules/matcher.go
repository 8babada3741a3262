package rules

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxPatternBytes = 1024 // bytes of one pattern
	maxPatterns     = 256  // alternatives of one matcher
)

// pattern is one alternative of a matcher: exact text, a glob, or an RE2 search.
type pattern struct {
	source string
	exact  bool
	glob   *glob
	re     *textRegexp
}

// compilePattern reads the notation of packs: /.../ is an RE2 search, a text with * or ? is a glob, anything else is exact.
// A dotted name is exact: nothing but the slashes makes a regular expression.
func compilePattern(source string) (pattern, error) {
	p := pattern{source: source}
	switch {
	case len(source) > maxPatternBytes:
		return p, fmt.Errorf("pattern of %d bytes; at most %d are allowed", len(source), maxPatternBytes)
	case !utf8.ValidString(source):
		return p, fmt.Errorf("pattern is not valid UTF-8")
	case len(source) >= 2 && source[0] == '/' && source[len(source)-1] == '/':
		expr := source[1 : len(source)-1]
		if expr == "" {
			return p, fmt.Errorf("empty regular expression; write \"*\" to match everything")
		}
		re, err := compileRegexp(expr)
		if err != nil {
			return p, err
		}
		p.re = re
	case strings.ContainsAny(source, "*?"):
		if err := foreignGlob(source); err != nil {
			return p, err
		}
		p.glob = newGlob(source)
	default:
		p.exact = true
	}
	return p, nil
}

// maxRepeat is the largest counted repetition of a pattern. A thousandfold one compiles to megabytes.
const maxRepeat = 100

// compileRegexp compiles an RE2 expression whose program stays small.
func compileRegexp(expr string) (*textRegexp, error) {
	if err := checkRegexpSize(expr); err != nil {
		return nil, err
	}
	re, err := newTextRegexp(expr)
	if err != nil {
		return nil, fmt.Errorf("regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

func (p *pattern) match(s string) bool {
	switch {
	case p.exact:
		return s == p.source
	case p.glob != nil:
		return p.glob.match(s)
	default:
		return p.re.match(s)
	}
}

// matcher is an any-of list of patterns. A nil *matcher matches everything.
type matcher struct {
	patterns []pattern
}

func (m *matcher) match(s string) bool {
	if m == nil {
		return true
	}
	for i := range m.patterns {
		if m.patterns[i].match(s) {
			return true
		}
	}
	return false
}

// matchAny reports whether one of values matches.
func (m *matcher) matchAny(values []string) bool {
	if m == nil {
		return true
	}
	for _, v := range values {
		if m.match(v) {
			return true
		}
	}
	return false
}

// exactNames returns the texts that can match, and false when a glob or a regular expression makes the set open.
func (m *matcher) exactNames() ([]string, bool) {
	if m == nil {
		return nil, false
	}
	names := make([]string, 0, len(m.patterns))
	for i := range m.patterns {
		if !m.patterns[i].exact {
			return nil, false
		}
		names = append(names, m.patterns[i].source)
	}
	return names, true
}

func (m *matcher) sources() []string {
	if m == nil {
		return nil
	}
	out := make([]string, len(m.patterns))
	for i := range m.patterns {
		out[i] = m.patterns[i].source
	}
	return out
}
