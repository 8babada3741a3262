package judge_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/models/judge"
)

// metadata is the part of sallyport.json that these tests speak about.
type metadata struct {
	Clear      *float64 `json:"clear"`
	Thresholds map[string]struct {
		Block  float64 `json:"block"`
		Review float64 `json:"review"`
	} `json:"thresholds"`
	Files map[string]string `json:"files"`
}

func load(t *testing.T) metadata {
	t.Helper()
	raw, err := fs.ReadFile(judge.FS(), "sallyport.json")
	require.NoError(t, err)
	var m metadata
	require.NoError(t, json.Unmarshal(raw, &m))
	return m
}

func TestEmbeddedFilesMatchTheirChecksums(t *testing.T) {
	m := load(t)
	require.Len(t, m.Files, 3)
	for name, want := range m.Files {
		raw, err := fs.ReadFile(judge.FS(), name)
		require.NoError(t, err)
		sum := sha256.Sum256(raw)
		require.Equal(t, want, hex.EncodeToString(sum[:]), name)
	}
}

// A judge clears nothing: it is the last to read.
func TestThresholdsAreOrderedAndNothingIsCleared(t *testing.T) {
	m := load(t)
	require.Nil(t, m.Clear)
	for _, surface := range inference.Surfaces {
		limit, ok := m.Thresholds[surface]
		require.True(t, ok, surface)
		require.Greater(t, limit.Review, 0.0, surface)
		require.GreaterOrEqual(t, limit.Block, limit.Review, surface)
		require.Less(t, limit.Block, 1.0, surface)
	}
}

func TestDirectoryStaysSmall(t *testing.T) {
	var total int64
	err := fs.WalkDir(judge.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
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
	require.LessOrEqual(t, total, int64(25_000_000), "the embedded judge must stay under 25 MB")
}
