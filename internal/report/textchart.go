package report

import (
	"fmt"
	"math"
	"strings"
)

// Size of a chart's drawing area in characters.
const (
	plotWidth  = 72
	plotHeight = 14
	barWidth   = 30
)

// glyphs tell the series apart.
var glyphs = []rune("*o+x#@%&")

// plot is a grid of characters.
type plot [plotHeight][plotWidth]rune

func newPlot() *plot {
	p := &plot{}
	for y := range p {
		for x := range p[y] {
			p[y][x] = ' '
		}
	}
	return p
}

func (p *plot) set(x, y float64, r rune) {
	cx, cy := int(math.Round(x)), int(math.Round(y))
	if cx >= 0 && cx < plotWidth && cy >= 0 && cy < plotHeight {
		p[cy][cx] = r
	}
}

// stroke draws from one place to another, one character a column or row.
func (p *plot) stroke(x1, y1, x2, y2 float64, r rune) {
	n := math.Max(1, math.Max(math.Abs(x2-x1), math.Abs(y2-y1)))
	for i := 0.0; i <= n; i++ {
		p.set(x1+(x2-x1)*i/n, y1+(y2-y1)*i/n, r)
	}
}

func (t *textWriter) chartTitle(s string) {
	if s != "" {
		t.line(clean(s))
	}
}

func (t *textWriter) lineChart(c *LineChart) {
	t.chartTitle(c.Title)
	xs := newScale(c.X, c.xs(), 0, plotWidth-1)
	ys := newScale(c.Y, c.ys(), plotHeight-1, 0).widen()
	p := newPlot()
	for _, m := range c.Marks {
		switch {
		case m.Vertical && xs.shows(m.At):
			p.stroke(xs.at(m.At), 0, xs.at(m.At), plotHeight-1, '|')
		case !m.Vertical && ys.shows(m.At):
			p.stroke(0, ys.at(m.At), plotWidth-1, ys.at(m.At), '-')
		}
	}
	var legend []string
	for i, s := range c.Series {
		g := glyphs[i%len(glyphs)]
		legend = append(legend, fmt.Sprintf("%c %s", g, clean(s.Name)))
		var last *Point
		for _, pt := range s.Points {
			if !xs.shows(pt.X) || !ys.shows(pt.Y) {
				last = nil
				continue
			}
			if last != nil {
				p.stroke(xs.at(last.X), ys.at(last.Y), xs.at(pt.X), ys.at(pt.Y), g)
			}
			p.set(xs.at(pt.X), ys.at(pt.Y), g)
			last = &pt
		}
	}
	for _, m := range c.Marks {
		legend = append(legend, fmt.Sprintf("%c %s (%s)", map[bool]rune{true: '|', false: '-'}[m.Vertical], clean(m.Label), number(m.At)))
	}
	t.plot(p, c.X, c.Y, xs, ys)
	if len(legend) > 0 {
		t.line("  " + strings.Join(legend, "   "))
	}
}

// plot writes the grid with its axes.
func (t *textWriter) plot(p *plot, x, y Axis, xs, ys scale) {
	t.line("  " + y.title())
	labels := map[int]string{}
	widest := 0
	for _, v := range ys.ticks(5) {
		labels[int(math.Round(ys.at(v)))] = tickLabel(v)
		widest = max(widest, width(tickLabel(v)))
	}
	for row := range p {
		tick := "|"
		if labels[row] != "" {
			tick = "+"
		}
		t.line("  " + pad(labels[row], widest, true) + " " + tick + string(p[row][:]))
	}
	rule := []rune(strings.Repeat("-", plotWidth))
	for _, v := range xs.ticks(6) {
		rule[min(plotWidth-1, max(0, int(math.Round(xs.at(v)))))] = '+'
	}
	indent := strings.Repeat(" ", 2+widest+1)
	t.line(indent + "+" + string(rule))
	t.line(indent + " " + tickRow(xs, plotWidth) + "  " + x.title())
}

// tickRow writes the labels of the ticks below their places, leaving out those that would touch.
func tickRow(s scale, columns int) string {
	row := []rune(strings.Repeat(" ", columns+8))
	free := 0
	for _, v := range s.ticks(6) {
		label := []rune(tickLabel(v))
		at := max(0, int(math.Round(s.at(v)))-len(label)/2)
		if at < free || at+len(label) > len(row) {
			continue
		}
		copy(row[at:], label)
		free = at + len(label) + 2
	}
	return strings.TrimRight(string(row), " ")
}

func (t *textWriter) histogram(h *Histogram) {
	t.chartTitle(h.Title)
	top := 0.0
	for _, v := range h.counts() {
		top = math.Max(top, v)
	}
	head := []string{h.X.title()}
	right := []bool{true}
	for _, g := range h.Bars {
		head = append(head, h.Y.title(), clean(g.Name))
		right = append(right, true, false)
	}
	rows := [][]string{head}
	for i := range h.buckets() {
		row := []string{tickLabel(h.Edges[i]) + " to " + tickLabel(h.Edges[i+1])}
		for _, g := range h.Bars {
			n := g.count(i)
			length := 0
			if top > 0 {
				length = int(math.Round(n / top * barWidth))
			}
			if n > 0 {
				length = max(length, 1)
			}
			row = append(row, number(n), pad(strings.Repeat("█", length), barWidth, false))
		}
		rows = append(rows, row)
	}
	t.grid(rows, right)
	for _, m := range h.Marks {
		t.line(fmt.Sprintf("%s: %s %s", clean(m.Label), number(m.At), clean(h.X.Unit)))
	}
}

// spanGlyphs are what a lasting span and a moment look like.
var spanGlyphs = map[State][2]rune{Neutral: {'=', 'o'}, Good: {'=', 'o'}, Bad: {'X', 'X'}, Muted: {'.', '.'}}

func (t *textWriter) timeline(tl *Timeline) {
	t.chartTitle(tl.Title)
	s := newScale(Axis{Tight: true}, tl.times(), 0, plotWidth-1)
	labels := 0
	for _, l := range tl.Lanes {
		labels = max(labels, min(24, width(clean(l))))
	}
	lanes := make([][]rune, len(tl.Lanes))
	for i := range lanes {
		lanes[i] = []rune(strings.Repeat(" ", plotWidth))
	}
	draw := func(span Span) {
		if span.Lane < 0 || span.Lane >= len(lanes) || !s.shows(span.Start) || !s.shows(span.End) {
			return
		}
		from, to := int(math.Round(s.at(span.Start))), int(math.Round(s.at(span.End)))
		g := spanGlyphs[span.State]
		if span.Start == span.End {
			lanes[span.Lane][from] = g[1]
			return
		}
		for x := min(from, to); x <= max(from, to); x++ {
			lanes[span.Lane][x] = g[0]
		}
	}
	// What went wrong must not be painted over.
	for _, bad := range []bool{false, true} {
		for _, span := range tl.Spans {
			if (span.State == Bad) == bad {
				draw(span)
			}
		}
	}
	marks := []rune(strings.Repeat(" ", plotWidth))
	for i, e := range tl.Events {
		if !s.shows(e.At) {
			continue
		}
		x := int(math.Round(s.at(e.At)))
		for x < plotWidth-1 && marks[x] != ' ' { // events that are close stand side by side
			x++
		}
		marks[x] = 'a' + rune(i%26)
	}
	if len(tl.Events) > 0 {
		t.line(pad("", labels, false) + "  " + string(marks))
	}
	for i, l := range tl.Lanes {
		t.line(pad(fit(clean(l), labels), labels, false) + " |" + string(lanes[i]))
	}
	t.line(pad("", labels, false) + " +" + strings.Repeat("-", plotWidth))
	t.line(pad("", labels, false) + "  " + tickRow(s, plotWidth) + "  " + clean(tl.unit()))
	for i, e := range tl.Events {
		t.line(fmt.Sprintf("%c  %s %s  %s", 'a'+rune(i%26), number(e.At), clean(tl.unit()), clean(e.Label)))
	}
}
