package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/inference"
)

func windowsOf(lengths ...int) []inference.Window {
	out := make([]inference.Window, len(lengths))
	for i, n := range lengths {
		out[i].IDs = make([]int32, n)
		for k := range out[i].IDs {
			out[i].IDs[k] = int32(i + 1)
		}
	}
	return out
}

func TestInOrderPadsToTheLongest(t *testing.T) {
	b := inOrder(windowsOf(3, 1, 2, 5), 2)
	require.Len(t, b.runs, 2)
	require.Equal(t, []int64{1, 1, 1, 2, 0, 0}, b.runs[0].IDs)
	require.Equal(t, []int64{1, 1, 1, 1, 0, 0}, b.runs[0].Mask)
	require.Equal(t, 11, b.tokens)
	require.Equal(t, 16, b.padded)
	require.InDelta(t, 5.0/16, b.padding(), 1e-9)
}

func TestPerfectBatches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 512), 0, 200).Draw(rt, "lengths")
		budget := rapid.IntRange(1, 1024).Draw(rt, "budget")
		b := perfect(windowsOf(lengths...), budget)
		rows, tokens, last := 0, 0, 1<<30
		for _, run := range b.runs {
			require.LessOrEqual(rt, run.Length, last, "the longest first")
			last = run.Length
			require.True(rt, run.Rows == 1 || run.Rows*run.Length <= budget)
			rows += run.Rows
			for _, m := range run.Mask {
				tokens += int(m)
			}
		}
		want := 0
		for _, n := range lengths {
			want += n
		}
		require.Equal(rt, len(lengths), rows)
		require.Equal(rt, want, tokens)
		require.Equal(rt, want, b.tokens)
		require.GreaterOrEqual(rt, b.padded, b.tokens)
	})
}
