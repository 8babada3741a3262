package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Geometry of a chart in SVG units; the page scales it to its width.
const (
	chartWidth   = 900.0
	chartHeight  = 340.0
	marginLeft   = 96.0 // the title of an axis, and a tick of seven digits
	marginRight  = 24.0
	marginTop    = 14.0
	marginBottom = 50.0
	legendHeight = 24.0
	charWidth    = 6.8 // of the 12-unit font, on the generous side
)

// seriesColours is how many colours the page defines; series beyond them are drawn dashed as well.
const seriesColours = 6

// drawing collects SVG elements. Every text goes through esc.
type drawing struct{ b strings.Builder }

func esc(s string) string { return html.EscapeString(clean(s)) }

// coord writes a coordinate with one decimal.
func coord(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	return trimZeros(strconv.FormatFloat(f, 'f', 1, 64))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class, style string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"%s/>`+"\n", coord(x1), coord(y1), coord(x2), coord(y2), class, styleAttr(style))
}

// rect draws a box with an optional tooltip.
func (d *drawing) rect(x, y, w, h float64, style, tip string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" rx="2"%s>%s</rect>`+"\n", coord(x), coord(y), coord(w), coord(h), styleAttr(style), tipElement(tip))
}

func (d *drawing) circle(x, y, r float64, style, tip string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s"%s>%s</circle>`+"\n", coord(x), coord(y), coord(r), styleAttr(style), tipElement(tip))
}

// text writes s; anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, class, s string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" text-anchor="%s"%s>%s</text>`+"\n", coord(x), coord(y), anchor, class, esc(s))
}

func (d *drawing) path(points [][2]float64, class, style string) {
	var p strings.Builder
	for i, pt := range points {
		p.WriteByte("ML"[min(i, 1)])
		p.WriteString(coord(pt[0]) + " " + coord(pt[1]))
	}
	fmt.Fprintf(&d.b, `<path d="%s" class="%s"%s/>`+"\n", p.String(), class, styleAttr(style))
}

func styleAttr(style string) string {
	if style == "" {
		return ""
	}
	return ` style="` + style + `"`
}

func tipElement(tip string) string {
	if tip == "" {
		return ""
	}
	return "<title>" + esc(tip) + "</title>"
}

// close wraps what was drawn; label is read out by a screen reader.
func (d *drawing) close(height float64, label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n%s</svg>", //nolint:gosec // every text went through esc
		coord(chartWidth), coord(height), esc(label), d.b.String()))
}

func colour(i int) string { return "var(--s" + strconv.Itoa(i%seriesColours) + ")" }

func stateColour(s State) string {
	switch s {
	case Good:
		return "var(--good)"
	case Bad:
		return "var(--bad)"
	case Muted:
		return "var(--muted)"
	}
	return "var(--accent)"
}

// key is one entry of a legend.
type legendKey struct {
	name   string
	colour string
	dashed bool
	box    bool
}

// legend writes the keys in rows from the top and returns how high they are.
func (d *drawing) legend(keys []legendKey) float64 {
	x, y := marginLeft, marginTop+6
	for _, k := range keys {
		w := 26 + float64(width(clean(k.name)))*charWidth + 22
		if x+w > chartWidth-marginRight && x > marginLeft {
			x, y = marginLeft, y+legendHeight-4
		}
		if k.box {
			d.rect(x, y-5, 18, 10, "fill:"+k.colour, "")
		} else {
			class := "series"
			if k.dashed {
				class += " dashed"
			}
			d.line(x, y, x+18, y, class, "stroke:"+k.colour)
		}
		d.text(x+25, y+4, "start", "strong", k.name)
		x += w
	}
	if len(keys) == 0 {
		return 0
	}
	return y - marginTop + legendHeight - 8
}

// axes draws both axes with grid lines, tick labels and titles.
func (d *drawing) axes(xAxis, yAxis Axis, xs, ys scale, xTicks []float64, top, bottom float64) {
	left, right := marginLeft, chartWidth-marginRight
	for _, v := range ys.ticks(5) {
		y := ys.at(v)
		d.line(left, y, right, y, "grid", "")
		d.text(left-8, y+4, "end", "", tickLabel(v))
	}
	free := math.Inf(-1)
	for _, v := range xTicks {
		x := xs.at(v)
		label := tickLabel(v)
		half := float64(len(label)) * charWidth / 2
		d.line(x, bottom, x, bottom+5, "axis", "")
		if x-half < free {
			continue
		}
		d.text(x, bottom+18, "middle", "", label)
		free = x + half + 6
	}
	d.line(left, bottom, right, bottom, "axis", "")
	d.line(left, top, left, bottom, "axis", "")
	d.text((left+right)/2, bottom+38, "middle", "strong", xAxis.title())
	mid := (top + bottom) / 2
	fmt.Fprintf(&d.b, `<text transform="translate(13 %s) rotate(-90)" text-anchor="middle" class="strong">%s</text>`+"\n", coord(mid), esc(yAxis.title()))
}

// marks draws labelled reference lines. Labels of vertical ones step down so that neighbours do not cover each other.
func (d *drawing) marks(list []Mark, xs, ys scale, top, bottom float64) {
	step := 0
	for _, m := range list {
		style := "stroke:" + stateColour(m.State)
		label := m.Label + " (" + number(m.At) + ")"
		switch {
		case m.Vertical && xs.shows(m.At):
			x := xs.at(m.At)
			d.line(x, top, x, bottom, "mark", style)
			anchor, dx := "start", 5.0
			if x > chartWidth*0.7 {
				anchor, dx = "end", -5
			}
			d.text(x+dx, top+12+float64(step%4)*15, anchor, "strong halo", label)
			step++
		case !m.Vertical && ys.shows(m.At):
			y := ys.at(m.At)
			d.line(marginLeft, y, chartWidth-marginRight, y, "mark", style)
			above := y - 5
			if above < top+12 {
				above = y + 15
			}
			d.text(chartWidth-marginRight-4, above, "end", "strong halo", label)
		}
	}
}
