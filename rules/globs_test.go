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
}

// Classes and choices belong to other globs. Read literally they would match nothing, and nobody would be told.
func TestForeignGlobsAreRefused(t *testing.T) {
	for _, bad := range []string{"", "get_[ab]*", "[!a]?", "{shell,exec}*", "*[", "]*[", "a{b", "CORP\\*", "!x", "'x'", "a|b", "x\u200b", strings.Repeat("x", 257)} {
		_, globs := CompileGlobs([]string{bad})
		_, allow := NewACL([]string{bad}, nil)
		_, deny := NewACL(nil, []string{"git/" + bad})
		require.Error(t, globs, bad)
		require.Error(t, allow, bad)
		if bad != "!x" && bad != "'x'" { // they begin no glob here
			require.Error(t, deny, bad)
		}
	}
	// In a pack a pattern is also for arguments, so a lone bracket or a backslash is no mistake.
	for bad, foreign := range map[string]bool{"get_[ab]*": true, "{shell,exec}*": true, "*[": false, "a{b*": false, "CORP\\*": false} {
		_, err := compilePattern(bad)
		require.Equal(t, foreign, err != nil, bad)
	}
	p, err := compilePattern("list[str]")
	require.NoError(t, err, "without a wildcard it is a name")
	require.True(t, p.match("list[str]"))
}
