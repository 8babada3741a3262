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
