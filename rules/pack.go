package rules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/plainfile"
)

// Pack is a rule pack as read: parsed and checked for form, not yet compiled. It is immutable.
type Pack struct {
	name      string
	names     map[string]string // of each file: files of one name are one pack, also among others
	source    string
	lists     map[string][]string
	listPos   map[string]Position
	rules     []*ruleDecl
	tests     []*testDecl
	detectors []DetectorSpec
	allow     []AllowSpec
}

// Name is the pack's name; for a directory the names of its files' packs, each once, joined by "+".
func (p *Pack) Name() string { return p.name }

// Source is the file or directory the pack was read from, "default" for the embedded one.
func (p *Pack) Source() string { return p.source }

// Detectors are the pack's own content detectors, as plain data.
func (p *Pack) Detectors() []DetectorSpec { return append([]DetectorSpec(nil), p.detectors...) }

// Allow are the pack's exceptions to content findings, as plain data.
func (p *Pack) Allow() []AllowSpec { return append([]AllowSpec(nil), p.allow...) }

// RuleInfo describes one rule to a person.
type RuleInfo struct {
	Name        string
	Description string
	Kind        Kind
	Action      Action
	Pos         Position
}

// Rules describes the rules in pack order.
func (p *Pack) Rules() []RuleInfo {
	out := make([]RuleInfo, len(p.rules))
	for i, r := range p.rules {
		out[i] = RuleInfo{Name: r.name, Description: r.description, Kind: r.kind, Action: r.action, Pos: r.pos}
	}
	return out
}

// ruleDecl is a rule as written.
type ruleDecl struct {
	pos         Position
	name        string
	description string
	action      Action
	anyScope    bool // scope: any: fires on shared keys too
	kind        Kind
	body        Position // of the value under flow, loop, ...
	within      time.Duration
	steps       []*stepDecl // flow: its steps; every other kind: exactly one, its selector
	threshold   int         // loop
	ignore      []string    // loop
	max         float64     // rate, budget
	perRule     bool        // rate
	amount      *exprDecl   // budget
}

type stepKind uint8

const (
	callStep stepKind = iota
	resultStep
	guardStep
)

func (k stepKind) String() string { return [...]string{"call", "result", "unless"}[k] }

// stepDecl says which events a step is about.
type stepDecl struct {
	pos                                     Position
	kind                                    stepKind
	service, tool, method, route, principal *matcher
	labels                                  *matcher
	toolPos                                 Position
	labelPos                                []Position
	when                                    *exprDecl
}

// exprDecl is an expression and where its text begins in the file.
type exprDecl struct {
	text  string
	pos   Position
	style scalarStyle
	lead  []int // literal scalars: columns of indentation, by line of the text
}

// at maps a place within the expression (line from 1, column from 0) to the file.
func (e *exprDecl) at(line, column int) Position {
	switch {
	case e.style == literalScalar && line <= len(e.lead):
		return Position{File: e.pos.File, Line: e.pos.Line + line, Column: e.lead[line-1] + column + 1}
	case e.style == quotedScalar && line == 1:
		return Position{File: e.pos.File, Line: e.pos.Line, Column: e.pos.Column + 1 + column}
	case e.style == plainScalar && line == 1:
		return Position{File: e.pos.File, Line: e.pos.Line, Column: e.pos.Column + column}
	}
	return e.pos
}

// DetectorSpec is one entry of a pack's detectors: section. This package does not interpret it.
type DetectorSpec struct {
	Name        string
	Description string
	Category    string   // wire category; "policy" when the entry names none
	Severity    string   // note, review or block
	Patterns    []string // RE2
	Keywords    []string // at least one must occur, case-insensitively, before Patterns are tried
	Mask        string   // redaction type; "" when findings are not masked
	Side        string   // request, response or both
	Pos         Position
}

// AllowSpec is one entry of a pack's allow: section: findings it covers are dropped.
type AllowSpec struct {
	Detector string // "" for every detector
	Text     string // exact text, or /RE2/ that must match the whole finding
	Service  string // "" for every service, else a name or a glob, as CompileGlobs reads it
	Tool     string // likewise
	Reason   string
	Pos      Position
}

const (
	maxPackFiles = 64
	maxPackBytes = 8 << 20
)

// Load reads a pack: a file, or a directory whose *.yaml and *.yml files are read in name order and form one pack. Files and
// directories whose names begin with a dot are skipped, which is what a mounted ConfigMap needs. The empty path is the embedded
// default pack. Problems of form come as Errors with file, line and column; anything else is an I/O error.
func Load(path string) (*Pack, error) {
	if path == "" {
		return Default()
	}
	pack, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("load rules: %w", err)
	}
	return pack, nil
}

// maxSwaps bounds how often a folder may be swapped under our hands before we give up.
const maxSwaps = 5

func load(path string) (*Pack, error) {
	for range maxSwaps {
		before := mounted(path)
		sources, err := readSources(path)
		if mounted(path) != before {
			continue // half of the files may be of the old version: read again
		}
		if err != nil {
			return nil, err
		}
		return parseSources(path, sources)
	}
	return nil, fmt.Errorf("%q changes faster than it can be read", path)
}

// mounted tells versions of a mounted ConfigMap apart: its files are links through ..data, which is swapped atomically.
func mounted(path string) string {
	for _, dir := range [...]string{path, filepath.Dir(path)} {
		if target, err := os.Readlink(filepath.Join(dir, "..data")); err == nil {
			return target
		}
	}
	return ""
}

func readSources(path string) ([]packSource, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = packFiles(path); err != nil {
			return nil, err
		}
	}
	var sources []packSource
	total := 0
	for _, file := range files {
		data, err := readFile(file)
		if err != nil {
			return nil, err
		}
		if total += len(data); total > maxPackBytes {
			return nil, fmt.Errorf("%q: more than %d bytes in all", path, maxPackBytes)
		}
		sources = append(sources, packSource{name: file, data: data})
	}
	return sources, nil
}

// readFile reads one byte more than a pack file may have, so that the limit is noticed without reading a huge file.
func readFile(path string) (data []byte, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}

func packFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || !(strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) {
			continue
		}
		full := filepath.Join(dir, name)
		info, err := os.Stat(full) // a ConfigMap's entries are links
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%q points to nothing", full)
		}
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			continue
		}
		files = append(files, full)
	}
	sort.Strings(files)
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("%q: no *.yaml or *.yml file", dir)
	case len(files) > maxPackFiles:
		return nil, fmt.Errorf("%q: %d files; at most %d are read", dir, len(files), maxPackFiles)
	}
	return files, nil
}

// Parse reads one pack from memory; name stands for the file in errors. The error is always Errors.
func Parse(name string, data []byte) (*Pack, error) {
	return parseSources(name, []packSource{{name: name, data: data}})
}

type packSource struct {
	name string
	data []byte
}

func parseSources(source string, sources []packSource) (*Pack, error) {
	d := &decoder{pack: &Pack{source: source, names: map[string]string{}, lists: map[string][]string{}, listPos: map[string]Position{}}}
	var names []string
	for _, s := range sources {
		root, err := readNodes(s.name, s.data)
		if err != nil {
			d.addErr(Position{File: s.name}, err)
			continue
		}
		d.data = s.data
		name := d.file(root)
		d.pack.names[s.name] = name
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	d.crossCheck()
	if err := d.err(); err != nil {
		return nil, err
	}
	d.pack.name = strings.Join(names, "+")
	return d.pack, nil
}
