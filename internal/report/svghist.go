package report

import (
	"fmt"
	"html/template"
	"math"
)

func (h *Histogram) svg() template.HTML {
	var d drawing
	var keys []legendKey
	if len(h.Bars) > 1 {
		for i, g := range h.Bars {
			keys = append(keys, legendKey{name: g.Name, colour: colour(i), box: true})
		}
	}
	top := marginTop + d.legend(keys)
	bottom := chartHeight - marginBottom
	tightX := h.X
	tightX.Tight = true
	xs := newScale(tightX, h.Edges, marginLeft, chartWidth-marginRight)
	ys := newScale(h.Y, h.counts(), bottom, top).widen()
	d.axes(h.X, h.Y, xs, ys, h.edgeTicks(xs), top, bottom)
	for i := range h.buckets() {
		d.bucket(h, i, xs, ys, bottom)
	}
	d.marks(h.Marks, xs, ys, top, bottom)
	return d.close(chartHeight, "Histogram: "+h.Title)
}

// bucket draws the bars of one bucket side by side.
func (d *drawing) bucket(h *Histogram, i int, xs, ys scale, bottom float64) {
	if !xs.shows(h.Edges[i]) || !xs.shows(h.Edges[i+1]) {
		return
	}
	from, to := xs.at(h.Edges[i]), xs.at(h.Edges[i+1])
	gap := math.Min(2, (to-from)*0.1)
	each := (to - from - 2*gap) / float64(len(h.Bars))
	for j, g := range h.Bars {
		n := g.count(i)
		if n <= 0 || !ys.shows(n) {
			continue
		}
		y := ys.at(n)
		tip := fmt.Sprintf("%s to %s %s: %s", tickLabel(h.Edges[i]), tickLabel(h.Edges[i+1]), h.X.Unit, number(n))
		if g.Name != "" {
			tip = g.Name + ", " + tip
		}
		d.rect(from+gap+float64(j)*each, y, math.Max(each-0.5, 0.5), math.Max(bottom-y, 1), "fill:"+colour(j), tip)
	}
}

// edgeTicks are the edges themselves when they are few or uneven, else round values.
func (h *Histogram) edgeTicks(xs scale) []float64 {
	if len(h.Edges) <= 16 {
		var out []float64
		for _, e := range h.Edges {
			if xs.shows(e) {
				out = append(out, e)
			}
		}
		return out
	}
	return xs.ticks(10)
}
