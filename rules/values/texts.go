package values

import (
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxDepth bounds the walk through nested values. Payloads are refused far below it before rules run.
const maxDepth = 256

// Texts returns every string anywhere in v, keys of objects included, objects in the order of their sorted keys.
func Texts(v any) []string {
	var out []string
	walk(v, 0, func(s string) { out = append(out, s) })
	return out
}

func walk(v any, depth int, visit func(string)) {
	if depth > maxDepth {
		return
	}
	switch x := v.(type) {
	case string:
		visit(x)
	case []any:
		for _, item := range x {
			walk(item, depth+1, visit)
		}
	case []string:
		for _, item := range x {
			visit(item)
		}
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			visit(k)
			walk(x[k], depth+1, visit)
		}
	case map[string][]string:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			visit(k)
			for _, item := range x[k] {
				visit(item)
			}
		}
	}
}

// Norm brings text into the form in which two spellings of the same words are equal: compatibility characters (full-width,
// ligatures, superscripts) decomposed and recomposed by NFKC, case folded, invisible and control characters removed, runs of
// blanks collapsed to one space, ends trimmed. Letters of other scripts that merely look alike stay different.
func Norm(text string) string {
	// Removing a character can bring combining marks together that compose, so one pass is not always the end; three have always
	// been.
	for range 4 {
		next := normOnce(text)
		if next == text {
			break
		}
		text = next
	}
	return text
}

func normOnce(text string) string {
	// Folding turns a few scripts (Cherokee) to capitals, hence the lower-casing after it; and it can leave text that is not
	// composed any more.
	folded := norm.NFKC.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(text))))
	var b strings.Builder
	b.Grow(len(folded))
	gap := false
	for _, r := range folded {
		switch {
		case unicode.IsSpace(r):
			gap = b.Len() > 0
			continue
		case invisible(r):
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// invisible reports characters that a reader does not see: format and control characters, variation selectors, fillers.
func invisible(r rune) bool {
	switch {
	case unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == utf8Replacement:
		return true
	}
	return false
}

const utf8Replacement = '\ufffd'
