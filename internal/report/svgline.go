package report

import (
	"fmt"
	"html/template"
)

// maxDots is how many points of one series get a dot of their own; a denser line shows its shape without them.
const maxDots = 60

func (c *LineChart) svg() template.HTML {
	var d drawing
	var keys []legendKey
	for i, s := range c.Series {
		keys = append(keys, legendKey{name: s.Name, colour: colour(i), dashed: s.Dashed || i >= seriesColours})
	}
	top := marginTop + d.legend(keys)
	bottom := chartHeight - marginBottom
	xs := newScale(c.X, c.xs(), marginLeft, chartWidth-marginRight)
	ys := newScale(c.Y, c.ys(), bottom, top).widen()
	d.axes(c.X, c.Y, xs, ys, xs.ticks(8), top, bottom)
	for i, s := range c.Series {
		class := "series"
		if s.Dashed || i >= seriesColours {
			class += " dashed"
		}
		for _, run := range runs(s.Points, xs, ys) {
			d.path(run, class, "stroke:"+colour(i))
		}
		if len(s.Points) > maxDots || s.Dashed {
			continue
		}
		for _, p := range s.Points {
			if xs.shows(p.X) && ys.shows(p.Y) {
				tip := fmt.Sprintf("%s: %s %s at %s %s", s.Name, number(p.Y), c.Y.Unit, number(p.X), c.X.Unit)
				d.circle(xs.at(p.X), ys.at(p.Y), 3, "fill:"+colour(i), tip)
			}
		}
	}
	d.marks(c.Marks, xs, ys, top, bottom)
	return d.close(chartHeight, "Line chart: "+c.Title)
}

// runs maps points to places and splits them where one cannot be shown.
func runs(points []Point, xs, ys scale) [][][2]float64 {
	var out [][][2]float64
	open := false
	for _, p := range points {
		if !xs.shows(p.X) || !ys.shows(p.Y) {
			open = false
			continue
		}
		if !open {
			out = append(out, nil)
			open = true
		}
		last := len(out) - 1
		out[last] = append(out[last], [2]float64{xs.at(p.X), ys.at(p.Y)})
	}
	return out
}
