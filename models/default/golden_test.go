package defaultmodel_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	"github.com/sallyport-mcp/sallyport/inference/tokenizer"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// golden is one text with what the training pipeline made of it.
type golden struct {
	Name         string    `json:"name"`
	Label        int       `json:"label"`
	Text         string    `json:"text"`
	IDs          []int32   `json:"ids"` // of the whole text, control tokens included
	Windows      int       `json:"windows"`
	WindowScores []float64 `json:"window_scores"`
	Score        float64   `json:"score"`
}

func goldens(t *testing.T) []golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.jsonl")
	require.NoError(t, err)
	var out []golden
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g golden
		require.NoError(t, json.Unmarshal(lines.Bytes(), &g))
		out = append(out, g)
	}
	require.NoError(t, lines.Err())
	require.GreaterOrEqual(t, len(out), 60)
	return out
}

func TestTokenIDsEqualThoseOfTraining(t *testing.T) {
	raw, err := fs.ReadFile(defaultmodel.FS(), "tokenizer.json")
	require.NoError(t, err)
	tok, err := tokenizer.Parse(raw)
	require.NoError(t, err)
	for _, g := range goldens(t) {
		t.Run(g.Name, func(t *testing.T) {
			ids := append([]int32{}, tok.Prefix()...)
			for _, token := range tok.Encode(nil, g.Text) {
				ids = append(ids, token.ID)
			}
			require.Equal(t, g.IDs, append(ids, tok.Suffix()...))
		})
	}
}

// Ids are those of training, cut into one window, so this compares the runtime
// and the exported weights with the reference, without window planning.
func TestScoresEqualThoseOfTraining(t *testing.T) {
	c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	var windows []inference.Window
	var want []golden
	for _, g := range goldens(t) {
		if g.Windows == 1 {
			windows = append(windows, inference.Window{IDs: g.IDs})
			want = append(want, g)
		}
	}
	require.Greater(t, len(want), 50)
	scores, err := c.Run(inference.RunControl{}, windows)
	require.NoError(t, err)
	for i, g := range want {
		require.InDelta(t, g.Score, float64(scores[i]), 1e-4, g.Name)
	}
}

// mistaken are the harmless golden texts that the gate is known to take for attacks. It
// decides nothing by itself, but none may be added unnoticed, and one that the next
// gate gets right is to be taken off.
var mistaken = []string{"italian"}

func TestGoldenTextsFallOnTheRightSide(t *testing.T) {
	c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	limit := load(t).Thresholds["result"]
	blocked, hostile := 0, 0
	var wrong []string
	for _, g := range goldens(t) {
		windows, _ := c.Windows(nil, g.Text, math.MaxInt)
		top := 0.0
		if len(windows) > 0 {
			scores, err := c.Run(inference.RunControl{}, windows)
			require.NoError(t, err)
			for _, s := range scores {
				top = max(top, float64(s))
			}
		}
		if g.Label == 0 {
			if top >= limit.Block {
				wrong = append(wrong, g.Name)
			}
			continue
		}
		hostile++
		require.GreaterOrEqual(t, top, limit.Review, "%s is an attack", g.Name)
		if top >= limit.Block {
			blocked++
		}
	}
	require.Equal(t, mistaken, wrong)
	require.GreaterOrEqual(t, 3*blocked, 2*hostile, "%d of %d attacks reach the block threshold", blocked, hostile)
}
