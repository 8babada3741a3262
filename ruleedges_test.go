package sallyport_test

import (
	"strings"
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

// TestResultsWithoutTheirCallFeedNoRule: a result whose token is missing, forged or of another service is nobody's
// event: two of them do not make a flow, while two of one caller do.
func TestResultsWithoutTheirCallFeedNoRule(t *testing.T) {
	e := start(t, func(c *sallyport.Config) {
		c.RulesPath = write(t, `version: 1
name: p
rules:
  - name: mail-then-key
    flow: {within: 1h, steps: [{result: {labels: [personal_data]}}, {result: {labels: [secret]}}]}
`)
	})
	bodies := []string{`{"content":[{"type":"text","text":"mail kim@example.org"}]}`, `{"content":[{"type":"text","text":"key AKIA` + `Z7Q4M2XKPLD3W5RT"}]}`}
	answer := func(token, body string) sallyport.Verdict {
		x := call("a", body)
		x.Call = token
		return e.CheckResponse(t.Context(), x)
	}
	token := func(service string) string {
		x := call(service, `{"name":"x"}`)
		x.Principal = "kim"
		v := e.CheckRequest(t.Context(), x)
		require.NotEmpty(t, v.Call)
		return v.Call
	}
	for name, bring := range map[string]func() string{
		"none":              func() string { return "" },
		"no token":          func() string { return "not a token" },
		"another service's": func() string { return token("b") },
	} {
		for _, body := range bodies {
			require.False(t, answer(bring(), body).Denied(), name)
		}
	}
	once := token("a")
	require.False(t, answer(once, bodies[0]).Denied())
	again := answer(once, bodies[0])
	require.Equal(t, decision.Mutated, again.Outcome, "a token that was used is as if there were none: %s", again.Cause)
	require.Equal(t, decision.Deny, answer(token("a"), bodies[1]).Outcome)
}

// TestNoToolHasSuchAName: a name that no tool can have is refused before rules and lists look at it.
func TestNoToolHasSuchAName(t *testing.T) {
	e := start(t, nil)
	for length, want := range map[int]decision.Outcome{128: decision.Allow, 16 << 10: decision.Allow, 16<<10 + 1: decision.Invalid, 1 << 20: decision.Invalid} {
		v := e.CheckRequest(t.Context(), call("a", `{"name":"`+strings.Repeat("n", length)+`","arguments":{}}`))
		require.Equal(t, want, v.Outcome, "%d: %s", length, v.Cause)
		if want == decision.Invalid {
			require.Equal(t, decision.Size, v.Category)
		}
	}
}
