package content

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestEntropyIsThatOfShannon compares it, to the last bit, with the sum as it is defined: thresholds are whole numbers.
func TestEntropyIsThatOfShannon(t *testing.T) {
	require.Zero(t, entropy(""))
	require.Zero(t, entropy("aaaa"))
	require.InDelta(t, 2.0, entropy("abcdabcd"), 0)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("abcdefghijklmnop0123é"))).Draw(t, "s")
		var count [256]int
		for i := range len(s) {
			count[s[i]]++
		}
		want := 0.0
		for _, c := range count {
			if c > 0 {
				p := float64(c) / float64(len(s))
				want -= p * math.Log2(p)
			}
		}
		require.InDelta(t, want, entropy(s), 0)
	})
}
