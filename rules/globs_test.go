package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGlobs(t *testing.T) {
	g, err := CompileGlobs([]string{"pay*", "mail", "db?"})
	require.NoError(t, err)
	for name, want := range map[string]bool{
		"payments": true, "pay": true, "mail": true, "mailer": false, "db1": true, "db": false, "Mail": false, "": false,
	} {
		require.Equal(t, want, g.Match(name), name)
	}
	require.True(t, Globs(nil).Empty())
	require.False(t, Globs(nil).Match("x"))
	for _, bad := range []string{"", strings.Repeat("x", maxPatternBytes+1)} {
		_, err := CompileGlobs([]string{bad})
		require.Error(t, err)
	}
}

// Classes and choices belong to other globs. Read literally they would match nothing, and nobody would be told.
func TestForeignGlobsAreRefused(t *testing.T) {
	for _, bad := range []string{"get_[ab]*", "[!a]?", "{shell,exec}*", "*[", "]*[", "a{b", "CORP\\*"} {
		foreign := strings.ContainsAny(bad, "]}") && bad[0] != ']'
		_, globs := CompileGlobs([]string{bad})
		_, allow := NewACL([]string{bad}, nil)
		_, deny := NewACL(nil, []string{"git/" + bad})
		_, pack := compilePattern(bad + "*")
		for where, err := range map[string]error{"globs": globs, "allow": allow, "deny": deny, "pack": pack} {
			if foreign {
				require.ErrorContains(t, err, "a glob knows * and ? alone", "%s %s", where, bad)
			} else {
				require.NoError(t, err, "%s %s", where, bad)
			}
		}
	}
	p, err := compilePattern("list[str]")
	require.NoError(t, err, "without a wildcard it is a name")
	require.True(t, p.match("list[str]"))
}
