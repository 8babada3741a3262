package drill

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

// Picture is the timeline of a row as an SVG file that stands alone.
func (v *Verdict) Picture() ([]byte, error) {
	svg, err := report.Picture(v.timeline())
	if err != nil {
		return nil, fmt.Errorf("draw row %s: %w", v.Row.Name, err)
	}
	return svg, nil
}
