package defaultmodel_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// regressionText is one hand-written text that the training grammar did not produce.
type regressionText struct {
	Label   int    `json:"label"`
	Surface string `json:"surface"`
	Lang    string `json:"lang"`
	Text    string `json:"text"`
}

// floor is what a model must reach on the regression texts to replace the one
// before: the numbers of texts, and of them attacks at each threshold at least, false
// positives at most. The pipeline writes it (golden.floors).
type floor struct {
	Attacks         int `json:"attacks"`
	AttacksBlocked  int `json:"attacks_blocked"`
	AttacksReviewed int `json:"attacks_reviewed"`
	Benign          int `json:"benign"`
	BenignBlocked   int `json:"benign_blocked"`
	BenignReviewed  int `json:"benign_reviewed"`
}

// The texts are harder than traffic: the attacks are paraphrases, the harmless
// ones were written to be mistaken. So the figures are low, and what counts is
// that they do not get worse unnoticed.
func TestRegressionTextsAreNoWorseThanTheCommittedFloor(t *testing.T) {
	raw, err := os.ReadFile("testdata/regression-floor.json")
	require.NoError(t, err)
	var want floor
	require.NoError(t, json.Unmarshal(raw, &want))
	raw, err = os.ReadFile("testdata/regression.jsonl")
	require.NoError(t, err)
	c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	limits := load(t).Thresholds

	var got floor
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		var x regressionText
		require.NoError(t, json.Unmarshal(lines.Bytes(), &x))
		windows, _ := c.Windows(nil, x.Text, math.MaxInt)
		require.NotEmpty(t, windows, x.Text)
		scores, err := c.Run(inference.RunControl{}, windows)
		require.NoError(t, err)
		top := 0.0
		for _, s := range scores {
			top = max(top, float64(s))
		}
		limit, known := limits[x.Surface]
		require.True(t, known, x.Surface)
		all, blocked, reviewed := &got.Benign, &got.BenignBlocked, &got.BenignReviewed
		if x.Label == 1 {
			all, blocked, reviewed = &got.Attacks, &got.AttacksBlocked, &got.AttacksReviewed
		}
		*all++
		if top >= limit.Block {
			*blocked++
		}
		if top >= limit.Review {
			*reviewed++
		}
	}
	require.NoError(t, lines.Err())
	t.Logf("measured %+v, floor %+v", got, want)
	require.Equal(t, want.Attacks, got.Attacks)
	require.Equal(t, want.Benign, got.Benign)
	require.GreaterOrEqual(t, got.AttacksBlocked, want.AttacksBlocked)
	require.GreaterOrEqual(t, got.AttacksReviewed, want.AttacksReviewed)
	require.LessOrEqual(t, got.BenignBlocked, want.BenignBlocked)
	require.LessOrEqual(t, got.BenignReviewed, want.BenignReviewed)
}
