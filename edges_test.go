package sallyport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
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

// TestAPlaceIsGivenBackWhenMemoryIsMissing: who is shed for its bytes keeps no place.
func TestAPlaceIsGivenBackWhenMemoryIsMissing(t *testing.T) {
	a := newAdmission(2, 10, time.Now, func(int64, int64) {})
	require.Empty(t, a.enter(t.Context(), 10))
	require.Equal(t, telemetry.ShedBytes, a.enter(t.Context(), 5))
	a.leave(10)
	require.Empty(t, a.enter(t.Context(), 1))
	require.Empty(t, a.enter(t.Context(), 1), "both places are free")
}

// TestTheLongestServiceNamesTheTool: whatever the order in which the services are named.
func TestTheLongestServiceNamesTheTool(t *testing.T) {
	for _, services := range [][]string{{"git", "git_hub"}, {"git_hub", "git"}} {
		service, name := nativeTool("git_hub_clone", services)
		require.Equal(t, []string{"git_hub", "clone"}, []string{service, name})
	}
}
