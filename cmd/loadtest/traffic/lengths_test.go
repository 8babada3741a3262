package traffic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLengthsHitTheirQuantiles(t *testing.T) {
	for name, l := range map[string]Lengths{"descriptions": Descriptions, "arguments": Arguments, "results": Results} {
		t.Run(name, func(t *testing.T) {
			for _, q := range l {
				require.Equal(t, int(q.Chars), l.At(q.P))
			}
			require.Equal(t, l.At(0), l.At(-1))
			require.Equal(t, l.At(1), l.At(2))
		})
	}
}

func TestLengthsRise(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.Float64Range(0, 1).Draw(rt, "a"), rapid.Float64Range(0, 1).Draw(rt, "b")
		if a > b {
			a, b = b, a
		}
		if Results.At(a) > Results.At(b) {
			rt.Fatalf("the %v quantile is longer than the %v quantile", a, b)
		}
	})
}

func TestMixDrawsItsParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string][]int{}
	const n = 20_000
	for range n {
		surface, chars := MCP.pick(r)
		seen[surface] = append(seen[surface], chars)
	}
	require.Len(t, seen, 3)
	for _, p := range MCP.Parts {
		require.InDelta(t, p.Weight, float64(len(seen[p.Surface]))/n, 0.02, p.Surface)
		lengths := seen[p.Surface]
		slices.Sort(lengths)
		require.InEpsilon(t, p.Lengths.At(0.5), lengths[len(lengths)/2], 0.1, p.Surface)
		require.InEpsilon(t, p.Lengths.At(0.9), lengths[len(lengths)*9/10], 0.2, p.Surface)
	}
}

func TestMixes(t *testing.T) {
	got, err := Mixes("long, short")
	require.NoError(t, err)
	require.Equal(t, []string{"long", "short"}, []string{got[0].Name, got[1].Name})
	_, err = Mixes("medium")
	require.ErrorContains(t, err, `"medium"`)
}
