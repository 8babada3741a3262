package defaultmodel_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// metadata is the part of sallyport.json that these tests speak about.
type metadata struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	WindowTokens   int    `json:"window_tokens"`
	OverlapTokens  int    `json:"overlap_tokens"`
	BatchInvariant bool   `json:"batch_invariant"`
	Thresholds     map[string]struct {
		Block  float64 `json:"block"`
		Review float64 `json:"review"`
	} `json:"thresholds"`
	SHA256 map[string]string `json:"sha256"`
}

func load(t *testing.T) metadata {
	t.Helper()
	raw, err := fs.ReadFile(defaultmodel.FS(), "sallyport.json")
	require.NoError(t, err)
	var m metadata
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

func TestEmbeddedFilesMatchTheirChecksums(t *testing.T) {
	m := load(t)
	require.Len(t, m.SHA256, 3)
	for name, want := range m.SHA256 {
		raw, err := fs.ReadFile(defaultmodel.FS(), name)
		require.NoError(t, err)
		sum := sha256.Sum256(raw)
		require.Equal(t, want, hex.EncodeToString(sum[:]), name)
	}
}

func TestThresholdsAreOrderedForEverySurface(t *testing.T) {
	m := load(t)
	for _, surface := range []string{"description", "params", "result", "other"} {
		limit, ok := m.Thresholds[surface]
		require.True(t, ok, surface)
		require.Greater(t, limit.Review, 0.0, surface)
		require.GreaterOrEqual(t, limit.Block, limit.Review, surface)
		require.Less(t, limit.Block, 1.0, surface)
	}
	require.True(t, m.BatchInvariant)
	require.Positive(t, m.WindowTokens)
	require.Less(t, m.OverlapTokens, m.WindowTokens)
}

func TestWeightsStaySmall(t *testing.T) {
	var total int64
	err := fs.WalkDir(defaultmodel.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		return nil
	})
	require.NoError(t, err)
	require.LessOrEqual(t, total, int64(8<<20), "the embedded model must stay under 8 MiB")
}
