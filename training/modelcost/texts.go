package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json/v2"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// load makes texts of the lengths of MCP traffic from the harmless MCP texts of a data
// folder: each the beginning of one that is long enough.
func load(dir string, count int, seed uint64) (texts []string, err error) {
	f, err := os.Open(filepath.Join(dir, "calibration", "benign-mcp.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("load texts: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("load texts: %w", err)
	}
	var all []string
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var x struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return nil, fmt.Errorf("load texts: %w", err)
		}
		all = append(all, x.Text)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("load texts: %w", err)
	}
	return draw(all, count, rand.New(rand.NewPCG(seed, 2)))
}

// draw cuts count texts to lengths of the MCP mix.
func draw(all []string, count int, r *rand.Rand) ([]string, error) {
	if len(all) == 0 {
		return nil, errors.New("load texts: there are none")
	}
	texts := make([]string, count)
	for i := range texts {
		part := r.Float64()
		lengths := traffic.MCP.Parts[len(traffic.MCP.Parts)-1].Lengths
		for _, p := range traffic.MCP.Parts {
			if part -= p.Weight; part < 0 {
				lengths = p.Lengths
				break
			}
		}
		texts[i] = cut(all, lengths.At(r.Float64()), r)
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
