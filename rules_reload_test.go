package sallyport_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// versionPack is the pack of one colour: it denies the colour's own tool by a rule, flags every request by a rule and by a detector,
// both named after the colour, and has two rules that are the same in every colour.
func versionPack(colour string) string {
	return fmt.Sprintf(`version: 1
name: %[1]s
detectors:
  - {name: detector-%[1]s, severity: review, side: request, patterns: [MARKER]}
rules:
  - {name: deny-%[1]s, call: {tool: only-%[1]s}}
  - {name: flag-%[1]s, action: review, call: {tool: "*"}}
  - {name: kept-loop, loop: {tool: again, threshold: 4, within: 1h}}
  - name: kept-flow
    flow: {within: 1h, steps: [{call: {tool: read}}, {call: {tool: send}}]}
`, colour)
}

// TestTwoHundredReloadsUnderLoad: whatever the moment, an exchange is decided by one version of the pack in all its parts, and says
// by which.
func TestTwoHundredReloadsUnderLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack.yaml")
	put := func(text string) {
		// Replaced as a whole, as a ConfigMap is.
		require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
	put(versionPack("red"))
	trail := &trail{}
	var policy sallyport.Policy
	e := start(t, func(c *sallyport.Config) {
		c.RulesPath, c.Audit, policy = path, trail, c.Policy
		policy.RulesPath = path
	})
	ask := func(principal, tool string) sallyport.Verdict {
		x := call("files", `{"name":"`+tool+`","arguments":{"text":"MARKER"}}`)
		x.Principal = principal
		return e.CheckRequest(t.Context(), x)
	}
	// Progress before the burst.
	require.Equal(t, decision.Flagged, ask("alice", "read").Outcome)
	for range 3 {
		require.Equal(t, decision.Flagged, ask("alice", "again").Outcome)
	}
	before := goleak.IgnoreCurrent()

	var load, burst sync.WaitGroup
	done := make(chan struct{})
	for worker := range 4 {
		load.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					if i >= 200 {
						return
					}
				default:
				}
				ask(fmt.Sprint("w", worker), []string{"only-red", "only-blue", "other"}[i%3])
			}
		})
	}
	failed := 0
	var mu sync.Mutex
	for i := range 200 {
		switch {
		case i%10 == 9:
			put("version: 1\nname: broken\nrules:\n  - {name: x, cal: {}}\n")
		case i%2 == 0:
			put(versionPack("blue"))
		default:
			put(versionPack("red"))
		}
		burst.Go(func() {
			if err := e.Reload(context.Background(), policy); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed++
			}
		})
		if i%20 == 19 {
			burst.Wait() // so that the burst is of many versions even where reading is slow
		}
	}
	put(versionPack("blue"))
	burst.Go(func() { require.NoError(t, e.Reload(context.Background(), policy)) })
	burst.Wait()
	put("broken")
	require.Error(t, e.Reload(t.Context(), policy))
	close(done)
	load.Wait()
	// The dispatcher parks a few goroutines, and more of them than before the burst.
	goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("github.com/sallyport-mcp/sallyport/supervision/guard.(*Warm).loop"))

	require.Equal(t, decision.Deny, ask("bob", "only-blue").Outcome, "the last valid file is in force")
	require.Equal(t, decision.Flagged, ask("bob", "only-red").Outcome)
	require.Equal(t, decision.Deny, ask("alice", "again").Outcome, "the fourth identical call, over all versions")
	require.Equal(t, decision.Deny, ask("alice", "send").Outcome, "what was read before the burst is not forgotten")
	// The load may have filled the trail's queue faster than the writer empties it, and a stop has little time to wait for that.
	require.Eventually(t, func() bool {
		ask("late", "other")
		return slices.ContainsFunc(trail.exchanges(), func(r audit.Record) bool { return r.Principal == "late" })
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, e.Shutdown(t.Context()))

	versions := map[string]string{} // by colour
	seen := map[string]int{}
	for _, r := range trail.exchanges() {
		colour := consistent(t, r)
		if known, ok := versions[colour]; ok {
			require.Equal(t, known, r.RulesVersion)
		}
		versions[colour] = r.RulesVersion
		seen[colour]++
	}
	require.Len(t, versions, 2)
	require.NotEqual(t, versions["red"], versions["blue"])
	t.Logf("%v exchanges by version; %d reloads failed as they should", seen, failed)
}

// consistent checks that every part of the line is of one colour, and returns it.
func consistent(t *testing.T, r audit.Record) string {
	var colours []string
	note := func(name string) {
		if _, colour, ok := strings.Cut(name, "-"); ok && (colour == "red" || colour == "blue") {
			colours = append(colours, colour)
		}
	}
	for _, f := range r.Findings {
		note(f.Detector)
	}
	for _, name := range r.RulesHit {
		note(name)
	}
	slices.Sort(colours)
	colours = slices.Compact(colours)
	require.Len(t, colours, 1, "findings %v, rules %v", r.Findings, r.RulesHit)
	require.Len(t, r.Findings, 1)
	denied := r.Tool == "only-"+colours[0] || slices.Contains(r.RulesHit, "kept-loop") || slices.Contains(r.RulesHit, "kept-flow")
	require.Equal(t, denied, r.Outcome == decision.Deny.String(), "tool %s of %v: %s", r.Tool, colours, r.Outcome)
	return colours[0]
}
