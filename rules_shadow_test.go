package sallyport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// TestShadowRulesCannotFail: a predicate that fails is an undecided exchange where its rule may refuse or hold one, and
// nothing at all where the rule only watches.
func TestShadowRulesCannotFail(t *testing.T) {
	for action, want := range map[string]decision.Outcome{"block": decision.Error, "review": decision.Error, "shadow": decision.Allow} {
		e := start(t, func(c *sallyport.Config) {
			c.RulesPath = write(t, `version: 1
name: p
rules:
  - {name: adds, action: `+action+`, call: {tool: "*", when: "args.n + 1 > 2"}}
`)
		})
		v := e.CheckRequest(t.Context(), call("a", `{"name":"x","arguments":{"n":"one"}}`))
		require.Equal(t, want, v.Outcome, "%s: %s", action, v.Cause)
		require.Equal(t, decision.Allow, e.CheckRequest(t.Context(), call("a", `{"name":"x","arguments":{"n":1}}`)).Outcome)
	}
}
