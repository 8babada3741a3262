package values

import (
	"html"
	"strings"
)

// Reader reads addresses out of values. The zero value is ready.
type Reader struct {
	// Unescape undoes one layer of the escapes in which a text travels, and reports whether there were any. It must be pure and
	// linear. Nil undoes percent escapes and HTML entities.
	Unescape func(text string) (plain string, changed bool)
}

// maxUnescape is how many layers of escapes are looked through.
const maxUnescape = 3

// readings appends what find finds in a text as it is written and with each layer of its escapes undone, each answer once. Whether
// the program behind a tool undoes escapes is not known, so both readings count.
func (r Reader) readings(out []string, text string, find func(out []string, text string) []string) []string {
	unescape := r.Unescape
	if unescape == nil {
		unescape = unescapePlain
	}
	begin := len(out)
	out = find(out, text)
	var known map[string]bool
	for range maxUnescape {
		plain, changed := unescape(text)
		if !changed {
			break
		}
		text = strings.ToValidUTF8(plain, "\ufffd")
		for _, found := range find(nil, text) {
			if known == nil {
				known = make(map[string]bool, len(out)-begin)
				for _, s := range out[begin:] {
					known[s] = true
				}
			}
			if !known[found] {
				known[found] = true
				out = append(out, found)
			}
		}
	}
	return out
}

// unescapePlain decodes every valid %XX and every HTML entity, and leaves the rest.
func unescapePlain(text string) (string, bool) {
	plain := text
	if strings.IndexByte(text, '%') >= 0 {
		b := make([]byte, 0, len(text))
		for i := 0; i < len(text); i++ {
			if text[i] == '%' && i+2 < len(text) {
				if hi, lo := unhex(text[i+1]), unhex(text[i+2]); hi >= 0 && lo >= 0 {
					b = append(b, byte(hi<<4|lo))
					i += 2
					continue
				}
			}
			b = append(b, text[i])
		}
		plain = string(b)
	}
	plain = html.UnescapeString(plain)
	return plain, plain != text
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
