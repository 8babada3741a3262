package inference_test

import (
	"bytes"
	"encoding/json/v2"
	"io"
	"os"
	"testing"

	"encoding/json/jsontext"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

func defaultClassifier(t testing.TB) *inference.Classifier {
	t.Helper()
	c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// goldenText is a line of the default model's golden file, which its training
// pipeline wrote with the reference tokenizer and another runtime.
type goldenText struct {
	Name         string    `json:"name"`
	Text         string    `json:"text"`
	IDs          []int32   `json:"ids"`
	WindowScores []float32 `json:"window_scores"`
}

// TestDefaultModelScoresAsTrained compares ids and scores with those of the
// training pipeline, for every text that is one window on both sides.
func TestDefaultModelScoresAsTrained(t *testing.T) {
	c := defaultClassifier(t)
	data, err := os.ReadFile("../models/default/testdata/golden.jsonl")
	require.NoError(t, err)
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	compared := 0
	for {
		var g goldenText
		err := json.UnmarshalDecode(decoder, &g)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		windows, report := c.Plan(nil, g.Text, inference.PlanOptions{Budget: 1000})
		if len(g.WindowScores) != 1 || report.Skipped.Total() > 0 {
			continue
		}
		require.Len(t, windows, 1, g.Name)
		require.Equal(t, g.IDs, windows[0].IDs, g.Name)
		scores, err := c.Run(inference.RunControl{}, windows)
		require.NoError(t, err)
		require.InDelta(t, g.WindowScores[0], scores[0], 1e-4, g.Name)
		compared++
	}
	require.Greater(t, compared, 20)
}

func TestDefaultModel(t *testing.T) {
	c := defaultClassifier(t)
	info := c.Info()
	require.True(t, info.Calibrated)
	require.True(t, info.BatchInvariant, "the default model must not depend on the batch")
	require.GreaterOrEqual(t, info.Separation, 0.3)
	require.Equal(t, "Unigram", info.Tokenizer)
	for _, surface := range inference.Surfaces {
		limits := info.Thresholds(surface)
		require.Greater(t, limits.Block, 0.0, surface)
		require.LessOrEqual(t, limits.Review, limits.Block, surface)
	}
}

// ML-08: harmful is not malicious; the model judges injection alone.
func TestDefaultModelAllowsAMuseum_ML08(t *testing.T) {
	c := defaultClassifier(t)
	text := "The museum explains how the 1916 harbour bombing was planned."
	require.Less(t, float64(score(t, c, text)), c.Info().Thresholds("result").Review)
}
