package onnx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// testModels are the models of package onnxtest, which imports this one.
const testModels = "../onnxtest/testdata"

func modelFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testModels, name+".onnx"))
	require.NoError(t, err)
	return data
}

func readHeader(data []byte) (Header, error) {
	return ReadHeader(bytes.NewReader(data), int64(len(data)))
}

func TestReadHeader(t *testing.T) {
	h, err := readHeader(modelFile(t, "model"))
	require.NoError(t, err)
	require.Equal(t, Header{
		IRVersion: 8, Producer: "sallyport-tests", Opset: 14, Domains: map[string]int64{},
		Inputs: []Port{
			{Name: "input_ids", Type: TypeInt64, Dims: []int64{-1, -1}},
			{Name: "attention_mask", Type: TypeInt64, Dims: []int64{-1, -1}},
		},
		Outputs: []Port{{Name: "logits", Type: TypeFloat, Dims: []int64{-1, 2}}},
	}, h)
	_, ok := h.Input("token_type_ids")
	require.False(t, ok)
	mask, ok := h.Input(AttentionMask)
	require.True(t, ok)
	require.Equal(t, int64(TypeInt64), mask.Type)
}

func TestReadHeaderFindsEveryTruncation(t *testing.T) {
	data := modelFile(t, "model")
	refused := 0
	for n := range len(data) {
		if _, err := readHeader(data[:n]); err != nil {
			refused++
		}
	}
	// Only a cut exactly between two top-level fields can pass for a file,
	// and only once the graph is complete.
	require.GreaterOrEqual(t, refused, len(data)-2)
	for _, garbage := range []string{"", "\x00", "PK\x03\x04 zip", "{}", "<html>", "\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		_, err := readHeader([]byte(garbage))
		require.Error(t, err, "%q", garbage)
	}
}

func FuzzReadHeader(f *testing.F) {
	for _, name := range []string{"model", "slow", "external", "opset-99"} {
		f.Add(modelFile(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readHeader(data)
		if err == nil && len(h.Inputs)+len(h.Outputs) > len(data) {
			t.Fatalf("%d ports of %d bytes", len(h.Inputs)+len(h.Outputs), len(data))
		}
	})
}
