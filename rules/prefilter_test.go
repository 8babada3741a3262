package rules

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRequired(t *testing.T) {
	for _, tc := range []struct {
		expr string
		want []string
	}{
		{"secret", []string{"secret"}},
		{"(?i)Secret", []string{"secret"}},
		{"a(bc|de)+f", []string{"bc", "de"}},
		{"a(bc|de)f", []string{"abcf", "adef"}},
		{"(?i)(shell|bash)_?(run|exec)", []string{"bash", "shell"}},
		{"x{2,3}abc", []string{"abc"}},
		{"x{2}abc", []string{"xxabc"}},
		{"[xy]z", []string{"xz", "yz"}},
		{"[a-z]z|bc", nil},
		{"(abc)?de", []string{"de"}},
		{`\.(pem|key)$`, []string{".pem", ".key"}},
		{"[a-z]+_history", []string{"_history"}},
		{"abc|.", nil},
		{"(abc)*", nil},
		{"a", nil},
		{"b\u00fccher", nil},
		{"", nil},
	} {
		tree, err := syntax.Parse(tc.expr, syntax.Perl)
		require.NoError(t, err)
		require.ElementsMatch(t, tc.want, required(tree.Simplify()), tc.expr)
	}
}

// A look beforehand must never lose a match: whatever the expression and the text, the answer is that of the expression alone.
func TestLookingBeforeSearchingLosesNothing(t *testing.T) {
	exprs := []string{
		"(?i)secrets?", "(?i)kube|ssh", "abc|abd|xyz", `(?i)(^|[/\s])(\.ssh|\.kube|id_(rsa|dsa))($|[/\s])`, "a+b", "(?i)a[bk]ks", "ab{0,2}c", "(?i)\u00dfk", "(?s)x.*yz",
		`\bget\s+secrets?\b`, "(?i)^(post|put)$",
	}
	for _, expr := range exprs {
		fast, err := newTextRegexp(expr)
		require.NoError(t, err)
		slow := regexp.MustCompile(expr)
		rapid.Check(t, func(t *rapid.T) {
			parts := rapid.SliceOfN(rapid.SampledFrom([]string{
				"secret", "SECRETS", "\u017fecret", "\u212aube", "KUBE", "kub", "s\u017fh", ".ssh", "/.kube/", "id_rsa", "abc", "ab", "d", "xyz", "x", "yz", "a", "bb", "b", "k", "K\u017f", "ks",
				"get", " ", "\n", "post", "PUT", "\u00df", "\u1e9eK", "",
			}), 0, 8).Draw(t, "parts")
			text := strings.Join(parts, "")
			require.Equal(t, slow.MatchString(text), fast.match(text), "%q in %q", expr, text)
		})
	}
}

func FuzzTextRegexp(f *testing.F) {
	f.Add("(?i)(kube|ssh)", "KUBE")
	f.Add("a|bc*|(?i)d\u212a", "dk")
	f.Add("(?:ab){2}", "ABab")
	f.Fuzz(func(t *testing.T, expr, text string) {
		if checkRegexpSize(expr) != nil {
			return
		}
		fast, err := newTextRegexp(expr)
		if err != nil {
			return
		}
		if want := regexp.MustCompile(expr).MatchString(text); want != fast.match(text) {
			t.Fatalf("%q in %q: want %v", expr, text, want)
		}
	})
}
