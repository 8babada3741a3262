package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Report is a titled list of sections.
type Report struct {
	Title    string
	Subtitle string // one sentence: what was done, to what
	Facts    []Fact // where and how: machine, versions, settings, time
	Sections []*Section
}

// Fact is one circumstance of the report.
type Fact struct {
	Name  string
	Value any // see Format for the types that are shown well
}

// Section is a titled list of blocks, shown in order.
type Section struct {
	Title  string
	Blocks []Block
}

// Block is a piece of a section: Text, Figures, *Table, *LineChart, *Histogram or *Timeline.
type Block interface{ kind() string }

// New returns an empty report.
func New(title, subtitle string) *Report { return &Report{Title: title, Subtitle: subtitle} }

// Fact adds a circumstance.
func (r *Report) Fact(name string, value any) { r.Facts = append(r.Facts, Fact{name, value}) }

// Section adds an empty section with the blocks given and returns it.
func (r *Report) Section(title string, blocks ...Block) *Section {
	s := &Section{Title: title, Blocks: blocks}
	r.Sections = append(r.Sections, s)
	return s
}

// Add appends blocks.
func (s *Section) Add(blocks ...Block) { s.Blocks = append(s.Blocks, blocks...) }

// Text is one paragraph.
type Text string

// Figures are the few numbers that matter most, shown large.
type Figures []Figure

// Figure is one key number.
type Figure struct {
	Name  string
	Value any
	Unit  string
	Note  string // what it is compared with, or how it was taken
	State State
}

// State says how something is to be judged.
type State uint8

const (
	// Neutral is not judged.
	Neutral State = iota
	// Good met its promise.
	Good
	// Bad did not.
	Bad
	// Muted is background.
	Muted
)

var stateNames = [...]string{"neutral", "good", "bad", "muted"}

// String returns the lower-case name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "neutral"
}

// Table is a grid of values. Every row has one value per column; missing ones show as a dash.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any
	Note    string
}

// Column heads the values below it.
type Column struct {
	Name string
	Unit string
	// Left aligns values that would stand on the right: numbers, durations.
	Left bool
}

// Columns makes columns of plain names. "name (unit)" splits off the unit.
func Columns(names ...string) []Column {
	out := make([]Column, len(names))
	for i, n := range names {
		out[i].Name = n
		if name, unit, ok := strings.Cut(strings.TrimSuffix(n, ")"), " ("); ok && strings.HasSuffix(n, ")") {
			out[i] = Column{Name: name, Unit: unit}
		}
	}
	return out
}

// Row appends one row.
func (tab *Table) Row(values ...any) { tab.Rows = append(tab.Rows, values) }

// Axis describes one direction of a chart.
type Axis struct {
	Label string
	Unit  string // "ms", "tokens/s"; shown with the label
	Log   bool   // logarithmic; values that are not positive are left out
	Tight bool   // do not stretch the axis to zero
}

// Point is one measurement.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Series is a named line.
type Series struct {
	Name   string
	Points []Point // in the order of X
	Dashed bool    // a reference rather than a measurement
}

// Mark is a labelled line across a chart: a threshold, a promise, an event.
type Mark struct {
	Label    string
	At       float64
	Vertical bool // At is on the X axis
	State    State
}

// LineChart shows series over a common axis.
type LineChart struct {
	Title  string
	X, Y   Axis
	Series []Series
	Marks  []Mark
}

// Histogram shows how values are spread: bucket i lies between Edges[i] and Edges[i+1], Edges ascending.
type Histogram struct {
	Title string
	X, Y  Axis
	Edges []float64
	Bars  []Bars
	Marks []Mark // vertical ones
}

// Bars are the counts of one group, one per bucket.
type Bars struct {
	Name   string
	Counts []float64
}

// Timeline shows what happened when, in lanes.
type Timeline struct {
	Title  string
	Unit   string // of every time; "s" when empty
	Lanes  []string
	Spans  []Span
	Events []Event // lines across all lanes
}

// Span is something that lasted, or, with Start equal to End, a moment.
type Span struct {
	Lane       int // index into Lanes
	Label      string
	Start, End float64
	State      State
}

// Event is a moment that concerns every lane.
type Event struct {
	Label string
	At    float64
}

func (Text) kind() string       { return "text" }
func (Figures) kind() string    { return "figures" }
func (*Table) kind() string     { return "table" }
func (*LineChart) kind() string { return "line" }
func (*Histogram) kind() string { return "histogram" }
func (*Timeline) kind() string  { return "timeline" }

// Encoding is how a report is written.
type Encoding string

const (
	// TextEncoding is aligned plain text.
	TextEncoding Encoding = "text"
	// JSONEncoding is one JSON object.
	JSONEncoding Encoding = "json"
	// HTMLEncoding is one self-contained page.
	HTMLEncoding Encoding = "html"
)

// ParseEncoding reads "text", "json" or "html", in any case.
func ParseEncoding(s string) (Encoding, error) {
	switch e := Encoding(strings.ToLower(s)); e {
	case TextEncoding, JSONEncoding, HTMLEncoding:
		return e, nil
	}
	return "", fmt.Errorf("parse report format %q: want text, json or html", s)
}

// Write writes the report.
func (r *Report) Write(w io.Writer, e Encoding) error {
	var b []byte
	var err error
	switch e {
	case TextEncoding:
		b = r.text()
	case JSONEncoding:
		b, err = r.json()
	case HTMLEncoding:
		b, err = r.html()
	default:
		err = fmt.Errorf("unknown format %q", e)
	}
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		return fmt.Errorf("write report %q: %w", r.Title, err)
	}
	return nil
}

// WriteFile writes the report to path in the encoding that its extension says: .json, .html, anything else text.
func (r *Report) WriteFile(path string) error {
	e := TextEncoding
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		e = JSONEncoding
	case ".html", ".htm":
		e = HTMLEncoding
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := r.Write(f, e); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
