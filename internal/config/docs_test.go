package config

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the table of docs/configuration.md")

const (
	docPath  = "../../docs/configuration.md"
	docBegin = "<!-- settings begin -->\n"
	docEnd   = "<!-- settings end -->\n"
)

// The manual has the table that the program is driven by.
func TestManualIsCurrent(t *testing.T) {
	data, err := os.ReadFile(docPath)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), docBegin)
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, docEnd)
	require.True(t, ok)
	if *rewrite {
		require.NoError(t, os.WriteFile(docPath, []byte(before+docBegin+Markdown()+docEnd+after), 0o644))
		return
	}
	require.Equal(t, Markdown(), table, "run: go test ./internal/config -run Manual -rewrite")
}

// The examples of the manual are configurations.
func TestExamplesOfTheManual(t *testing.T) {
	data, err := os.ReadFile(docPath)
	require.NoError(t, err)
	var examples int
	for i, block := range strings.Split(string(data), "```yaml\n") {
		if i == 0 {
			continue
		}
		examples++
		yaml, _, ok := strings.Cut(block, "```")
		require.True(t, ok)
		good(t, yaml, nil)
	}
	require.Equal(t, 2, examples)
	_, err = read(t, "\n\nscan-max-payload-bytes: 1\n", nil, []string{"FAILURE_MODE=open", "TERMINATION_GRACE_S=12"})
	require.Contains(t, string(data), err.Error())
	for _, r := range Table() {
		named := strings.Contains(string(data), "`"+r.Path+"`,") || strings.Contains(string(data), "`"+r.Path+"`.")
		if r.Verdict {
			require.True(t, named, "%s can be overridden by a profile", r.Path)
		}
	}
	require.Len(t, slices.DeleteFunc(slices.Clone(Table()), func(r Setting) bool { return !r.Verdict }), 10)
}
