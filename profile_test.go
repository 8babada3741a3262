package sallyport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/rules"
)

// TestAProfileOfAServiceNeedsOne: a profile that names services decides about an exchange of all of them, and about none
// that names no service.
func TestAProfileOfAServiceNeedsOne(t *testing.T) {
	g, err := rules.CompileGlobs([]string{"web*"})
	require.NoError(t, err)
	require.True(t, matchesAll(g, []string{"web1", "web2"}))
	require.False(t, matchesAll(g, []string{"web1", "mail"}))
	require.False(t, matchesAll(g, nil))
	require.True(t, matchesAll(rules.Globs{}, nil), "no list is every service")
}
