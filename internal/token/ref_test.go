package token

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		r := NewRef()
		require.Regexp(t, `^[0-9a-hjkmnp-tv-z]{16}$`, r)
		require.False(t, seen[r])
		seen[r] = true
	}
}
