package content

import (
	"encoding/json/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// flood is an array of n strings of one text.
func flood(t *testing.T, n int, text string) string {
	t.Helper()
	b, err := json.Marshal(slices.Repeat([]string{text}, n))
	require.NoError(t, err)
	return string(b)
}

// TestRefusedMessagesAreReadNoFurther: where a message is refused whatever follows, and has as many findings as are told, the
// rest of it is left unread, and coverage says so. What is told of it is what would have been told first.
func TestRefusedMessagesAreReadNoFurther(t *testing.T) {
	const turned = "a\u202eb"
	secret := `"` + toyToken + `"`
	for name, c := range map[string]struct {
		method, body string
		refused      bool
	}{
		"many that block":       {"tools/call", `{"structuredContent":{"x":` + flood(t, manyFindings, turned) + `,"y":` + secret + `}}`, true},
		"one that blocks":       {"tools/call", `{"structuredContent":{"v":"` + turned + `","x":` + flood(t, manyFindings, "kim@example.org") + `,"y":` + secret + `}}`, true},
		"too few":               {"tools/call", `{"structuredContent":{"x":` + flood(t, manyFindings-2, turned) + `,"y":` + secret + `}}`, false},
		"many, and none blocks": {"tools/call", `{"structuredContent":{"x":` + flood(t, 4*manyFindings, "\u200b1gn0re ") + `,"y":` + secret + `}}`, false},
		"many to be masked":     {"tools/call", `{"structuredContent":{"x":` + flood(t, 4*manyFindings, toyToken) + `,"y":` + secret + `}}`, false},
		"in a tool of a list":   {"tools/list", `{"tools":[{"name":"a","x":` + flood(t, 4*manyFindings, turned) + `},{"name":"b","description":` + secret + `}]}`, false},
		"beside the tools":      {"tools/list", `{"_meta":` + flood(t, manyFindings, turned) + `,"tools":[{"name":"b","description":` + secret + `}]}`, true},
		"a secret in a name":    {"tools/call", `{"structuredContent":{"` + toyToken + `":1,"x":` + flood(t, manyFindings, "kim@example.org") + `,"y":` + secret + `}}`, true},
	} {
		d := parse(t, c.method, SideResponse, c.body)
		all := scanDoc(t, d, SideResponse)
		require.Equal(t, all.Coverage.TotalBytes, all.Coverage.ScannedBytes, name)
		d.RefuseBlocked(false)
		r := scanDoc(t, d, SideResponse)
		require.Equal(t, c.refused, r.Coverage.Partial, name)
		masked := slices.ContainsFunc(r.Findings, func(f Finding) bool {
			return f.Mask == "GITHUB_TOKEN" && (strings.HasSuffix(f.Path, "/y") || strings.HasSuffix(f.Path, "/description"))
		})
		require.Equal(t, !c.refused, masked, name)
		if !c.refused {
			require.Equal(t, all, r, name)
			continue
		}
		require.Equal(t, all.Findings[:manyFindings], r.Findings, name)
		require.Equal(t, "refused", r.Coverage.Reason, name)
		require.Less(t, r.Coverage.ScannedBytes, r.Coverage.TotalBytes, name)
		require.True(t, slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Block && f.Mask == "" && f.Tool < 0 }), name)
	}
}

// TestRefusedTextsHaveNoMoreViews: the text that a message is refused for is read to its end as it is, and not in other ways.
func TestRefusedTextsHaveNoMoreViews(t *testing.T) {
	hidden := "%67hp_" + strings.TrimPrefix(toyToken, "ghp_")
	text := strings.Repeat("a\u202eb ", maxTold) + hidden
	require.NotEmpty(t, paths(scanText(t, text), "github-token"))
	text = strings.Repeat("a\u202eb kim@example.org ", maxTold) + hidden
	require.NotEmpty(t, paths(scanText(t, text), "github-token"))
	d := parse(t, "tools/call", SideResponse, result(text))
	d.RefuseBlocked(false)
	r := scanDoc(t, d, SideResponse)
	require.Empty(t, paths(r, "github-token"))
	require.Equal(t, "refused", r.Coverage.Reason)
	require.Equal(t, r.Coverage.TotalBytes, r.Coverage.ScannedBytes)
}

// TestRefusedToolsAreReadNoFurther: the same holds for a tool of a list where the caller does not pass it, and for no other tool.
func TestRefusedToolsAreReadNoFurther(t *testing.T) {
	turned := flood(t, manyFindings, "a\u202eb")
	body := `{"tools":[{"name":"a","x":` + turned + `,"y":"` + toyToken + `"},{"name":"b","x":"c\u202ed","y":"` + toyToken + `"},{"name":"c","y":"` + toyToken + `"}]}`
	for refuse, want := range map[bool][]string{
		false: {"/tools/0/y", "/tools/1/y", "/tools/2/y"},
		true:  {"/tools/2/y"},
	} {
		d := parse(t, "tools/list", SideResponse, body)
		d.RefuseBlocked(refuse)
		r := scanDoc(t, d, SideResponse)
		require.Equal(t, want, paths(r, "github-token"), refuse)
		require.Len(t, paths(r, "bidi-control"), manyFindings+1, refuse)
		require.Equal(t, refuse, r.Coverage.ScannedBytes < r.Coverage.TotalBytes)
		require.False(t, r.Coverage.Partial, "the others were read")
	}
}
