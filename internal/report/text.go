package report

import (
	"strings"

	"github.com/rivo/uniseg"
)

// textWidth is the number of columns that paragraphs and charts keep to. Tables may be wider.
const textWidth = 96

// text renders the report for a terminal.
func (r *Report) text() []byte {
	var t textWriter
	t.heading(clean(r.Title), '=')
	if r.Subtitle != "" {
		t.paragraph(r.Subtitle)
	}
	if len(r.Facts) > 0 {
		t.blank()
		grid := make([][]string, len(r.Facts))
		for i, f := range r.Facts {
			grid[i] = []string{clean(f.Name), Format(f.Value)}
		}
		t.grid(grid, []bool{false, false})
	}
	for _, s := range r.Sections {
		t.blank()
		t.heading(clean(s.Title), '-')
		for i, b := range s.Blocks {
			if i > 0 {
				t.blank()
			}
			t.block(b)
		}
	}
	return []byte(t.b.String())
}

// textWriter appends lines without trailing blanks.
type textWriter struct{ b strings.Builder }

func (t *textWriter) line(s string) {
	t.b.WriteString(strings.TrimRight(s, " "))
	t.b.WriteByte('\n')
}

func (t *textWriter) blank() { t.b.WriteByte('\n') }

func (t *textWriter) heading(s string, rule byte) {
	t.line(s)
	t.line(strings.Repeat(string(rule), max(3, width(s))))
}

// paragraph wraps at words.
func (t *textWriter) paragraph(s string) {
	row := ""
	for word := range strings.FieldsSeq(s) {
		word = clean(word)
		if row != "" && width(row)+1+width(word) > textWidth {
			t.line(row)
			row = ""
		}
		if row != "" {
			row += " "
		}
		row += word
	}
	t.line(row)
}

func (t *textWriter) block(b Block) {
	switch b := b.(type) {
	case Text:
		t.paragraph(string(b))
	case Figures:
		t.figures(b)
	case *Table:
		t.table(b)
	case *LineChart:
		t.lineChart(b)
	case *Histogram:
		t.histogram(b)
	case *Timeline:
		t.timeline(b)
	}
}

func (t *textWriter) figures(list Figures) {
	grid := make([][]string, len(list))
	for i, f := range list {
		verdict := ""
		switch f.State {
		case Good:
			verdict = "ok"
		case Bad:
			verdict = "FAIL"
		}
		grid[i] = []string{clean(f.Name), strings.TrimSpace(Format(f.Value) + " " + clean(f.Unit)), verdict, clean(f.Note)}
	}
	t.grid(grid, []bool{false, true, false, false})
}

func (t *textWriter) table(tab *Table) {
	if tab.Title != "" {
		t.line(clean(tab.Title))
	}
	grid := [][]string{{}, {}}
	for _, c := range tab.Columns {
		head := clean(c.Name)
		if c.Unit != "" {
			head += " (" + clean(c.Unit) + ")"
		}
		grid[0] = append(grid[0], head)
	}
	for _, row := range tab.Rows {
		grid = append(grid, cells(tab, row))
	}
	right := tab.rightAligned()
	for i := range tab.Columns {
		widest := 0
		for _, row := range grid {
			if i < len(row) {
				widest = max(widest, width(row[i]))
			}
		}
		grid[1] = append(grid[1], strings.Repeat("-", widest))
	}
	t.grid(grid, right)
	if tab.Note != "" {
		t.paragraph(tab.Note)
	}
}

// cells formats a row to exactly as many cells as there are columns.
func cells(tab *Table, row []any) []string {
	out := make([]string, len(tab.Columns))
	for i := range out {
		out[i] = noValue
		if i < len(row) {
			out[i] = Format(row[i])
		}
	}
	return out
}

// rightAligned says which columns hold numbers.
func (tab *Table) rightAligned() []bool {
	out := make([]bool, len(tab.Columns))
	for i, c := range tab.Columns {
		seen := false
		for _, row := range tab.Rows {
			if i < len(row) && row[i] != nil {
				out[i] = numeric(row[i]) && (out[i] || !seen)
				seen = true
			}
		}
		out[i] = out[i] && !c.Left
	}
	return out
}

// grid writes rows of cells, aligned, two blanks apart.
func (t *textWriter) grid(rows [][]string, right []bool) {
	widths := make([]int, len(right))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			line.WriteString(pad(c, widths[i], right[i]))
		}
		t.line(line.String())
	}
}

// width is how many columns of a terminal s takes.
func width(s string) int { return uniseg.StringWidth(s) }

func pad(s string, to int, right bool) string {
	gap := strings.Repeat(" ", max(0, to-width(s)))
	if right {
		return gap + s
	}
	return s + gap
}

// fit cuts s to at most n columns.
func fit(s string, n int) string {
	if width(s) <= n {
		return s
	}
	var b strings.Builder
	used := 0
	for _, r := range s {
		w := width(string(r))
		if used+w > n-1 {
			break
		}
		b.WriteRune(r)
		used += w
	}
	return b.String() + "…"
}
