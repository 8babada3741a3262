package content

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A text that already is what it would become is no change: the answer is then a pass.
func TestRewriteOfAPlaceholderIsNoChange(t *testing.T) {
	body := `{"content":[{"type":"text","text":"see [REDACTED:X] there"}]}`
	d := parse(t, "tools/call", SideResponse, body)
	at := -1
	for i, s := range d.Strings() {
		if strings.HasPrefix(s.Text, "see ") {
			at = i
		}
	}
	w, err := Rewrite(d, Mutation{Mask: []Finding{{Detector: "x", String: at, Start: 4, End: 16, Mask: "X"}}})
	require.NoError(t, err)
	require.False(t, w.Changed)
	require.Equal(t, body, string(w.Bytes))
}

// Spans that meet inside one character replace it once and whole, however it is written.
func TestRewriteSpansThatMeetInACharacter(t *testing.T) {
	for name, written := range map[string]string{"plain": "a😀b", "escaped": `a\ud83d\ude00b`} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, "tools/call", SideResponse, `["`+written+`"]`)
			w, err := Rewrite(d, Mutation{Mask: []Finding{
				{Detector: "x", String: 0, Start: 0, End: 2, Mask: "X"}, {Detector: "y", String: 0, Start: 2, End: 4, Mask: "Y"}, {Detector: "z", String: 0, Start: 4, End: 6, Mask: "Z"},
			}})
			require.NoError(t, err)
			out, err := Parse(w.Bytes, Limits{})
			require.NoError(t, err, "%s", w.Bytes)
			text := out.Strings()[0].Text
			require.NotContains(t, text, "😀")
			require.NotContains(t, text, "a")
			require.NotContains(t, text, "b")
			require.True(t, strings.HasPrefix(text, "[REDACTED:X]"), text)
			require.True(t, strings.HasSuffix(text, "[REDACTED:Z]"), text)
		})
	}
}

// A fault in where a string lies cannot let out a body that is none: the result is read again, by the limits of what came.
func TestRewriteReadsItsResultAgain(t *testing.T) {
	const body = `{"content":[{"type":"text","text":"mail kim@example.org"}]}`
	for name, tc := range map[string]struct {
		spoil func(d *Document, s *String)
		want  string
	}{
		"as it is":          {spoil: func(*Document, *String) {}},
		"a byte too early":  {func(_ *Document, s *String) { s.Start-- }, "rewrite payload: result: "},
		"deeper than it is": {func(d *Document, _ *String) { d.limits.MaxDepth = 2 }, "rewrite payload: result: "},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, "tools/call", SideResponse, body)
			at := slices.IndexFunc(d.strings, func(s String) bool { return strings.HasPrefix(s.Text, "mail") })
			tc.spoil(d, &d.strings[at])
			w, err := Rewrite(d, Mutation{Mask: []Finding{{Detector: "x", String: at, Start: 0, End: 20, Mask: "X"}}})
			if tc.want == "" {
				require.NoError(t, err)
				require.JSONEq(t, `{"content":[{"type":"text","text":"[REDACTED:X]"}]}`, string(w.Bytes))
				return
			}
			require.ErrorContains(t, err, tc.want)
			require.Nil(t, w.Bytes)
		})
	}
}
