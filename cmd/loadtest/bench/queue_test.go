package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/inference"
)

func TestTextsThatNobodyCouldAnswer(t *testing.T) {
	q := &queue{}
	for _, windows := range [][]int{{100}, {512, 512, 300}, {400}} {
		var text []inference.Window
		for _, n := range windows {
			text = append(text, inference.Window{IDs: make([]int32, n)})
		}
		q.add(traffic.Text{}, text)
	}
	for longest, want := range map[int]int{50: 1824, 100: 1724, 400: 1324, 1323: 1324, 1324: 0} {
		require.Equal(t, want, q.beyond(longest), longest)
	}
	slow := &openRun{fraction: 1.5, deadline: 1200 * time.Millisecond, peak: 1000, came: 2000, hopeless: 500}
	require.Equal(t, 1200, slow.longest(1000))
	require.Equal(t, "200 % of the peak; 150 % without the texts that take longer than the deadline by themselves, which nobody could answer", slow.offer())
	slow.fraction, slow.hopeless = 0.7, 0
	require.Zero(t, q.beyond(slow.longest(1)), "below capacity every text counts")
	require.Equal(t, "200 % of the peak", slow.offer())
}
