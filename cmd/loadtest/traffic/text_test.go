package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSourceRepeatsFromItsSeed(t *testing.T) {
	a, b, other := NewSource(MCP, 0.5, 7), NewSource(MCP, 0.5, 7), NewSource(MCP, 0.5, 8)
	same := 0
	for range 200 {
		x := a.Next()
		require.Equal(t, x, b.Next())
		if x.Text == other.Next().Text {
			same++
		}
	}
	require.Less(t, same, 20)
}

func TestSourceRepeatsTheAskedShare(t *testing.T) {
	for _, share := range []float64{0, 0.3, 0.8} {
		s := NewSource(Short, share, 3)
		seen, repeats := map[string]bool{}, 0
		const n = 5000
		for range n {
			x := s.Next()
			require.Equal(t, x.Repeat, x.Repeat && seen[x.Text], "a repeat was sent before")
			seen[x.Text] = true
			if x.Repeat {
				repeats++
			}
		}
		require.InDelta(t, share, float64(repeats)/n, 0.03)
	}
}

func TestStandingTextsStay(t *testing.T) {
	standing := Standing(Short, 5)
	require.Equal(t, standing, Standing(Short, 5))
	of := map[string]bool{}
	for _, x := range standing {
		require.False(t, x.Repeat)
		of[x.Text] = true
	}
	s, repeats := NewStandingSource(Short, 0.3, standing, 6), 0
	const n = 20_000
	for range n {
		x := s.Next()
		require.Equal(t, x.Repeat, of[x.Text])
		if x.Repeat {
			repeats++
		}
	}
	require.InDelta(t, 0.3, float64(repeats)/n, 0.02)
}

func TestProseHasItsLength(t *testing.T) {
	s := NewSource(MCP, 0, 1)
	for _, n := range []int{0, 1, 17, 300, 20_000} {
		require.Len(t, s.Prose(n), n)
	}
}
