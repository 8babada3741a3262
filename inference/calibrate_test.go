package inference_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
)

func uniform(rng *rand.Rand, n int) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = rng.Float64()
	}
	return scores
}

// The true quantiles of uniform scores are the quantiles themselves, so that
// the promise can be counted.
func TestCalibrateKeepsItsConfidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const rounds = 400
	low := 0
	for range rounds {
		limits, warnings, err := inference.Calibrate(uniform(rng, 2000))
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.LessOrEqual(t, limits.Review, limits.Block)
		require.InDelta(t, 0.995, limits.Block, 0.006, "not far above either")
		if limits.Block < 0.995 {
			low++
		}
	}
	require.LessOrEqual(t, low, rounds*8/100, "5 % of rounds may be below, and some luck")
}

func TestCalibrateWarnsOfFewDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n, warned := range map[int]int{1: 2, 148: 2, 149: 1, 597: 1, 598: 0} {
		scores := uniform(rng, n)
		limits, warnings, err := inference.Calibrate(scores)
		require.NoError(t, err)
		require.Len(t, warnings, warned, "%d documents", n)
		if warned == 2 {
			for _, s := range scores {
				require.Greater(t, limits.Block, s)
			}
		}
	}
	_, warnings, err := inference.Calibrate([]float64{0.5})
	require.NoError(t, err)
	require.Contains(t, warnings[0], "needs 598")
	require.Contains(t, warnings[1], "needs 149")
}

func TestCalibrateRefuses(t *testing.T) {
	for _, scores := range [][]float64{nil, {-0.1}, {1.1}, {0.5, math.NaN()}} {
		_, _, err := inference.Calibrate(scores)
		require.Error(t, err)
	}
	limits, _, err := inference.Calibrate([]float64{1, 1})
	require.NoError(t, err)
	require.InDelta(t, 1, limits.Block, 0, "a probability cannot exceed one")
	limits, _, err = inference.Calibrate([]float64{0, 0})
	require.NoError(t, err)
	require.Positive(t, limits.Review)
}

func TestSaveManifest(t *testing.T) {
	dir := onnxtest.Dir(t, onnxtest.Files(t, onnxtest.Good))
	read := func() inference.Manifest {
		data, err := os.ReadFile(filepath.Join(dir, inference.ManifestFile))
		require.NoError(t, err)
		m, err := inference.ParseManifest(data)
		require.NoError(t, err)
		return m
	}
	m := read()
	m.Thresholds["params"] = inference.Thresholds{Block: 0.8, Review: 0.4}
	require.NoError(t, inference.SaveManifest(dir, m))
	require.Equal(t, m.Thresholds, read().Thresholds)
	require.Equal(t, m.Files, read().Files)
	require.Len(t, read().Calibration.Rest, 1)
	c, err := inference.Open(inference.Dir(dir, ""), inference.Options{RuntimeLib: onnxtest.Library(t)})
	require.NoError(t, err)
	require.InDelta(t, 0.8, c.Info().Thresholds("params").Block, 0)
	require.NoError(t, c.Close())

	m.Thresholds["params"] = inference.Thresholds{Block: 0.3, Review: 0.4}
	require.Error(t, inference.SaveManifest(dir, m), "what could not be read again is not written")
	require.InDelta(t, 0.8, read().Thresholds["params"].Block, 0)
	require.Error(t, inference.SaveManifest(filepath.Join(dir, "absent"), m))
	left, err := filepath.Glob(filepath.Join(dir, "*.json.*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
