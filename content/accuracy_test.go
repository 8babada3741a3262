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

// accuracyCase is one text of the corpus: a value in one of its surroundings.
type accuracyCase struct {
	text  string
	found bool // whether the detector must find it
}

// accuracyFile is the corpus of one detector.
type accuracyFile struct {
	detector string
	tool     bool // the texts are descriptions of tools
	values   [2]int
	cases    []accuracyCase
}

// readAccuracy reads the corpus: every value alone and in ordinary surroundings.
func readAccuracy(t *testing.T) []accuracyFile {
	t.Helper()
	paths, err := filepath.Glob("testdata/accuracy/*.txt")
	require.NoError(t, err)
	contexts := map[string][]string{}
	for _, kind := range []string{"inline", "block"} {
		contexts[kind] = corpusLines(t, "testdata/accuracy/contexts-"+kind+".txt")
		require.GreaterOrEqual(t, len(contexts[kind]), 20)
	}
	var files []accuracyFile
	for _, path := range paths {
		name, rest, _ := strings.Cut(filepath.Base(path), ".")
		if strings.HasPrefix(name, "contexts-") {
			continue
		}
		f := accuracyFile{detector: name, tool: rest == "tool.txt"}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		around := contexts["inline"]
		if strings.Contains(string(data), "contexts-block.txt") {
			around = contexts["block"]
		}
		for _, line := range corpusLines(t, path) {
			require.Contains(t, []string{"+ ", "- "}, line[:2], path)
			f.values[boolInt(line[0] == '+')]++
			for _, c := range around {
				f.cases = append(f.cases, accuracyCase{accuracyText(t, strings.ReplaceAll(c, "§", line[2:])), line[0] == '+'})
			}
		}
		files = append(files, f)
	}
	return files
}

// corpusLines returns the lines of a file that are neither empty nor comments.
func corpusLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// TestAccuracy measures every detector on its own texts and compares the table with the committed one, which the
// manual shows too: a change for the worse fails, a change for the better is committed with -rewrite. Texts that
// are missed or flagged wrongly are listed with -v.
func TestAccuracy(t *testing.T) {
	var table strings.Builder
	table.WriteString("| detector | values | positive texts | found | recall | look-alikes | negative texts | flagged | precision |\n|---|---|---|---|---|---|---|---|---|\n")
	measured := map[string]bool{"incomplete-decode": true} // a state, not a text
	for _, f := range readAccuracy(t) {
		measured[f.detector] = true
		pos, found, neg, flagged := 0, 0, 0, 0
		for _, c := range f.cases {
			var r Report
			if f.tool {
				_, r = scanBody(t, "tools/list", SideResponse, `{"tools":[{"name":"x","description":`+quote(t, c.text)+`,"inputSchema":{}}]}`)
			} else {
				r = scanText(t, c.text)
			}
			hit := len(paths(r, f.detector)) > 0
			if c.found {
				pos++
				found += boolInt(hit)
			} else {
				neg++
				flagged += boolInt(hit)
			}
			if hit != c.found {
				t.Logf("%s: found %v in %q", f.detector, hit, c.text)
			}
		}
		require.GreaterOrEqual(t, pos, 40, f.detector)
		require.GreaterOrEqual(t, neg, 40, f.detector)
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %.3f | %d | %d | %d | %.3f |\n", f.detector, f.values[1], pos, found, float64(found)/float64(pos),
			f.values[0], neg, flagged, float64(found)/float64(max(found+flagged, 1)))
	}
	for _, d := range builtinDetectors {
		require.True(t, measured[d.name], "%s has no texts in testdata/accuracy", d.name)
	}
	t.Log("\n" + table.String())
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
