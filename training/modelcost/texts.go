package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json/v2"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// text is one text of the traffic.
type text struct {
	surface string // a name of inference.Surfaces
	text    string
}

// harmless are the texts of a data folder by their surface.
type harmless struct{ descriptions, arguments, results []string }

// load makes texts of the lengths of MCP traffic from the harmless MCP texts of a data
// folder, each the beginning of one that is long enough: descriptions and results of
// the calibration set and results set aside for it, on which no model was trained, and
// arguments, of which there are only those of the training set.
func load(dir string, count int, seed uint64) ([]text, error) {
	var all harmless
	if err := all.read(filepath.Join(dir, "calibration", "benign-mcp.jsonl.gz"), false); err != nil {
		return nil, fmt.Errorf("load texts: %w", err)
	}
	if err := all.read(filepath.Join(dir, "train", "benign-mcp.jsonl.gz"), true); err != nil {
		return nil, fmt.Errorf("load texts: %w", err)
	}
	return all.draw(count, rand.New(rand.NewPCG(seed, 2))) //nolint:gosec // the same texts each time
}

// setAside is the share of the results of the training set that are kept for
// calibration, by the checksum of the text; see compose.for_calibration.
const setAside = 4

func (h *harmless) read(path string, trained bool) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var x struct {
			Text string `json:"text"`
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return err
		}
		kind, _, _ := strings.Cut(x.Kind, ":")
		switch {
		case kind == "tool_params":
			h.arguments = append(h.arguments, x.Text)
		case kind == "tool_results":
			if !trained || crc32.ChecksumIEEE([]byte(x.Text))%setAside == 0 {
				h.results = append(h.results, x.Text)
			}
		case !trained:
			h.descriptions = append(h.descriptions, x.Text)
		}
	}
	return lines.Err()
}

// draw cuts count texts to lengths of the MCP mix.
func (h *harmless) draw(count int, r *rand.Rand) ([]text, error) {
	if len(h.descriptions) == 0 || len(h.arguments) == 0 || len(h.results) == 0 {
		return nil, fmt.Errorf("load texts: %d descriptions, %d arguments and %d results, want some of each", len(h.descriptions), len(h.arguments), len(h.results))
	}
	texts := make([]text, count)
	for i := range texts {
		at := r.Float64()
		part := traffic.MCP.Parts[len(traffic.MCP.Parts)-1]
		for _, p := range traffic.MCP.Parts {
			if at -= p.Weight; at < 0 {
				part = p
				break
			}
		}
		from := h.results
		switch part.Surface {
		case "description":
			from = h.descriptions
		case "params":
			from = h.arguments
		}
		texts[i] = text{part.Surface, cut(from, part.Lengths.At(r.Float64()), r)}
	}
	return texts, nil
}

// cut is the beginning of a text of at least so many bytes, where there is one, else of
// the longest of those that were looked at.
func cut(all []string, length int, r *rand.Rand) string {
	const looks = 200
	best := ""
	for range looks {
		if t := all[r.IntN(len(all))]; len(t) > len(best) {
			best = t
		}
		if len(best) >= length {
			break
		}
	}
	length = min(length, len(best))
	for length > 0 && length < len(best) && !utf8.RuneStart(best[length]) {
		length--
	}
	return best[:length]
}
