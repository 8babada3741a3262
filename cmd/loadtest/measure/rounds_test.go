package measure

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedianAndBest(t *testing.T) {
	for name, c := range map[string]struct {
		in           []float64
		median, best float64
	}{
		"none": {nil, 0, 0},
		"one":  {[]float64{4}, 4, 4},
		"odd":  {[]float64{9, 1, 5}, 5, 9},
		"even": {[]float64{4, 1, 2, 9}, 3, 9},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.median, Median(c.in))
			require.Equal(t, c.best, Best(c.in))
		})
	}
}

func TestRatiosAreOfOneRound(t *testing.T) {
	require.Equal(t, []float64{0.5, 2}, Ratios([]float64{1, 3, 4}, []float64{2, 0, 2}))
	require.Empty(t, Ratios([]float64{1}, nil))
}

func TestEveryoneTakesEveryTurn(t *testing.T) {
	for _, n := range []int{1, 2, 4, 7, 8} {
		ahead := map[[2]int]int{} // how often one runs before the other
		for place := range n {
			seen := map[int]bool{}
			for round := range 2 * n {
				order := Turn(n, round)
				seen[order[place]] = true
				for _, after := range order[place+1:] {
					ahead[[2]int{order[place], after}]++
				}
			}
			require.Len(t, seen, n)
		}
		for pair, times := range ahead {
			require.Equal(t, n, times, "%d before %d, of %d", pair[0], pair[1], n)
		}
	}
}
