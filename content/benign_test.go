package content

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBenignCorpus counts the false positives on corpora of benign texts. SALLYPORT_BENIGN lists the files
// (JSON lines with text, label and kind; gzip), separated by the list separator of the system. Texts of the kind
// tool_params are judged as the arguments of a call, descriptions as those of a tool, all others as results; with
// SALLYPORT_BENIGN_SIDE=request every text is judged as the value of an argument. With SALLYPORT_BENIGN_SHOW=n the
// first n texts that were flagged are printed.
func TestBenignCorpus(t *testing.T) {
	list := os.Getenv("SALLYPORT_BENIGN")
	if list == "" {
		t.Skip("SALLYPORT_BENIGN is not set")
	}
	show := 0
	_, _ = fmt.Sscan(os.Getenv("SALLYPORT_BENIGN_SHOW"), &show) // unset or no number shows none
	for _, path := range filepath.SplitList(list) {
		f, err := os.Open(path)
		require.NoError(t, err)
		z, err := gzip.NewReader(f)
		require.NoError(t, err)
		s := bufio.NewScanner(z)
		s.Buffer(nil, 16<<20)
		texts, blocked, reviewed := 0, 0, 0
		by := map[string]int{}
		for s.Scan() {
			var row struct {
				Text  string `json:"text"`
				Label int    `json:"label"`
				Kind  string `json:"kind"`
			}
			require.NoError(t, json.Unmarshal(s.Bytes(), &row, json.MatchCaseInsensitiveNames(false)))
			if row.Label != 0 {
				continue
			}
			texts++
			body, method, side := result(row.Text), "tools/call", SideResponse
			switch {
			case strings.HasPrefix(row.Kind, "tool_params"):
				side, body = SideRequest, `{"name":"t","arguments":`+row.Text+`}`
				if !jsontext.Value(row.Text).IsValid() {
					body = `{"name":"t","arguments":{"text":` + quote(t, row.Text) + `}}`
				}
			case os.Getenv("SALLYPORT_BENIGN_SIDE") == "request":
				side, body = SideRequest, `{"name":"t","arguments":{"text":`+quote(t, row.Text)+`}}`
			case strings.HasPrefix(row.Kind, "tool_descriptions"):
				body, method = `{"tools":[{"name":"t","description":`+quote(t, row.Text)+`,"inputSchema":{"type":"object"}}]}`, "tools/list"
			}
			d, err := Parse([]byte(body), Limits{})
			require.NoError(t, err)
			require.NoError(t, d.Assign(method, side))
			r, err := Builtin().Scan(context.Background(), d, side)
			require.NoError(t, err)
			worst := Note
			seen := map[string]bool{}
			for _, x := range r.Findings {
				worst = max(worst, x.Severity)
				key := x.Severity.String() + " " + x.Detector + " " + x.View
				if !seen[key] {
					seen[key] = true
					by[key]++
				}
				if show > 0 && (x.Severity > Note || x.Category != CategoryPersonalData && x.Category != CategoryHiddenText) {
					show--
					txt := d.Strings()[x.String].Text
					lo, hi := max(0, x.Start-60), min(len(txt), max(x.End, 0)+60)
					t.Logf("%s %s %s: %q", x.Severity, x.Detector, x.View, txt[lo:hi])
				}
			}
			switch worst {
			case Block:
				blocked++
			case Review:
				reviewed++
			}
		}
		require.NoError(t, s.Err())
		require.NoError(t, f.Close())
		t.Logf("%s: %d texts, %d blocked (%.2f %%), %d reviewed (%.2f %%)", filepath.Base(path), texts,
			blocked, 100*float64(blocked)/float64(texts), reviewed, 100*float64(reviewed)/float64(texts))
		var keys []string
		for k := range by {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			t.Logf("  %-50s %d", k, by[k])
		}
	}
}
