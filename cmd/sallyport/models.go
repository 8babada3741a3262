package main

import (
	"fmt"
	"io/fs"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/config"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
	judgemodel "github.com/sallyport-mcp/sallyport/models/judge"
)

// embedded are the models in the binary: one that can read everything and, once it
// says what it clears, stand in front of another; and one to stand behind it, nil
// where there is none.
type embedded struct{ first, second fs.FS }

var inBinary = embedded{first: defaultmodel.FS(), second: judgemodel.FS()}

// models are what MODEL and MODEL_GATE come to: who reads, in which order.
type models struct {
	judge, gate *inference.Source // nil for none
	// wide makes the judge read wide windows: a model of one's own that reads
	// everything by itself.
	wide bool
	// words say it in one line.
	words string
}

// models reads the manifest of the first embedded model and opens nothing.
func (e embedded) models(s *config.Settings) models {
	if s.Model == config.ModelOff {
		return models{words: "none: texts are judged by detectors and rules alone"}
	}
	first := inference.FS(e.first)
	own := s.Model != config.ModelDefault
	var judge inference.Source
	var name string
	switch {
	case own:
		judge, name = inference.Dir(s.Model, s.ModelFile), fmt.Sprintf("the model in %q", s.Model)
	case e.second != nil:
		judge, name = inference.FS(e.second), "the embedded judge"
	default:
		return models{judge: &first, words: "the embedded model reads everything; nothing is in front of it"}
	}
	if !s.ModelGate {
		return models{judge: &judge, wide: own, words: name + " reads everything; MODEL_GATE is off"}
	}
	clear, why := clearing(first)
	switch {
	case clear > 0:
		return models{judge: &judge, gate: &first,
			words: fmt.Sprintf("the embedded model clears windows that score below %v; %s reads the rest", clear, name)}
	case own:
		return models{judge: &judge, wide: true, words: name + " reads everything; " + why}
	}
	return models{judge: &first, words: "the embedded model reads everything; " + why}
}

// clearing is the score below which a model clears, or why it cannot.
func clearing(src inference.Source) (below float64, why string) {
	m, err := inference.ReadManifest(src)
	switch {
	case err != nil:
		return 0, "no gate: " + err.Error()
	case m.Clear == nil:
		return 0, "no gate: the embedded model has no clearing threshold"
	}
	return *m.Clear, ""
}
