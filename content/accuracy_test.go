package content

import (
	"encoding/json/v2"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewriteTable = flag.Bool("rewrite", false, "rewrite testdata/accuracy/table.md")

// TestAccuracy measures every detector on its own texts and compares the table with the committed one: a
// change for the worse fails, a change for the better is committed with -rewrite. Texts that are missed or
// flagged wrongly are listed with -v.
func TestAccuracy(t *testing.T) {
	files, err := filepath.Glob("testdata/accuracy/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var table strings.Builder
	table.WriteString("| detector | positive texts | found | recall | negative texts | flagged | precision |\n|---|---|---|---|---|---|---|\n")
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		pos, found, neg, flagged := 0, 0, 0, 0
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			text := accuracyText(t, line[2:])
			var r Report
			if strings.HasSuffix(path, ".tool.txt") {
				_, r = scanBody(t, "tools/list", SideResponse, `{"tools":[{"name":"x","description":`+quote(t, text)+`,"inputSchema":{}}]}`)
			} else {
				r = scanText(t, text)
			}
			hit := len(paths(r, name)) > 0
			switch line[0] {
			case '+':
				pos++
				if hit {
					found++
				} else {
					t.Logf("%s missed %q", name, text)
				}
			case '-':
				neg++
				if hit {
					flagged++
					t.Logf("%s flagged %q", name, text)
				}
			}
		}
		precision := 1.0
		if found+flagged > 0 {
			precision = float64(found) / float64(found+flagged)
		}
		fmt.Fprintf(&table, "| %s | %d | %d | %.2f | %d | %d | %.2f |\n", name, pos, found, float64(found)/float64(max(pos, 1)), neg, flagged, precision)
	}
	const golden = "testdata/accuracy/table.md"
	if *rewriteTable {
		require.NoError(t, os.WriteFile(golden, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String())
}

func accuracyText(t *testing.T, line string) string {
	t.Helper()
	var text string
	quoted := `"` + strings.ReplaceAll(strings.ReplaceAll(line, `\"`, `"`), `"`, `\"`) + `"`
	require.NoError(t, json.Unmarshal([]byte(quoted), &text), line)
	return text
}
