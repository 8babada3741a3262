package values

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Host returns the host that a client would connect to for a URL: lower-case, in ASCII (IDNA), without user information, port,
// brackets and trailing dot; IPv4 addresses in the dotted form whatever notation they came in. It reads URLs as browsers and
// most HTTP clients do: blanks around and line breaks inside are dropped, a backslash is a slash, any number of slashes may
// follow the scheme. A text without a scheme is read as host[:port][/path]. The answer is "" when there is no host
// (mailto:, data:, a relative path).
func Host(raw string) string {
	s := cleanURL(raw)
	scheme, rest, ok := cutScheme(s)
	switch {
	case ok && opaqueSchemes[scheme]:
		return ""
	case ok:
		s = rest
	}
	if slashed := strings.TrimLeft(s, `/\`); slashed != s {
		if !ok && len(s)-len(slashed) < 2 {
			return "" // a path
		}
		s = slashed
	}
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		s = s[i+1:]
	}
	return canonicalHost(s)
}

// opaqueSchemes have no authority. Everything else that looks like scheme: is followed by one.
var opaqueSchemes = map[string]bool{"mailto": true, "data": true, "javascript": true, "tel": true, "urn": true, "about": true, "blob": true, "sms": true, "cid": true}

// cleanURL drops what URL parsers drop before they look: surrounding blanks and control characters, and tabs and line breaks
// anywhere.
func cleanURL(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' || r == 0xa0 || invisible(r) })
	if strings.ContainsAny(s, "\t\r\n") {
		s = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s)
	}
	return s
}

// cutScheme splits "scheme:rest". A host with a port, "vault:8200", has no scheme: what follows the colon is a number.
func cutScheme(s string) (scheme, rest string, ok bool) {
	i := strings.IndexByte(s, ':')
	if i <= 0 {
		return "", s, false
	}
	for j := range i {
		c := s[j]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (j == 0 || !(c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return "", s, false
		}
	}
	rest = s[i+1:]
	digits := strings.TrimLeft(rest, "0123456789")
	if len(digits) < len(rest) && (digits == "" || strings.ContainsAny(digits[:1], `/\?#`)) {
		return "", s, false
	}
	if !strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, `\`) && strings.Contains(rest, "@") && !opaqueSchemes[strings.ToLower(s[:i])] && !specialSchemes[strings.ToLower(s[:i])] {
		return "", s, false // user:password@host
	}
	return strings.ToLower(s[:i]), rest, true
}

var specialSchemes = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "ftp": true}

// canonicalHost normalises host[:port] or [v6][:port].
func canonicalHost(s string) string {
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return ""
		}
		inside, _, _ := strings.Cut(s[1:end], "%25")
		inside, _, _ = strings.Cut(inside, "%")
		addr, err := netip.ParseAddr(inside)
		if err != nil {
			return ""
		}
		return addr.Unmap().String()
	}
	if addr, err := netip.ParseAddr(s); err == nil {
		return addr.Unmap().WithZone("").String()
	}
	if i := strings.IndexByte(s, ':'); i >= 0 {
		s = s[:i]
	}
	if strings.IndexByte(s, '%') >= 0 {
		if decoded, err := url.PathUnescape(s); err == nil {
			s = decoded
		}
	}
	s = domainName(s)
	if dotted, ok := looseIPv4(s); ok {
		return dotted
	}
	return s
}

var hostProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// domainName brings a domain into lower-case ASCII without a trailing dot. What IDNA refuses is kept in NFKC and lower case.
func domainName(s string) string {
	s = strings.TrimSpace(s)
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		s = strings.ToLower(s)
	} else if ascii, err := hostProfile.ToASCII(dropInvisible(s)); err == nil {
		s = ascii
	} else {
		s = strings.ToLower(norm.NFKC.String(dropInvisible(s)))
	}
	return strings.TrimRight(s, ".")
}

func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
}

// looseIPv4 reads the notations that inet_aton reads and HTTP clients therefore connect to: one to four parts, each decimal, octal
// (leading 0) or hexadecimal (0x), the last one filling what is left.
func looseIPv4(s string) (string, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 || s == "" {
		return "", false
	}
	var value uint64
	for i, part := range parts {
		n, ok := looseNumber(part)
		if !ok {
			return "", false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return "", false
			}
			value = value<<8 | n
			continue
		}
		width := 8 * uint(5-len(parts))
		if n >= 1<<width {
			return "", false
		}
		value = value<<width | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}).String(), true
}

func looseNumber(part string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(part, "0x"):
		part, base = part[2:], 16
		if part == "" {
			return 0, true
		}
	case len(part) > 1 && part[0] == '0':
		part, base = part[1:], 8
	}
	n, err := strconv.ParseUint(part, base, 32)
	return n, err == nil && part[0] != '+'
}

// IsPrivate reports whether a host (host, host:port or a URL) names the machine itself or a network that is not the public
// Internet: loopback, RFC 1918, link-local, unique local and unspecified addresses, IPv4 addresses mapped into IPv6, localhost,
// names without a dot (a service of the same cluster or network), and names under .localhost, .local, .internal, .svc and
// .cluster.local. It decides by parsing: "10.evil.com" is public.
func IsPrivate(host string) bool {
	h := ""
	if strings.Contains(host, "//") || strings.Contains(host, `\\`) {
		h = Host(host)
	} else {
		h = canonicalHost(cleanURL(host))
	}
	if h == "" {
		return false
	}
	if addr, err := netip.ParseAddr(h); err == nil {
		addr = addr.Unmap()
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsLinkLocalMulticast() || addr.IsInterfaceLocalMulticast()
	}
	if !strings.Contains(h, ".") {
		return true
	}
	for _, suffix := range privateSuffixes {
		if strings.HasSuffix(h, suffix) {
			return true
		}
	}
	return false
}

var privateSuffixes = []string{".localhost", ".local", ".internal", ".svc", ".cluster.local"}

// InDomains reports whether the domain of a host or mail address is in the list. An entry is a domain, which matches itself only,
// or "*." and a domain, which matches every name below it but not the domain itself. Addresses may carry a display name; hosts may
// carry a port. An empty or unreadable value is in no domain.
func (r Reader) InDomains(hostOrMail string, list []string) bool {
	domain := r.domainOf(hostOrMail)
	if domain == "" {
		return false
	}
	for _, entry := range list {
		base, below := strings.CutPrefix(strings.TrimSpace(entry), "*.")
		base = canonicalHost(base)
		switch {
		case base == "":
		case below && strings.HasSuffix(domain, "."+base) && len(domain) > len(base)+1:
			return true
		case !below && domain == base:
			return true
		}
	}
	return false
}

func (r Reader) domainOf(s string) string {
	if strings.Contains(s, "://") {
		return Host(s)
	}
	if strings.ContainsAny(s, "@\uff20\ufe6b") {
		addresses := r.Recipients(s)
		if len(addresses) != 1 {
			return "" // none, or several: not one domain
		}
		_, domain, _ := cutLast(addresses[0], "@")
		return canonicalHost(domain)
	}
	return canonicalHost(cleanURL(s))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
