package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
)

//go:embed page.css
var pageCSS string

//go:embed page.tmpl
var pageSource string

var page = template.Must(template.New("page").Parse(pageSource))

// What the page template shows. Every text is formatted already; the template escapes it.
type (
	htmlPage struct {
		Title, Subtitle string
		CSS             template.CSS
		Facts           []htmlFact
		Sections        []htmlSection
	}
	htmlFact    struct{ Name, Value string }
	htmlSection struct {
		Title  string
		Blocks []htmlBlock
	}
	htmlBlock struct { // one of them
		Text    string
		Figures []htmlFigure
		Table   *htmlTable
		Chart   *htmlChart
	}
	htmlFigure struct{ Name, Value, Unit, Note, Verdict, State string }
	htmlTable  struct {
		Title, Note string
		Head        []htmlHead
		Rows        [][]htmlCell
	}
	htmlHead struct {
		Name, Unit string
		Right      bool
	}
	htmlCell  struct{ Value, Class string }
	htmlChart struct {
		Title string
		SVG   template.HTML
	}
)

func (r *Report) html() ([]byte, error) {
	p := htmlPage{
		Title: clean(r.Title), Subtitle: clean(r.Subtitle),
		CSS: template.CSS(pageCSS), //nolint:gosec // our own file
	}
	for _, f := range r.Facts {
		p.Facts = append(p.Facts, htmlFact{clean(f.Name), shown(f.Value)})
	}
	for _, s := range r.Sections {
		hs := htmlSection{Title: clean(s.Title)}
		for _, b := range s.Blocks {
			hs.Blocks = append(hs.Blocks, htmlOf(b))
		}
		p.Sections = append(p.Sections, hs)
	}
	var out bytes.Buffer
	err := page.Execute(&out, p)
	return out.Bytes(), err
}

func htmlOf(b Block) htmlBlock {
	switch b := b.(type) {
	case Text:
		return htmlBlock{Text: clean(strings.Join(strings.Fields(string(b)), " "))}
	case Figures:
		list := []htmlFigure{}
		for _, f := range b {
			verdict := map[State]string{Good: "ok", Bad: "FAIL"}[f.State]
			list = append(list, htmlFigure{clean(f.Name), shown(f.Value), clean(f.Unit), clean(f.Note), verdict, f.State.String()})
		}
		return htmlBlock{Figures: list}
	case *Table:
		return htmlBlock{Table: htmlOfTable(b)}
	case *LineChart:
		return htmlBlock{Chart: &htmlChart{clean(b.Title), b.svg()}}
	case *Histogram:
		return htmlBlock{Chart: &htmlChart{clean(b.Title), b.svg()}}
	case *Timeline:
		return htmlBlock{Chart: &htmlChart{clean(b.Title), b.svg()}}
	}
	return htmlBlock{}
}

func htmlOfTable(t *Table) *htmlTable {
	out := &htmlTable{Title: clean(t.Title), Note: clean(t.Note)}
	right := t.rightAligned()
	for i, c := range t.Columns {
		out.Head = append(out.Head, htmlHead{clean(c.Name), clean(c.Unit), right[i]})
	}
	for _, row := range t.Rows {
		line := []htmlCell{}
		for i, text := range cells(t, row) {
			cell := htmlCell{Value: tight(text)}
			if right[i] {
				cell.Class = "right"
			}
			if i < len(row) {
				if ok, is := row[i].(Check); is {
					cell.Class = map[bool]string{true: "ok", false: "fail"}[bool(ok)]
				} else if !numeric(row[i]) {
					cell.Value = text
				}
			}
			line = append(line, cell)
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// shown is Format with the blanks inside numbers made unbreakable.
func shown(v any) string {
	if numeric(v) {
		return tight(Format(v))
	}
	return Format(v)
}

func tight(s string) string { return strings.ReplaceAll(s, " ", "\u202f") }
