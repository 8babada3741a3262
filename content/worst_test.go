package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorstTextsAreReadInFull runs the texts of the benchmark at four times their size: whatever is not linear
// in them shows as a test that takes minutes.
func TestWorstTextsAreReadInFull(t *testing.T) {
	for _, tt := range benchTexts {
		text := strings.ToValidUTF8(strings.Repeat(tt.text, 4), "")
		r := scanText(t, text)
		require.Equal(t, r.Coverage.TotalBytes, r.Coverage.ScannedBytes, tt.name)
		for _, f := range r.Findings {
			if f.Start >= 0 {
				require.LessOrEqual(t, f.End, len(text), tt.name)
			}
		}
	}
	for _, tt := range definitionTexts {
		_, r := scanBody(t, "tools/list", SideResponse, toolList(strings.Repeat(tt.text, 4)))
		require.Equal(t, r.Coverage.TotalBytes, r.Coverage.ScannedBytes, tt.name)
	}
}

// TestWorstBodiesAreReadInFull does the same with bodies of many strings.
func TestWorstBodiesAreReadInFull(t *testing.T) {
	for _, tt := range shapes(4 * size) {
		_, r := scanBody(t, tt.method, SideResponse, tt.body)
		require.Equal(t, r.Coverage.TotalBytes, r.Coverage.ScannedBytes, tt.name)
	}
}
