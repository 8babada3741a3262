package report

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"math"
	"time"
)

// The JSON form. Blocks are objects with one member named after their kind. Durations are seconds, checks are booleans, and what is
// not a number is null, so a program needs to parse no text. Strings are
// cleaned like everywhere: JSON is printed to terminals too.
type (
	wireReport struct {
		Title    string        `json:"title"`
		Subtitle string        `json:"subtitle,omitempty"`
		Facts    []wireFact    `json:"facts,omitempty"`
		Sections []wireSection `json:"sections"`
	}
	wireFact struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	}
	wireSection struct {
		Title  string           `json:"title"`
		Blocks []map[string]any `json:"blocks"`
	}
	wireFigure struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
		Unit  string `json:"unit,omitempty"`
		Note  string `json:"note,omitempty"`
		State string `json:"state,omitempty"`
	}
	wireTable struct {
		Title   string       `json:"title,omitempty"`
		Columns []wireColumn `json:"columns"`
		Rows    [][]any      `json:"rows"`
		Note    string       `json:"note,omitempty"`
	}
	wireColumn struct {
		Name string `json:"name"`
		Unit string `json:"unit,omitempty"`
	}
	wireAxis struct {
		Label string `json:"label"`
		Unit  string `json:"unit,omitempty"`
		Log   bool   `json:"log,omitempty"`
	}
	wireSeries struct {
		Name   string   `json:"name"`
		Points []wireXY `json:"points,omitempty"`
		Counts []any    `json:"counts,omitempty"`
	}
	wireXY   [2]any
	wireMark struct {
		Label string `json:"label"`
		At    any    `json:"at"`
		Axis  string `json:"axis"`
		State string `json:"state,omitempty"`
	}
	wireChart struct {
		Title  string       `json:"title,omitempty"`
		X      wireAxis     `json:"x"`
		Y      wireAxis     `json:"y"`
		Edges  []any        `json:"edges,omitempty"`
		Series []wireSeries `json:"series"`
		Marks  []wireMark   `json:"marks,omitempty"`
	}
	wireTimeline struct {
		Title  string      `json:"title,omitempty"`
		Unit   string      `json:"unit"`
		Spans  []wireSpan  `json:"spans"`
		Events []wireEvent `json:"events,omitempty"`
	}
	wireSpan struct {
		Lane  string `json:"lane"`
		Label string `json:"label,omitempty"`
		Start any    `json:"start"`
		End   any    `json:"end"`
		State string `json:"state,omitempty"`
	}
	wireEvent struct {
		Label string `json:"label"`
		At    any    `json:"at"`
	}
)

func (r *Report) json() ([]byte, error) {
	out := wireReport{Title: clean(r.Title), Subtitle: clean(r.Subtitle), Sections: []wireSection{}}
	for _, f := range r.Facts {
		out.Facts = append(out.Facts, wireFact{clean(f.Name), plain(f.Value)})
	}
	for _, s := range r.Sections {
		ws := wireSection{Title: clean(s.Title), Blocks: []map[string]any{}}
		for _, b := range s.Blocks {
			ws.Blocks = append(ws.Blocks, map[string]any{b.kind(): wire(b)})
		}
		out.Sections = append(out.Sections, ws)
	}
	b, err := json.Marshal(out, json.Deterministic(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
	return append(b, '\n'), err
}

func wire(b Block) any {
	switch b := b.(type) {
	case Text:
		return clean(string(b))
	case Figures:
		list := []wireFigure{}
		for _, f := range b {
			list = append(list, wireFigure{clean(f.Name), plain(f.Value), clean(f.Unit), clean(f.Note), judged(f.State)})
		}
		return list
	case *Table:
		return wireOfTable(b)
	case *LineChart:
		c := wireChart{Title: clean(b.Title), X: wireOfAxis(b.X), Y: wireOfAxis(b.Y), Series: []wireSeries{}, Marks: wireOfMarks(b.Marks)}
		for _, s := range b.Series {
			ws := wireSeries{Name: clean(s.Name)}
			for _, p := range s.Points {
				ws.Points = append(ws.Points, wireXY{plain(p.X), plain(p.Y)})
			}
			c.Series = append(c.Series, ws)
		}
		return c
	case *Histogram:
		c := wireChart{Title: clean(b.Title), X: wireOfAxis(b.X), Y: wireOfAxis(b.Y), Series: []wireSeries{}, Marks: wireOfMarks(b.Marks)}
		c.Edges = plainAll(b.Edges)
		for _, g := range b.Bars {
			c.Series = append(c.Series, wireSeries{Name: clean(g.Name), Counts: plainAll(g.Counts)})
		}
		return c
	case *Timeline:
		t := wireTimeline{Title: clean(b.Title), Unit: clean(b.unit()), Spans: []wireSpan{}}
		for _, s := range b.Spans {
			t.Spans = append(t.Spans, wireSpan{clean(b.lane(s.Lane)), clean(s.Label), plain(s.Start), plain(s.End), judged(s.State)})
		}
		for _, e := range b.Events {
			t.Events = append(t.Events, wireEvent{clean(e.Label), plain(e.At)})
		}
		return t
	}
	return nil
}

func wireOfTable(t *Table) wireTable {
	out := wireTable{Title: clean(t.Title), Columns: []wireColumn{}, Rows: [][]any{}, Note: clean(t.Note)}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, wireColumn{clean(c.Name), clean(c.Unit)})
	}
	for _, row := range t.Rows {
		cells := []any{}
		for _, v := range row {
			cells = append(cells, plain(v))
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

func wireOfAxis(a Axis) wireAxis { return wireAxis{clean(a.Label), clean(a.Unit), a.Log} }

func wireOfMarks(marks []Mark) []wireMark {
	var out []wireMark
	for _, m := range marks {
		axis := "y"
		if m.Vertical {
			axis = "x"
		}
		out = append(out, wireMark{clean(m.Label), plain(m.At), axis, judged(m.State)})
	}
	return out
}

func judged(s State) string {
	if s == Neutral {
		return ""
	}
	return s.String()
}

// plain turns a value into what JSON has.
func plain(v any) any {
	switch v := v.(type) {
	case time.Duration:
		return v.Seconds()
	case Check:
		return bool(v)
	case Bytes:
		return int64(v)
	case Ratio:
		return plain(float64(v))
	case float32:
		return plain(float64(v))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case string:
		return clean(v)
	case nil, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return v
	}
	return clean(fmt.Sprint(v))
}

func plainAll(list []float64) []any {
	out := []any{}
	for _, f := range list {
		out = append(out, plain(f))
	}
	return out
}
