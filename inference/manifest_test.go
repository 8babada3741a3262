package inference_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
)

func TestManifestSurvivesARewrite(t *testing.T) {
	data := onnxtest.Files(t, onnxtest.Good)[inference.ManifestFile].Data
	m, err := inference.ParseManifest(data)
	require.NoError(t, err)
	require.Equal(t, "none", m.Calibration.Set)
	require.Contains(t, m.Calibration.Rest, "notes")
	text, err := m.Encode()
	require.NoError(t, err)
	again, err := inference.ParseManifest(text)
	require.NoError(t, err)
	require.Equal(t, m.Thresholds, again.Thresholds)
	require.Equal(t, m.Files, again.Files)
	require.Len(t, again.Calibration.Rest, 1)
	second, err := again.Encode()
	require.NoError(t, err)
	require.Equal(t, string(text), string(second))

	empty, err := inference.Manifest{}.Encode()
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(empty))
}

func TestParseManifestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                             "EOF",
		`[]`:                           "array",
		`{"format":3}`:                 "format 3",
		`{"windows":{"tokens":-1}}`:    "negative",
		`{"windows":{"overlap":-0.1}}`: "windows.overlap is -0.1",
		`{"windows":{"overlap":0.6}}`:  "windows.overlap is 0.6",
		`{"clear":0}`:                  "clear is 0, want above 0 and below 1",
		`{"clear":1}`:                  "clear is 1, want above 0 and below 1",
		`{"clear":"0.1"}`:              "clear",
		`{"clear":0.5,"thresholds":{"default":{"block":0.9,"review":0.5},"result":{"block":0.5,"review":0.5}}}`: "clear is 0.5, want below thresholds.result.block, which is 0.5",
		`{"clear":0.1,"thresholds":{"default":{"block":0.9,"review":0.5,"clear":0.9}}}`:                         "thresholds.default.clear is 0.9, want above 0 and below block, which is 0.9",
		`{"clear":0.1,"thresholds":{"default":{"block":0.9,"review":0.5,"clear":-1}}}`:                          "thresholds.default.clear is -1, want above 0",
		`{"thresholds":{"default":{"block":0.9,"review":0.5,"clear":0.2}}}`:                                     `thresholds.default.clear is 0.2, but there is no "clear" for other surfaces`,
		`{"thresholds":{"result":{"block":0.9,"review":0.5}}}`:                                                  `no "default"`,
		`{"thresholds":{"default":{"block":0.9,"review":0}}}`:                                                   "0 < review",
		`{"thresholds":{"default":{"block":1.5,"review":0.5}}}`:                                                 "0 < review",
		`{"thresholds":{"default":{"block":0.9,"review":0.5},"x":{"block":1,"review":1}}}`:                      `unknown surface "x"`,
		`{"thresholds":{"default":{"block":0.9,"reviews":0.5}}}`:                                                "reviews",
		`{"files":{"model.onnx":"12"}}`:                                                                         "no SHA-256",
		`{"files":{"../model.onnx":"` + zeros + `"}}`:                                                           "not another file",
		`{"files":{"sallyport.json":"` + zeros + `"}}`:                                                          "not another file",
		`{"calibration":{"documents":"many"}}`:                                                                  "documents",
	} {
		_, err := inference.ParseManifest([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"format":1,"clear":0.25,"thresholds":{"default":{"block":0.9,"review":0.5}},"calibration":{"set":"x","y":[1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := inference.ParseManifest(data)
		if err != nil {
			return
		}
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := inference.ParseManifest(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func TestASurfaceMayHaveItsOwnClearingThreshold(t *testing.T) {
	m, err := inference.ParseManifest([]byte(`{"clear":0.6,"thresholds":{"default":{"block":0.9,"review":0.5},"result":{"block":0.5,"review":0.5,"clear":0.2}}}`))
	require.NoError(t, err, "the one for all need not be below the block threshold of a surface with its own")
	i := inference.Info{Clear: *m.Clear, Surfaces: m.Thresholds}
	require.InDelta(t, 0.2, i.ClearAt("result"), 0)
	require.InDelta(t, 0.6, i.ClearAt("params"), 0)
	require.InDelta(t, 0.6, i.ClearAt(inference.DefaultSurface), 0)
	require.Zero(t, inference.Info{}.ClearAt("result"))
	data, err := m.Encode()
	require.NoError(t, err)
	again, err := inference.ParseManifest(data)
	require.NoError(t, err)
	require.Equal(t, m, again)
}
