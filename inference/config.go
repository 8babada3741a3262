package inference

import (
	"encoding/json/v2"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// modelConfig is what is read of config.json.
type modelConfig struct {
	ModelType    string            `json:"model_type"`
	VocabSize    int               `json:"vocab_size"`
	MaxPositions int               `json:"max_position_embeddings"`
	PadTokenID   *int              `json:"pad_token_id"`
	ID2Label     map[string]string `json:"id2label"`
	NumLabels    *int              `json:"num_labels"`
}

const configFile = "config.json"

func readConfig(s Source) (modelConfig, error) {
	var c modelConfig
	data, err := s.read(configFile, "the model's configuration")
	if err != nil {
		return c, err
	}
	bad := func(want, format string, args ...any) error {
		return &LoadError{File: s.path(configFile), Reason: fmt.Sprintf(format, args...), Want: want}
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, &LoadError{File: s.path(configFile), Reason: fmt.Sprintf("is not a model configuration: %v", err), Err: err}
	}
	if c.MaxPositions < 8 || c.MaxPositions > 1<<20 {
		return c, bad("from 8 to 1048576", "max_position_embeddings is %d", c.MaxPositions)
	}
	if c.VocabSize < 0 {
		return c, bad("a positive number", "vocab_size is %d", c.VocabSize)
	}
	return c, nil
}

// maxTokens is the longest window in ids. Models of the RoBERTa family number
// their positions from behind the padding id, so the first ones are not usable.
func (c modelConfig) maxTokens() int {
	switch c.ModelType {
	case "roberta", "xlm-roberta", "camembert":
		pad := 1
		if c.PadTokenID != nil {
			pad = *c.PadTokenID
		}
		return c.MaxPositions - pad - 1
	}
	return c.MaxPositions
}

// labels returns the labels in the order of the outputs.
func (c modelConfig) labels(s Source) ([]string, error) {
	if len(c.ID2Label) == 0 {
		n := 2 // the libraries' default
		if c.NumLabels != nil {
			n = *c.NumLabels
		}
		if n < 1 || n > 1000 {
			return nil, &LoadError{File: s.path(configFile), Reason: fmt.Sprintf("num_labels is %d", n), Want: "two labels or more"}
		}
		labels := make([]string, n)
		for i := range labels {
			labels[i] = "LABEL_" + strconv.Itoa(i)
		}
		return labels, nil
	}
	labels := make([]string, len(c.ID2Label))
	for key, label := range c.ID2Label {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(labels) || labels[i] != "" || label == "" {
			return nil, &LoadError{File: s.path(configFile), Reason: fmt.Sprintf("id2label has the entry %q: %q", key, label), Want: "the numbers from 0, each with a name"}
		}
		labels[i] = label
	}
	return labels, nil
}

// maliciousNames are the labels that mean an attack, in any case.
var maliciousNames = []string{"MALICIOUS", "INJECTION", "JAILBREAK"}

// maliciousLabel returns the output that is the probability of an attack.
// wanted is the operator's choice, or empty.
func maliciousLabel(s Source, labels []string, wanted string) (int, error) {
	found := "labels are " + strings.Join(slices.Sorted(slices.Values(labels)), ", ")
	bad := func(want string) error {
		return &LoadError{File: s.path(configFile), Reason: found, Want: want}
	}
	if len(labels) < 2 {
		return 0, bad("at least two")
	}
	if wanted != "" {
		if i := slices.IndexFunc(labels, func(l string) bool { return strings.EqualFold(l, wanted) }); i >= 0 {
			return i, nil
		}
		return 0, bad(fmt.Sprintf("the configured label %q among them", wanted))
	}
	var hits []int
	for i, l := range labels {
		for _, name := range maliciousNames {
			if strings.EqualFold(l, name) {
				hits = append(hits, i)
			}
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		return 0, bad("one of " + strings.Join(maliciousNames, ", ") + ", or MODEL_LABEL to choose")
	case len(labels) == 2 && strings.EqualFold(labels[1], "LABEL_1"):
		return 1, nil
	}
	return 0, bad("one of " + strings.Join(maliciousNames, ", ") + ", or LABEL_1 of two, or MODEL_LABEL to name the malicious one")
}
