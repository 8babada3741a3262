package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCovered(t *testing.T) {
	var zero time.Time
	at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		spans [][2]int
		want  int
	}{
		"none":           {nil, 0},
		"inside":         {[][2]int{{20, 30}}, 10},
		"overlapping":    {[][2]int{{20, 40}, {30, 50}}, 30},
		"nested":         {[][2]int{{20, 60}, {30, 40}, {50, 55}}, 40},
		"out of order":   {[][2]int{{50, 60}, {20, 30}}, 20},
		"beyond the end": {[][2]int{{0, 20}, {90, 120}}, 20},
		"outside":        {[][2]int{{0, 5}, {200, 210}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var spans []span
			for _, s := range c.spans {
				spans = append(spans, span{at(s[0]), at(s[1])})
			}
			require.Equal(t, time.Duration(c.want)*time.Millisecond, covered(at(10), at(100), spans))
		})
	}
}

func TestIdealWaits(t *testing.T) {
	ms := func(n ...int) []time.Duration {
		out := make([]time.Duration, len(n))
		for i := range n {
			out[i] = time.Duration(n[i]) * time.Millisecond
		}
		return out
	}
	queue := []arrival{
		{0, ms(10)},                           // starts at once
		{0, ms(10)},                           // waits 10 for one server, not at all for two
		{100 * time.Millisecond, ms(5, 5, 5)}, // its own windows after each other are no wait
		{101 * time.Millisecond, ms(1)},
	}
	require.Equal(t, ms(0, 10, 0, 14), idealWaits(queue, 1))
	require.Equal(t, ms(0, 0, 0, 4), idealWaits(queue, 2))
}
