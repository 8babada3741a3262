package rules

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDefaultPackIsDocumented: one section a rule, in the pack's order, each beginning with its kind and action.
func TestDefaultPackIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/rules/default-pack.md")
	require.NoError(t, err)
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^## ([a-z0-9-]+)\n\n\*([a-z]+), ([a-z]+)\.\*`).FindAllStringSubmatch(string(page), -1) {
		got = append(got, fmt.Sprint(m[1:]))
	}
	p, err := Default()
	require.NoError(t, err)
	var want []string
	for _, r := range p.Rules() {
		want = append(want, fmt.Sprint([]string{r.Name, r.Kind.String(), r.Action.String()}))
	}
	require.Equal(t, want, got)
}

// TestManualIsTrue runs what the manual shows: its packs load and pass their tests, and explain prints what the manual says it prints.
func TestManualIsTrue(t *testing.T) {
	page, err := os.ReadFile("../docs/rules.md")
	require.NoError(t, err)
	blocks := map[string][]string{}
	for _, m := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	var sets []*Set
	for _, text := range blocks["yaml"] {
		if !strings.HasPrefix(text, "version: 1\n") {
			continue
		}
		p, err := Parse("pack.yaml", []byte(text))
		require.NoError(t, err, text)
		s, err := p.Compile()
		require.NoError(t, err, text)
		report := s.Test()
		require.Empty(t, report.Failed)
		require.Positive(t, report.Passed)
		sets = append(sets, s)
	}
	require.GreaterOrEqual(t, len(sets), 4)

	require.Len(t, blocks["jsonl"], 1)
	const command = "$ sallyport rules explain pack.yaml trace.jsonl\n"
	shown := ""
	for _, text := range blocks["console"] {
		if rest, ok := strings.CutPrefix(text, command); ok {
			shown = rest
		}
	}
	var b strings.Builder
	require.NoError(t, sets[0].Explain(&b, strings.NewReader(blocks["jsonl"][0])))
	require.Equal(t, b.String(), shown)
}
