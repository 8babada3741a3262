package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Picture draws charts, one below the other under their titles, as an SVG file
// that stands alone, for a page of the manual. Blocks that are no chart are left
// out; without any chart the error says so.
func Picture(blocks ...Block) ([]byte, error) {
	var charts strings.Builder
	y := 0.0
	for _, b := range blocks {
		c := htmlOf(b).Chart
		if c == nil {
			continue
		}
		height, err := chartHeightOf(string(c.SVG))
		if err != nil {
			return nil, fmt.Errorf("draw %q: %w", c.Title, err)
		}
		fmt.Fprintf(&charts, `<text x="%s" y="%s" class="strong title">%s</text>`+"\n", coord(pictureMargin), coord(y+pictureTitle-8), esc(c.Title))
		y += pictureTitle
		charts.WriteString(strings.Replace(string(c.SVG), "<svg ", fmt.Sprintf(`<svg x="0" y="%s" width="%s" height="%s" `, coord(y), coord(chartWidth), coord(height)), 1))
		charts.WriteByte('\n')
		y += height
	}
	if y == 0 {
		return nil, fmt.Errorf("draw %d blocks: none of them is a chart", len(blocks))
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s"><style>%s`+
		` svg text { font-family: system-ui, "DejaVu Sans", sans-serif; } svg .title { font-size: 14px; font-weight: 600; }</style>`+
		`<rect width="100%%" height="100%%" style="fill:var(--bg)"/>`+"\n%s</svg>\n", coord(chartWidth), coord(y), pageCSS, charts.String()), nil
}

// Geometry of a picture beside that of its charts.
const (
	pictureTitle  = 32.0
	pictureMargin = 16.0
)

var viewBox = regexp.MustCompile(`viewBox="0 0 [0-9.]+ ([0-9.]+)"`)

// chartHeightOf is the height that a drawn chart says it has.
func chartHeightOf(svg string) (float64, error) {
	m := viewBox.FindStringSubmatch(svg)
	if m == nil {
		return 0, fmt.Errorf("its drawing has no height")
	}
	return strconv.ParseFloat(m[1], 64)
}
