package inference_test

import (
	"testing"

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
