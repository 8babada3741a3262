package sallyport_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// A session that goes on calling is no old session, also when no rule looks at
// what it calls: a flood of new ones must not push it out.
func TestLiveSessionOutlivesAFlood(t *testing.T) {
	path := t.TempDir() + "/pack.yaml"
	require.NoError(t, os.WriteFile(path, []byte("version: 1\nname: x\nrules:\n  - name: read-then-send\n    flow: {within: 1h, steps: [{call: {tool: read}}, {call: {tool: send}}]}\n"), 0o600))
	e := start(t, func(c *sallyport.Config) { c.RulesPath, c.MaxTraces = path, 64 })
	ask := func(session, tool string) decision.Outcome {
		x := call("files", `{"name":"`+tool+`","arguments":{}}`)
		x.Principal = session
		return e.CheckRequest(t.Context(), x).Outcome
	}
	require.Equal(t, decision.Allow, ask("alive", "read"))
	for i := range 1000 {
		require.Equal(t, decision.Allow, ask(fmt.Sprint("flood-", i), "read"))
		require.Equal(t, decision.Allow, ask("alive", "look")) // no rule looks at it
	}
	require.Equal(t, decision.Deny, ask("alive", "send"))
}
