package drill

import (
	"fmt"
	"path/filepath"

	"github.com/sallyport-mcp/sallyport/internal/report"
)

// Picture is the timeline of a row as an SVG file that stands alone.
func (v *Verdict) Picture() ([]byte, error) {
	charts := []report.Block{v.timeline()}
	if v.Row.Restarts > 0 {
		charts = append(charts, v.latency())
	}
	svg, err := report.Picture(charts...)
	if err != nil {
		return nil, fmt.Errorf("draw row %s: %w", v.Row.Name, err)
	}
	return svg, nil
}

// PictureFile is the file for the row's picture beside the one that was asked for.
// The first row of the matrix and the rolling restart have one.
func (v *Verdict) PictureFile(asked string) (string, bool) {
	switch {
	case v.Err != nil:
		return "", false
	case v.Row.Restarts > 0:
		return filepath.Join(filepath.Dir(asked), "rolling.svg"), true
	}
	return asked, v.Row.Name == pictured
}

// pictured is the row whose picture shows what a drain is.
const pictured = "drain"
