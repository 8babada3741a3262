package main

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/config"
)

func TestWhoReads(t *testing.T) {
	manifest := func(text string) fs.FS {
		return fstest.MapFS{inference.ManifestFile: &fstest.MapFile{Data: []byte(text)}}
	}
	plain, clears, wrong, second := manifest(`{}`), manifest(`{"clear":0.25}`), manifest(`{"clear":7}`), manifest(`{"name":"second"}`)
	source := func(f fs.FS) *inference.Source { s := inference.FS(f); return &s }
	own := inference.Dir("/models/own", "model.onnx")
	for _, c := range []struct {
		name        string
		first       fs.FS
		second      fs.FS
		model       string
		gateOff     bool
		judge, gate *inference.Source
		wide        bool
		words       string
	}{
		{"off", clears, second, config.ModelOff, false, nil, nil, false, "none: texts are judged by detectors and rules alone"},
		{"the embedded model alone", clears, nil, config.ModelDefault, false, source(clears), nil, false,
			"the embedded model reads everything; nothing is in front of it"},
		{"own, no clearing threshold", plain, nil, "/models/own", false, &own, nil, true,
			`the model in "/models/own" reads everything; no gate: the embedded model has no clearing threshold`},
		{"own behind a gate", clears, nil, "/models/own", false, &own, source(clears), false,
			`the embedded model clears windows that score below 0.25; the model in "/models/own" reads the rest`},
		{"own, gate off", clears, second, "/models/own", true, &own, nil, true, `the model in "/models/own" reads everything; MODEL_GATE is off`},
		{"own, the manifest is wrong", wrong, nil, "/models/own", false, &own, nil, true,
			`the model in "/models/own" reads everything; no gate: load model "embedded model/sallyport.json": clear is 7, want above 0 and below 1`},
		{"embedded judge", clears, second, config.ModelDefault, false, source(second), source(clears), false,
			"the embedded model clears windows that score below 0.25; the embedded judge reads the rest"},
		{"embedded judge, gate off", clears, second, config.ModelDefault, true, source(second), nil, false, "the embedded judge reads everything; MODEL_GATE is off"},
		{"embedded judge, no clearing threshold", plain, second, config.ModelDefault, false, source(plain), nil, false,
			"the embedded model reads everything; no gate: the embedded model has no clearing threshold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := embedded{c.first, c.second}.models(&config.Settings{Model: c.model, ModelFile: "model.onnx", ModelGate: !c.gateOff})
			require.Equal(t, models{c.judge, c.gate, c.wide, c.words}, got)
		})
	}
}

func TestTheBinaryHoldsWhatItReadsWith(t *testing.T) {
	s := config.Settings{Model: config.ModelDefault, ModelGate: true}
	m := inBinary.models(&s)
	require.NotNil(t, m.judge)
	for _, src := range []*inference.Source{m.judge, m.gate} {
		if src == nil {
			continue
		}
		manifest, err := inference.ReadManifest(*src)
		require.NoError(t, err)
		require.NotEmpty(t, manifest.Name)
	}
}
