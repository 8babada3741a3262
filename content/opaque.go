package content

import "strings"

// opaqueIn reports whether s has a value of at least n characters that no one would read: a run of base64 or
// hexadecimal that mixes what words do not mix.
func opaqueIn(s string, n int) bool {
	for i := 0; i < len(s); {
		if !setToken[s[i]] && s[i] != '+' && s[i] != '%' {
			i++
			continue
		}
		start := i
		for i < len(s) && (setToken[s[i]] || s[i] == '+' || s[i] == '%') {
			i++
		}
		switch v := s[start:i]; {
		case i-start < n:
		case strings.IndexByte(v, '%') >= 0:
			for part := range strings.FieldsSeq(unescapedValue(v)) {
				if len(part) >= n && opaqueValue(part) {
					return true
				}
			}
		case opaqueValue(v):
			return true
		}
	}
	return false
}

// opaqueValue reports whether no one would read a value.
func opaqueValue(v string) bool {
	return !isUUID(v) && (mixed(v) && !wordsOrPath(v) || hasMixedCase(v) && strings.IndexByte(v, '-') < 0 && entropy(v) > 4.2)
}

// unescapedValue returns a value with its percent escapes undone, those of marks that base64 does not have as blanks: a search or
// the label of a badge is words with escapes between them.
func unescapedValue(v string) string {
	b := make([]byte, 0, len(v))
	for i := 0; i < len(v); i++ {
		c := v[i]
		if c == '%' && i+2 < len(v) && isHex(v[i+1]) && isHex(v[i+2]) {
			c = hexValue(v[i+1])<<4 | hexValue(v[i+2])
			if i += 2; !setAllB64[c] && c != '=' {
				c = ' '
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// opaqueLabel reports whether the labels of a host name carry data, as in lookups that leak through DNS.
func opaqueLabel(host string) bool {
	pieces := 0
	for more := true; more; {
		var label string
		label, host, more = strings.Cut(host, ".")
		if len(label) < minPiece || !mixed(label) || wordsOrPath(label) || isUUID(label) {
			continue
		}
		if pieces += len(label); len(label) >= 32 || pieces >= minCarried && pieces > len(label) {
			return true
		}
	}
	return false
}

// Bounds of a value that is carried in pieces, in bytes: of one, and of all together.
const (
	minPiece   = 12
	minCarried = 30
)

// opaquePieces reports whether the parameters of a query carry an opaque value in pieces.
func opaquePieces(query string) bool {
	pieces, longest := 0, 0
	for more := strings.IndexByte(query, '&') >= 0; more; {
		var param string
		param, query, more = strings.Cut(query, "&")
		_, v, _ := strings.Cut(param, "=")
		if len(v) >= minPiece && extent(v, 0, len(v), setAllB64) == len(v) && mixed(v) && hasMixedCase(v) && !isUUID(v) && entropy(v) > 3 {
			pieces, longest = pieces+len(v), max(longest, len(v))
		}
	}
	return pieces >= minCarried && pieces > longest
}

// hasMixedCase reports whether ASCII has letters of both cases.
func hasMixedCase(s string) bool {
	upper, lower := false, false
	for i := 0; i < len(s); i++ {
		if isLetter(s[i]) {
			upper, lower = upper || s[i] < 'a', lower || s[i] >= 'a'
		}
	}
	return upper && lower
}
