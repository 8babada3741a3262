package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// row is one text. A label of 1 is an attack, 0 is harmless.
type row struct {
	text  string
	kind  string
	label int
	at    surface
}

// surface is where in MCP traffic a text stands.
type surface uint8

const (
	inResult surface = iota // a text block of a tools/call result
	inTool                  // the description of a tool
	inParam                 // the description of a tool's parameter
	inList                  // a whole tool definition
	inParams                // the arguments of a call
)

// String is the name of the surface in the report.
func (s surface) String() string {
	switch s {
	case inTool, inParam, inList:
		return "description"
	case inParams:
		return "params"
	case inResult:
	}
	return "result"
}

// surfaceOf tells by the kind of a text where it comes from.
func surfaceOf(kind string) surface {
	switch {
	case strings.HasPrefix(kind, "tool_descriptions:param"):
		return inParam
	case strings.HasPrefix(kind, "tool_descriptions"):
		return inTool
	case strings.HasPrefix(kind, "tool_schemas"):
		return inList
	case strings.HasPrefix(kind, "tool_params"):
		return inParams
	}
	return inResult
}

// set is texts that are reported together.
type set struct {
	name string
	rows []row
	// calibration marks harmless texts that the model's thresholds were set on.
	calibration bool
	// composed marks attacks put into carriers here; known, that whoever wrote the
	// model's training text knew the style.
	composed, known bool
}

// Names of the sets that are treated in their own way.
const (
	bareGoals   = "bipia-attacks-train" // plain instructions: attacks only inside a carrier
	carriers    = "injecagent-benign"
	directs     = "cse-prompt-injection"
	directsMany = "cse-prompt-injection-ml"
	everyday    = "safeguard-jonas"
	offTopic    = "Harmful Request" // a kind of everyday that is no injection
	calibrated  = "benign-mcp"
)

// load reads the evaluation sets of a data folder, in the order of their names, and
// composes further ones.
func load(dir string) ([]set, error) {
	var sets []set
	for _, part := range []string{"dev", "calibration"} {
		paths, err := filepath.Glob(filepath.Join(dir, part, "*.jsonl*"))
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", part, err)
		}
		slices.SortFunc(paths, func(a, b string) int { return strings.Compare(setName(a), setName(b)) })
		for _, path := range paths {
			name := setName(path)
			rows, err := read(path)
			if err != nil {
				return nil, err
			}
			if name == everyday {
				rows = slices.DeleteFunc(rows, func(r row) bool { return r.kind == offTopic })
			}
			sets = append(sets, set{name: name, rows: rows, calibration: part == "calibration"})
		}
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("no data sets in %q: want dev/*.jsonl.gz", dir)
	}
	composed := compose(sets)
	sets = slices.DeleteFunc(sets, func(s set) bool { return s.name == bareGoals })
	return append(sets, composed...), nil
}

// setName is the name of the set in a file.
func setName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".jsonl")
	return name
}

// read reads the JSON lines of a set, compressed or not.
func read(path string) (rows []row, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read set: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("read set %q: %w", path, err)
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var x struct {
			Text    string `json:"text"`
			Kind    string `json:"kind"`
			Surface string `json:"surface"`
			Label   int    `json:"label"`
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return nil, fmt.Errorf("read set %q: line %d: %w", path, n, err)
		}
		r := row{text: x.Text, kind: x.Kind, label: x.Label, at: surfaceOf(x.Kind)}
		switch x.Surface {
		case "description":
			r.at = inTool
		case "params":
			r.at = inParams
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read set %q: %w", path, err)
	}
	return rows, nil
}

// choose keeps the sets that one of the words names, and at most n attacks and n
// harmless texts of each; which ones depends on the name of the set alone.
func choose(sets []set, words string, n int) []set {
	var out []set
	for _, s := range sets {
		if words != "" && !slices.ContainsFunc(strings.Split(words, ","), func(w string) bool { return strings.Contains(s.name, w) }) {
			continue
		}
		if n > 0 {
			s.rows = sample(s.rows, n, s.name)
		}
		out = append(out, s)
	}
	return out
}

func sample(rows []row, n int, seed string) []row {
	order := random(seed).Perm(len(rows))
	var taken [2]int
	keep := make([]bool, len(rows))
	for _, i := range order {
		if l := rows[i].label; taken[l] < n {
			taken[l]++
			keep[i] = true
		}
	}
	var out []row
	for i, r := range rows {
		if keep[i] {
			out = append(out, r)
		}
	}
	return out
}

// random is a source whose numbers depend on a name alone.
func random(name string) *rand.Rand {
	var seed [32]byte
	copy(seed[:], name)
	return rand.New(rand.NewChaCha8(seed)) //nolint:gosec // reproducible on purpose
}
