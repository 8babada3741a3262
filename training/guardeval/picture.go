package main

import (
	"fmt"
	"html"
	"strings"
)

// Geometry of the picture, in SVG units.
const (
	rowHeight  = 22
	barHeight  = 15
	nameWidth  = 230
	barWidth   = 480
	countWidth = 110
	legendLeft = 40
)

// share is one piece of a bar.
type share struct {
	name, colour string
	of           func(*tally) int
}

// The pieces of a bar, from what was refused to what passed.
var shares = []share{
	{"blocked without the model", "#7b3294", func(t *tally) int { return t.WithoutModel }},
	{"blocked by the model alone", "#c2549d", func(t *tally) int { return t.Blocked - t.WithoutModel }},
	{"put before a person", "#f0b35e", func(t *tally) int { return t.Reviewed }},
	{"passed", "#cfd8dc", func(t *tally) int { return t.Passed + t.Masked }},
}

// picture draws a bar for the attacks and the harmless texts of every set.
func (e *evaluation) picture() string {
	var b strings.Builder
	y := 30
	text := func(x, y int, anchor, class, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class, html.EscapeString(s))
	}
	x := legendLeft
	for _, s := range shares {
		fmt.Fprintf(&b, `<rect x="%d" y="8" width="11" height="11" fill="%s"/>`+"\n", x, s.colour)
		text(x+15, 18, "start", "", s.name)
		x += 22 + 7*len(s.name)
	}
	bars := func(title string, of func(*named) *tally) {
		y += 22
		text(nameWidth-8, y, "end", "b", title)
		y += 8
		for i := range e.Sets {
			s, t := &e.Sets[i], of(&e.Sets[i])
			if t.Texts == 0 || s.Composed && t == &s.Harmless {
				continue
			}
			text(nameWidth-8, y+12, "end", "", s.Name)
			left := float64(nameWidth)
			for _, piece := range shares {
				n := piece.of(t)
				w := barWidth * float64(n) / float64(t.Texts)
				if n > 0 {
					fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s: %d of %d</title></rect>`+"\n", left, y, w, barHeight, piece.colour, piece.name, n, t.Texts)
				}
				left += w
			}
			text(nameWidth+barWidth+8, y+12, "start", "", fmt.Sprintf("%d", t.Texts))
			y += rowHeight
		}
	}
	bars("Attacks", func(n *named) *tally { return &n.Attacks })
	bars("Harmless texts", func(n *named) *tally { return &n.Harmless })
	y += 10
	width := nameWidth + barWidth + countWidth
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">
<style>text{fill:#24292f}.b{font-weight:bold}</style>
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, width, y, width, y, b.String())
}
