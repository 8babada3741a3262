package values

import (
	"strings"
	"unicode"
)

// URLs returns every URL in every string of v, in order, as written but without line breaks inside: anything with "://" (or the
// backslash forms that clients accept) whose scheme is a plausible one, scheme-relative "//host", special schemes without slashes
// ("https:host"), and names that begin with "www.". URLs in the query of another one (a redirect target) are reported too, and so
// is what shows only when escapes are undone.
func (r Reader) URLs(v any) []string {
	var out []string
	walk(v, 0, func(s string) {
		out = r.readings(out, s, func(out []string, s string) []string { return appendURLs(out, s, 0) })
	})
	return out
}

// lookAhead bounds how far a single candidate is read before it is given up, so that a text full of candidates stays linear.
const lookAhead = 1024

const maxRedirects = 3 // URLs in the query of one another that are looked through

func appendURLs(out []string, s string, layer int) []string {
	if !strings.ContainsAny(s, ":/\\") && !containsWWW(s) {
		return out
	}
	if layer == 0 {
		if trimmed := cleanURL(s); trimmed != s && strings.ContainsAny(s, "\t\r\n") && startsURL(trimmed) && !strings.ContainsAny(trimmed, " ") {
			return appendURLs(out, trimmed, layer) // one URL broken over lines, not a text
		}
	}
	for i := 0; i < len(s); {
		start, end := nextURL(s, i)
		if start < 0 {
			break
		}
		found := trimURL(s[start:end])
		out = append(out, found)
		if j := strings.IndexAny(found, "?#"); layer < maxRedirects && j >= 0 {
			out = appendURLs(out, found[j+1:], layer+1)
		}
		i = end
	}
	return out
}

func startsURL(s string) bool { start, _ := nextURL(s, 0); return start == 0 }

// nextURL finds the next URL in s[from:]; start is -1 when there is none.
func nextURL(s string, from int) (start, end int) {
	for i := from; i < len(s); i++ {
		switch s[i] {
		case ':':
			if start := schemeStart(s, from, i); start >= 0 && authorityFollows(s[start:i], s[i+1:]) {
				return start, urlEnd(s, i+1)
			}
		case '/', '\\':
			// "//host" at the start of a word; in "a//b" it is a path.
			if i+2 < len(s) && isSlash(s[i+1]) && !isSlash(s[i+2]) && boundary(s, from, i) && hostLike(s[i+2:]) {
				return i, urlEnd(s, i+2)
			}
		case 'w', 'W':
			if boundary(s, from, i) && hasFoldPrefix(s[i:], "www.") && hostLike(s[i+4:]) {
				return i, urlEnd(s, i)
			}
		}
	}
	return -1, len(s)
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

func boundary(s string, from, i int) bool {
	if i == from {
		return true
	}
	c := s[i-1]
	return c <= ' ' || strings.IndexByte("\"'`()[]{}<>=,;|", c) >= 0
}

// schemeStart returns where the scheme that ends before s[colon] begins, or -1.
func schemeStart(s string, from, colon int) int {
	i := colon
	for i > from && colon-i < 32 {
		c := s[i-1]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' {
			i--
			continue
		}
		break
	}
	for i < colon && !(s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z') {
		i++
	}
	if i == colon {
		return -1
	}
	return i
}

// authorityFollows reports whether what follows "scheme:" makes it a URL: two slashes for any scheme, and for the web schemes
// whatever their parsers accept, which is any number of slashes of either kind.
func authorityFollows(scheme, rest string) bool {
	trimmed := strings.TrimLeft(rest, "/\\\t\r\n")
	if trimmed == "" || trimmed[0] <= ' ' {
		return false
	}
	if specialSchemes[strings.ToLower(scheme)] {
		return true
	}
	return len(scheme) > 1 && len(rest) > 2 && isSlash(rest[0]) && isSlash(rest[1]) // one letter is a drive
}

func hostLike(s string) bool {
	s = s[:min(len(s), lookAhead)]
	end := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune("/\\?#:\"'<>", r) })
	if end < 0 {
		end = len(s)
	}
	host := s[:end]
	return strings.Contains(strings.Trim(host, "."), ".") || strings.HasPrefix(host, "[") || strings.EqualFold(host, "localhost") ||
		strings.Contains(host, "%2e") || strings.Contains(host, "@") || strings.ContainsAny(host, "\u3002\uff0e\uff61")
}

func urlEnd(s string, from int) int {
	end := strings.IndexFunc(s[from:], func(r rune) bool {
		return r <= ' ' || unicode.IsSpace(r) || strings.ContainsRune("\"<>`|^{}", r)
	})
	if end < 0 {
		return len(s)
	}
	return from + end
}

// trimURL drops punctuation that belongs to the sentence around the URL.
func trimURL(s string) string {
	round := strings.Count(s, ")") - strings.Count(s, "(")
	square := strings.Count(s, "]") - strings.Count(s, "[")
	for len(s) > 0 {
		switch c := s[len(s)-1]; {
		case strings.IndexByte(".,;:!?'", c) >= 0:
		case c == ')' && round > 0:
			round--
		case c == ']' && square > 0:
			square--
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// containsWWW reports whether "www." is in s, letter case ignored.
func containsWWW(s string) bool {
	for from := 0; ; {
		dot := strings.IndexByte(s[from:], '.')
		if dot < 0 {
			return false
		}
		if dot += from; dot >= 3 && strings.EqualFold(s[dot-3:dot], "www") {
			return true
		}
		from = dot + 1
	}
}
