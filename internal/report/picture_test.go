package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPictureStandsAlone(t *testing.T) {
	line := &LineChart{Title: "Size <over> time", X: Axis{Label: "time", Unit: "s"}, Y: Axis{Label: "size"}, Series: []Series{{Name: "a", Points: []Point{{0, 1}, {1, 2}}}}}
	when := &Timeline{Title: "When", Lanes: []string{"x"}, Spans: []Span{{Label: "y", Start: 0, End: 1}}}
	got, err := Picture(line, Text("left out"), when)
	require.NoError(t, err)
	dec, charts := xml.NewDecoder(strings.NewReader(string(got))), 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "not well-formed")
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "svg" {
			charts++
		}
	}
	require.Equal(t, 3, charts, "the picture and its two charts")
	require.Contains(t, string(got), `xmlns="http://www.w3.org/2000/svg"`)
	require.Contains(t, string(got), "Size &lt;over&gt; time")
	require.NotContains(t, string(got), "left out")
	// Alone, a picture inherits no font.
	inherit, own := strings.Index(string(got), "svg text { fill"), strings.Index(string(got), "svg text { font-family: system-ui")
	require.Positive(t, inherit)
	require.Greater(t, own, inherit, "of two rules that weigh the same the later one holds")
}

func TestPictureOfNothing(t *testing.T) {
	_, err := Picture(Text("x"), Figures{})
	require.ErrorContains(t, err, "none of them is a chart")
}
