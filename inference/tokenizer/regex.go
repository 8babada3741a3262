package tokenizer

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// The reference runs its patterns with Oniguruma, in Unicode mode. Go's engine
// gives the same matches for the subset that translatePattern lets through;
// everything on which the two differ (anchors, \w, \b, look-around, possessive
// repetition, back references) is refused.

// unicodeSpace is \s in Unicode mode: the property White_Space.
const unicodeSpace = `\t-\r\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`

func translatePattern(pattern string) (string, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); {
		r, size := utf8.DecodeRuneInString(pattern[i:])
		rest := pattern[i+size:]
		switch {
		case r == '\\':
			t, n, err := translateEscape(rest, inClass)
			if err != nil {
				return "", err
			}
			b.WriteString(t)
			size += n
		case inClass && r == '[', inClass && r == '&' && strings.HasPrefix(rest, "&"):
			return "", fmt.Errorf("nested character class in %q", pattern)
		case inClass && r == ']':
			inClass = false
			b.WriteRune(r)
		case !inClass && r == '[':
			inClass = true
			b.WriteRune(r)
			if strings.HasPrefix(rest, "^") {
				b.WriteByte('^')
				size++
				rest = rest[1:]
			}
			if strings.HasPrefix(rest, "]") {
				return "", fmt.Errorf("empty character class in %q", pattern)
			}
		case !inClass && (r == '^' || r == '$'):
			return "", fmt.Errorf("anchor %q", r)
		case !inClass && r == '(' && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:"):
			return "", fmt.Errorf("group %q", pattern[i:min(len(pattern), i+4)])
		case !inClass && r == '{' && (rest == "" || rest[0] < '0' || rest[0] > '9'):
			return "", fmt.Errorf("repetition %q", pattern[i:])
		default:
			b.WriteString(pattern[i : i+size])
		}
		i += size
	}
	return b.String(), nil
}

// translateEscape reads what follows a backslash and returns its translation
// and the number of bytes it read.
func translateEscape(rest string, inClass bool) (string, int, error) {
	if rest == "" {
		return "", 0, fmt.Errorf("trailing backslash")
	}
	wrap := func(s string) string {
		if inClass {
			return s
		}
		return "[" + s + "]"
	}
	switch c := rest[0]; {
	case c == 's':
		return wrap(unicodeSpace), 1, nil
	case c == 'S' && !inClass:
		return "[^" + unicodeSpace + "]", 1, nil
	case c == 'd':
		return `\p{Nd}`, 1, nil
	case c == 'D':
		return `\P{Nd}`, 1, nil
	case strings.IndexByte("tnrfv", c) >= 0:
		return `\` + rest[:1], 1, nil
	case c == 'p' || c == 'P':
		end := strings.IndexByte(rest, '}')
		if len(rest) < 2 || rest[1] != '{' || end < 0 || end > 4 || rest[2] == '^' {
			return "", 0, fmt.Errorf("property %q", `\`+rest[:min(len(rest), 6)])
		}
		return `\` + rest[:end+1], end + 1, nil
	case c < utf8.RuneSelf && strings.IndexByte(`\.+*?()|[]{}^$-/"'!#%&,:;<=>@_`+"`~ ", c) >= 0:
		return `\` + rest[:1], 1, nil
	}
	return "", 0, fmt.Errorf("escape %q", `\`+rest[:1])
}

// newReplaceRegex compiles a Replace step with a pattern.
func newReplaceRegex(pattern, content string) (normalizer, error) {
	translated, err := translatePattern(pattern)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("pattern %q matches the empty string", pattern)
	}
	if n, ok := newReplaceRun(translated, content); ok {
		return n, nil
	}
	return replaceRegex{re, content}, nil
}

// replaceRegex replaces every match of a pattern, left to right.
type replaceRegex struct {
	pattern *regexp.Regexp
	content string
}

func (n replaceRegex) normalize(src, dst *aligned) *aligned {
	m := n.pattern.FindIndex(src.text)
	if m == nil {
		return src
	}
	dst.reset(len(src.text))
	dst.ascii = src.ascii
	done := 0
	for m != nil {
		lo, hi := done+m[0], done+m[1]
		dst.pushSpan(src, done, lo)
		dst.pushMapped(n.content, src.from[lo], src.to[hi-1])
		done = hi
		m = n.pattern.FindIndex(src.text[done:])
	}
	dst.pushSpan(src, done, len(src.text))
	return dst
}

// replaceRun is the shape nearly every file uses, a run of at least so many
// runes of one class (" {2,}", "\s+"), or each single rune of one ("[\u200b-\u200f]"),
// without the regular-expression engine.
type replaceRun struct {
	ascii   [utf8.RuneSelf]bool
	any     bool   // there is one among the ascii
	ranges  []rune // inclusive pairs
	least   int
	single  bool
	content string
}

func newReplaceRun(pattern, content string) (normalizer, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Flags&syntax.NonGreedy != 0 {
		return nil, false
	}
	n := &replaceRun{content: content}
	class := re
	switch {
	case re.Op == syntax.OpCharClass:
		n.least, n.single = 1, true
	case re.Op == syntax.OpPlus:
		n.least = 1
	case re.Op == syntax.OpRepeat && re.Max == -1 && re.Min > 0:
		n.least = re.Min
	default:
		return nil, false
	}
	if !n.single {
		class = re.Sub[0]
	}
	switch sub := class; {
	case sub.Op == syntax.OpCharClass:
		n.ranges = sub.Rune
	case sub.Op == syntax.OpLiteral && len(sub.Rune) == 1 && sub.Flags&syntax.FoldCase == 0:
		n.ranges = []rune{sub.Rune[0], sub.Rune[0]}
	default:
		return nil, false
	}
	for c := range n.ascii {
		n.ascii[c] = n.inRanges(rune(c))
		n.any = n.any || n.ascii[c]
	}
	return n, true
}

func (n *replaceRun) inRanges(r rune) bool {
	lo, hi := 0, len(n.ranges)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case r < n.ranges[2*mid]:
			hi = mid
		case r > n.ranges[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

// run returns the end of the run of class runes at i and how many there are.
func (n *replaceRun) run(text []byte, i int) (end, count int) {
	for i < len(text) && !(n.single && count == 1) {
		c := text[i]
		if c < utf8.RuneSelf {
			if !n.ascii[c] {
				break
			}
			i++
		} else {
			r, size := utf8.DecodeRune(text[i:])
			if !n.inRanges(r) {
				break
			}
			i += size
		}
		count++
	}
	return i, count
}

func (n *replaceRun) normalize(src, dst *aligned) *aligned {
	text := src.text
	if src.ascii && !n.any {
		return src
	}
	done, changed := 0, false
	for i := 0; i < len(text); {
		// Nearly every byte is of no run: not worth a call.
		if c := text[i]; c < utf8.RuneSelf && !n.ascii[c] {
			i++
			continue
		}
		end, count := n.run(text, i)
		if count == 0 {
			_, size := utf8.DecodeRune(text[i:])
			i += size
			continue
		}
		if count >= n.least && string(text[i:end]) != n.content {
			if !changed {
				dst.reset(len(text))
				dst.ascii = src.ascii
				changed = true
			}
			dst.pushSpan(src, done, i)
			dst.pushMapped(n.content, src.from[i], src.to[end-1])
			done = end
		}
		i = end
	}
	if !changed {
		return src
	}
	dst.pushSpan(src, done, len(text))
	return dst
}
