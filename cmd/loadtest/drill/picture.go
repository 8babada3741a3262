package drill

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

// Picture is the timeline of a row as an SVG file that stands alone. It is the
// chart of the report's page with the page's style inside.
func (v *Verdict) Picture() ([]byte, error) {
	rep := report.New(v.Row.Name, "")
	rep.Section(v.Row.Name, v.timeline())
	var page bytes.Buffer
	if err := rep.Write(&page, report.HTMLEncoding); err != nil {
		return nil, fmt.Errorf("draw row %s: %w", v.Row.Name, err)
	}
	style, ok := between(page.String(), "<style>", "</style>")
	chart, found := between(page.String(), "<svg ", "</svg>")
	if !ok || !found {
		return nil, fmt.Errorf("draw row %s: the page has no chart", v.Row.Name)
	}
	head, body, _ := strings.Cut(chart, ">")
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" ` + head + `><style>` + style +
		` text { font-family: system-ui, "DejaVu Sans", sans-serif; }</style><rect width="100%" height="100%" style="fill:var(--bg)"/>` + body + "</svg>\n"), nil
}

func between(s, from, to string) (string, bool) {
	_, s, ok := strings.Cut(s, from)
	if !ok {
		return "", false
	}
	s, _, ok = strings.Cut(s, to)
	return s, ok
}
