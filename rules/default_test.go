package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultPack(t *testing.T) {
	p, err := Load("")
	require.NoError(t, err)
	require.Equal(t, "default", p.Name())

	t.Run("passes its own tests", func(t *testing.T) {
		r := p.Test()
		require.NoError(t, r.Err)
		for _, f := range r.Failed {
			t.Error(f)
		}
		require.Positive(t, r.Passed)
	})
	t.Run("has nothing for lint to say", func(t *testing.T) {
		require.Empty(t, p.Lint())
	})
	t.Run("explains every rule", func(t *testing.T) {
		for _, r := range p.Rules() {
			require.Greater(t, len(strings.Fields(r.Description)), 20, "rule %s", r.Name)
		}
	})
}
