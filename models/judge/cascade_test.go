package judge_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// judgeWindows is how many windows the judge reads of a text unless told otherwise.
const judgeWindows = 8

// behind is the judge's score of a text as the sidecar reads it: the gate first, then
// the judge what the gate does not clear, most suspicious first.
func behind(t *testing.T, gate, judge *inference.Classifier, surface, text string) float64 {
	t.Helper()
	windows, _ := gate.Windows(nil, text, math.MaxInt)
	if len(windows) == 0 {
		return 0
	}
	scores, err := gate.Run(inference.RunControl{}, windows)
	require.NoError(t, err)
	order := make([]int, 0, len(windows))
	for i, s := range scores {
		if float64(s) >= gate.Info().ClearAt(surface) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var asked []inference.Window
	for _, i := range order {
		asked, _ = judge.Windows(asked, text[windows[i].Start:windows[i].End], judgeWindows-len(asked))
	}
	top := float32(0)
	for _, w := range asked { // one by one: scores do not depend on it
		one, err := judge.Run(inference.RunControl{}, []inference.Window{w})
		require.NoError(t, err)
		top = max(top, one[0])
	}
	return float64(top)
}

// What ships is the judge behind the gate, so that is what the texts are held against:
// all of them, and those that are not English by themselves.
func TestBehindTheGateTextsAreNoWorseThanTheCommittedFloor(t *testing.T) {
	gate, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gate.Close()) })
	c, limits, want := open(t), load(t).Thresholds, floors(t)
	texts := written(t)
	require.GreaterOrEqual(t, len(texts), 400)
	var all, foreign floor
	for _, x := range texts {
		limit, known := limits[x.Surface]
		require.True(t, known, x.Surface)
		score := behind(t, gate, c, x.Surface, x.Text)
		all.count(x.Label, score, limit.Block, limit.Review)
		if x.Lang != "en" {
			foreign.count(x.Label, score, limit.Block, limit.Review)
		}
	}
	all.noWorse(t, "behind the gate", want.Cascade)
	foreign.noWorse(t, "behind the gate, not English", want.CascadeNotEnglish)
}
