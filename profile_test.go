package sallyport

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/rules"
)

func TestThresholdsAreScores(t *testing.T) {
	for _, bad := range []decision.Profile{
		{BlockAt: 7}, {BlockAt: -0.1}, {ReviewAt: math.NaN()}, {BlockAt: math.Inf(1)}, {BlockAt: 0.5, ReviewAt: 0.6},
	} {
		_, err := compileProfiles(bad, nil)
		require.ErrorContains(t, err, "default profile: ", bad)
		_, err = compileProfiles(decision.Profile{}, []ScopedProfile{{}, {Profile: bad}})
		require.ErrorContains(t, err, "profile 1 ", bad)
	}
	for _, good := range []decision.Profile{{}, {BlockAt: 1, ReviewAt: 1}, {ReviewAt: 0.5}, {BlockAt: 0.5, ReviewAt: 0.4}} {
		_, err := compileProfiles(good, []ScopedProfile{{Profile: good}})
		require.NoError(t, err, good)
	}
}

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
