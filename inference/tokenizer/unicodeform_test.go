package tokenizer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

var forms = map[string]unicodeForm{
	"NFC": {}, "NFD": {decompose: true}, "NFKC": {compat: true}, "NFKD": {compat: true, decompose: true},
}

func normalized(n normalizer, text string) *aligned {
	var src, dst aligned
	src.load(text)
	return n.normalize(&src, &dst)
}

// joining are runes that join, reorder or fall apart.
var joining = rapid.SampledFrom([]rune("aeoq \u0301\u0316\u0327\u0338\u05b0\u05b1\u093c\u0915\u09c7\u09be\u0344\u1100\u1105\u1161\u1165\u11a8\u11af\uac00\uac01\ub7ec\u3133\u314f\uffa9\uffc6\u00e9\u1e69\u212b\ufb01\ufdfa\u2000\u3000\uff76\uff9e\u30ab\u3099\U0001d15e\U00011131\U00011127"))

// Both ways of normalising a segment agree, and agree with golang.org/x/text
// where its bound on marks is not reached.
func TestNormalFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(joining, 0, 20).Draw(t, "text"))
		for name, n := range forms {
			want := n.form().String(text)
			if got := string(normalized(n, text).text); got != want {
				t.Fatalf("%s of %+q is %+q, want %+q", name, text, got, want)
			}
			if got := string(n.appendLong(nil, []byte(text))); got != want {
				t.Fatalf("%s of %+q by hand is %+q, want %+q", name, text, got, want)
			}
		}
	})
}

func TestSpansOfNormalForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(joining, 0, 60).Draw(t, "text"))
		for name, n := range forms {
			a := normalized(n, text)
			if len(a.from) != len(a.text) || len(a.to) != len(a.text) || !utf8.Valid(a.text) {
				t.Fatalf("%s of %+q: %d bytes, %d and %d spans", name, text, len(a.text), len(a.from), len(a.to))
			}
			for i := 1; i < len(a.text); i++ {
				if a.from[i] < a.from[i-1] || a.to[i] < a.to[i-1] {
					t.Fatalf("%s of %+q: spans go back at %d: %v %v", name, text, i, a.from, a.to)
				}
			}
		}
	})
}

func TestNormalFormsKeepSpans(t *testing.T) {
	a := normalized(unicodeForm{compat: true}, "x\ufb01\u2000e\u0301y")
	require.Equal(t, "xfi \u00e9y", string(a.text))
	require.Equal(t, []int32{0, 1, 1, 4, 7, 7, 10}, a.from)
	require.Equal(t, []int32{1, 4, 4, 7, 10, 10, 11}, a.to)
}

// golang.org/x/text inserts a joiner after thirty marks; the reference does not.
func TestManyMarksStayTogether(t *testing.T) {
	marks := strings.Repeat("\u0316\u0301", 400)
	a := normalized(unicodeForm{}, "a"+marks+"b")
	require.NotContains(t, string(a.text), "\u034f")
	require.Equal(t, "\u00e1"+strings.Repeat("\u0316", 400)+strings.Repeat("\u0301", 399)+"b", string(a.text))
}

func TestCompositionSkipsWhatIsNew(t *testing.T) {
	for text, want := range map[string]string{
		"\u32ff":       "\u32ff",       // an era that is younger than the reference
		"\u1885\u0301": "\u1885\u0301", // a letter there, a mark since
	} {
		require.Equal(t, want, string(normalized(unicodeForm{compat: true}, text).text))
	}
	require.Equal(t, norm.NFKC.String("\u32fe"), string(normalized(unicodeForm{compat: true}, "\u32fe").text))
}
