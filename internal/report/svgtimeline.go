package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
)

const (
	rowHeight   = 18.0 // of one row of spans
	laneGap     = 10.0
	maxLaneRows = 6 // overlapping spans beyond share the last rows
	eventRow    = 16.0

	maxBesideLabels = 12 // a lane with more spans labels only those that have the room inside
)

func (t *Timeline) svg() template.HTML {
	var d drawing
	left := marginLeft
	for _, l := range t.Lanes {
		left = math.Max(left, math.Min(260, float64(width(clean(l)))*charWidth+24))
	}
	right := chartWidth - marginRight
	s := newScale(Axis{Tight: true}, t.times(), left, right)

	keys := t.stateKeys()
	legend := d.legend(keys)
	labels, eventRows := t.placeEvents(s, right)
	top := marginTop + legend + float64(eventRows)*eventRow + 8
	rows, height := t.stack()
	bottom := top + height
	for _, v := range s.ticks(10) {
		x := s.at(v)
		d.line(x, top, x, bottom, "grid", "")
		d.text(x, bottom+18, "middle", "", tickLabel(v))
	}
	y := top
	for i, l := range t.Lanes {
		h := laneHeight(rows[i])
		d.line(left, y, right, y, "axis", "")
		d.text(left-10, y+h/2+4, "end", "strong", fit(clean(l), 34))
		for j, sp := range rows[i] {
			free := 0.0
			if len(rows[i]) <= maxBesideLabels {
				free = room(rows[i][j+1:], sp, s, right)
			}
			d.span(t, sp, s, y+laneGap/2, free)
		}
		y += h
	}
	d.line(left, bottom, right, bottom, "axis", "")
	d.line(left, top, left, bottom, "axis", "")
	for i, e := range t.Events {
		if !s.shows(e.At) {
			continue
		}
		x := s.at(e.At)
		ly := marginTop + legend + float64(labels[i].row)*eventRow + 12
		d.line(x, ly+3, x, bottom, "mark", "stroke:var(--fg)")
		d.text(x+labels[i].dx, ly, labels[i].anchor, "strong halo", labels[i].text)
	}
	d.text((left+right)/2, bottom+38, "middle", "strong", "time ("+t.unit()+")")
	return d.close(bottom+marginBottom, "Timeline: "+t.Title)
}

// placed is a span with its row in its lane.
type placed struct {
	Span
	row int
}

// stack gives every span of a lane the first row where nothing before it still lasts.
func (t *Timeline) stack() ([][]placed, float64) {
	lanes := make([][]placed, len(t.Lanes))
	ends := make([][]float64, len(t.Lanes))
	for _, sp := range t.Spans {
		if sp.Lane < 0 || sp.Lane >= len(lanes) || math.IsNaN(sp.Start+sp.End) || math.IsInf(sp.Start+sp.End, 0) {
			continue
		}
		sp.Start, sp.End = math.Min(sp.Start, sp.End), math.Max(sp.Start, sp.End)
		row := 0
		for row < len(ends[sp.Lane]) && ends[sp.Lane][row] > sp.Start {
			row++
		}
		switch {
		case row >= maxLaneRows:
			row = len(lanes[sp.Lane]) % maxLaneRows
			ends[sp.Lane][row] = math.Max(ends[sp.Lane][row], sp.End)
		case row == len(ends[sp.Lane]):
			ends[sp.Lane] = append(ends[sp.Lane], sp.End)
		default:
			ends[sp.Lane][row] = sp.End
		}
		lanes[sp.Lane] = append(lanes[sp.Lane], placed{sp, row})
	}
	total := 0.0
	for i := range lanes {
		slices.SortStableFunc(lanes[i], func(a, b placed) int { return cmp.Compare(a.Start, b.Start) })
		total += laneHeight(lanes[i])
	}
	return lanes, total
}

func laneHeight(list []placed) float64 {
	rows := 1
	for _, p := range list {
		rows = max(rows, p.row+1)
	}
	return float64(rows)*rowHeight + laneGap
}

// room is where the next span of the same row begins, or the end of the lane.
func room(after []placed, p placed, s scale, right float64) float64 {
	for _, next := range after {
		if next.row == p.row {
			return s.at(next.Start)
		}
	}
	return right
}

// span draws one span; free is how far its label may reach on its right.
func (d *drawing) span(t *Timeline, p placed, s scale, y, free float64) {
	y += float64(p.row) * rowHeight
	fill := "fill:" + stateColour(p.State)
	x1, x2 := s.at(p.Start), s.at(p.End)
	name := t.lane(p.Lane)
	if p.Label != "" {
		name += ": " + p.Label
	}
	if p.Start == p.End {
		d.circle(x1, y+rowHeight/2, 3.5, fill, fmt.Sprintf("%s at %s %s", name, number(p.Start), t.unit()))
		return
	}
	tip := fmt.Sprintf("%s, %s to %s %s", name, number(p.Start), number(p.End), t.unit())
	d.rect(x1, y+2, math.Max(x2-x1, 2), rowHeight-4, fill+";stroke:var(--bg)", tip)
	need := float64(width(clean(p.Label))) * charWidth
	switch {
	case p.Label == "":
	case need+10 < x2-x1:
		class := "inside"
		if p.State == Muted { // a ground that is neither light nor dark
			class = "strong"
		}
		d.text((x1+x2)/2, y+rowHeight/2+4, "middle", class, p.Label)
	case x2+need+8 < free:
		d.text(x2+5, y+rowHeight/2+4, "start", "strong halo", p.Label)
	}
}

// eventLabel is where the label of an event goes.
type eventLabel struct {
	text, anchor string
	dx           float64
	row          int
}

// placeEvents puts labels above the lanes, each in the first row where it covers no other.
func (t *Timeline) placeEvents(s scale, right float64) ([]eventLabel, int) {
	out := make([]eventLabel, len(t.Events))
	var taken [][][2]float64 // by row: the stretches in use
	for i, e := range t.Events {
		l := eventLabel{text: e.Label + " at " + number(e.At) + " " + t.unit(), anchor: "start", dx: 4}
		w := float64(width(clean(l.text)))*charWidth + 8
		from := s.at(e.At)
		to := from + w
		if to > right {
			l.anchor, l.dx = "end", -4
			from, to = from-w, from
		}
		for l.row < len(taken) && overlaps(taken[l.row], from, to) {
			l.row++
		}
		if l.row == len(taken) {
			taken = append(taken, nil)
		}
		taken[l.row] = append(taken[l.row], [2]float64{from, to})
		out[i] = l
	}
	return out, len(taken)
}

func overlaps(list [][2]float64, from, to float64) bool {
	for _, s := range list {
		if from < s[1] && s[0] < to {
			return true
		}
	}
	return false
}

// stateKeys explains the colours when more than one is used.
func (t *Timeline) stateKeys() []legendKey {
	used := map[State]bool{}
	for _, sp := range t.Spans {
		used[sp.State] = true
	}
	if len(used) < 2 {
		return nil
	}
	var keys []legendKey
	for _, k := range []struct {
		state State
		name  string
	}{{Good, "as it should be"}, {Bad, "not as it should be"}, {Neutral, "not judged"}, {Muted, "background"}} {
		if used[k.state] {
			keys = append(keys, legendKey{name: k.name, colour: stateColour(k.state), box: true})
		}
	}
	return keys
}
