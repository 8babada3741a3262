package content

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const manual = "../docs/detectors.md"

// section cuts the manual at the markers of a part that is compared with the code.
func section(t *testing.T, text, name string) (before, inside, after string) {
	t.Helper()
	begin, end := "<!-- "+name+" begin -->\n", "<!-- "+name+" end -->"
	i, j := strings.Index(text, begin), strings.Index(text, end)
	require.True(t, i >= 0 && j >= i, "markers of %s", name)
	i += len(begin)
	return text[:i], text[i:j], text[j:]
}

// TestManualListsTheDetectors compares the table of the manual with the detectors: every one is there, with its
// category, severities and mask.
func TestManualListsTheDetectors(t *testing.T) {
	data, err := os.ReadFile(manual)
	require.NoError(t, err)
	_, table, _ := section(t, string(data), "detectors")
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 2 || !strings.Contains(cells[0], "`") {
			continue
		}
		require.Len(t, cells, 8, line)
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		require.NotContains(t, rows, cells[0])
		rows[cells[0]] = cells
		require.NotEmpty(t, cells[5], "%s: what it finds", cells[0])
	}
	for _, d := range builtinDetectors {
		result := d.severity[SideResponse]
		if d.maskable() {
			result = Note
		}
		require.Contains(t, rows, d.name)
		require.Equal(t, []string{d.name, d.category, d.severity[SideRequest].String(), result.String(), d.mask}, rows[d.name][:5])
		delete(rows, d.name)
	}
	require.Empty(t, slices.Collect(maps.Keys(rows)), "no detectors of these names")
}

// TestManualShowsTheAccuracy keeps the manual's table the measured one; -rewrite writes it.
func TestManualShowsTheAccuracy(t *testing.T) {
	data, err := os.ReadFile(manual)
	require.NoError(t, err)
	table, err := os.ReadFile("testdata/accuracy/table.md")
	require.NoError(t, err)
	before, inside, after := section(t, string(data), "accuracy")
	if *rewriteTable {
		require.NoError(t, os.WriteFile(manual, []byte(before+string(table)+after), 0o644))
		return
	}
	require.Equal(t, string(table), inside, "run go test ./content -run 'Accuracy|Manual' -rewrite")
}
