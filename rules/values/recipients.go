package values

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Recipients returns every mail address in every string of v, in order, as local@domain with the domain in lower-case ASCII. It
// looks through lists, objects, display names, comments, comma lists, mailto: URLs and their parameters, escapes, full-width and
// small at signs, blanks around the at sign, quoted local parts and domain literals.
func (r Reader) Recipients(v any) []string {
	var out []string
	walk(v, 0, func(s string) {
		if strings.ContainsAny(s, "@\uff20\ufe6b%&\\") {
			out = r.readings(out, s, appendAddresses)
		}
	})
	return out
}

var atSigns = strings.NewReplacer("\uff20", "@", "\ufe6b", "@")

func appendAddresses(out []string, s string) []string {
	s = atSigns.Replace(s)
	from, last := 0, ""
	for i := 0; i < len(s); i++ {
		if s[i] != '@' {
			continue
		}
		domain, end := addressDomain(s, i+1)
		if domain == "" {
			continue
		}
		if spaced(s, i) && !strings.Contains(domain, ".") {
			continue // "meet @ five" is no address; "bob @ evil.example" is one to a lenient mail server
		}
		local := addressLocal(s, from, i)
		if local == "" && i == from {
			local = last // a@b@c: some mailers deliver to b, some to c
		}
		if local == "" {
			continue
		}
		last = local
		out = append(out, local+"@"+domain)
		from = end
		i = end - 1
	}
	return out
}

func spaced(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+1:])
	return unicode.IsSpace(before) || unicode.IsSpace(after)
}

// addressLocal reads the local part that ends before s[at], not reaching back over from.
func addressLocal(s string, from, at int) string {
	from = max(from, at-lookAhead)
	end := skipBack(s, from, at)
	if end > from && s[end-1] == '"' {
		for i := end - 2; i >= from; i-- {
			if s[i] == '"' && (i == from || s[i-1] != '\\') {
				return s[i:end]
			}
		}
		return ""
	}
	start := end
	for start > from {
		r, size := utf8.DecodeLastRuneInString(s[from:start])
		if !localRune(r) {
			break
		}
		start -= size
	}
	local := norm.NFKC.String(dropInvisible(s[start:end]))
	if i := strings.LastIndexAny(local, "?&"); i >= 0 {
		if _, value, ok := strings.Cut(local[i:], "="); ok {
			local = value // mailto:a@b?cc=c@d
		}
	}
	return strings.Trim(local, ".")
}

// skipBack steps over blanks, invisible characters and one comment before the at sign: "bob (home) @ example.com".
func skipBack(s string, from, at int) int {
	for at > from {
		r, size := utf8.DecodeLastRuneInString(s[from:at])
		switch {
		case unicode.IsSpace(r) || invisible(r):
			at -= size
		case r == ')':
			open := strings.LastIndexByte(s[from:at], '(')
			if open < 0 {
				return at
			}
			at = from + open
		default:
			return at
		}
	}
	return at
}

func localRune(r rune) bool {
	if r >= 0x80 {
		return r != utf8.RuneError && !unicode.IsSpace(r)
	}
	return r > ' ' && r != 0x7f && !strings.ContainsRune("()<>[]:;@\\,\"", r)
}

// addressDomain reads the domain after the at sign and returns where it ends.
func addressDomain(s string, i int) (string, int) {
	s = s[:min(len(s), i+lookAhead)]
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) || invisible(r) {
			i += size
			continue
		}
		if r == '(' {
			if closing := strings.IndexByte(s[i:], ')'); closing > 0 {
				i += closing + 1
				continue
			}
		}
		break
	}
	if i < len(s) && s[i] == '[' {
		end := strings.IndexByte(s[i:], ']')
		if end < 0 {
			return "", i
		}
		literal := s[i+1 : i+end]
		if hasFoldPrefix(literal, "IPv6:") {
			literal = "[" + literal[len("IPv6:"):] + "]"
		}
		return canonicalHost(literal), i + end + 1
	}
	start := i
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !domainRune(r) {
			break
		}
		i += size
	}
	domain := domainName(strings.Trim(s[start:i], ".-"))
	if domain == "" || strings.Contains(domain, "..") {
		return "", i
	}
	return domain, i
}

func domainRune(r rune) bool {
	switch {
	case r == '.' || r == '-' || r == '_':
		return true
	case r < 0x80:
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r == 0x3002 || r == 0xff0e || r == 0xff61:
		return true
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || invisible(r)
}
