package sallyport_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

func TestACallMustNameItsTool(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.AllowTools = []string{"mail/read*"} })
	for _, body := range []string{`{"name":5}`, `{"name":""}`, `{}`, `{"NAME":"x"}`} {
		require.Equal(t, decision.Invalid, e.CheckRequest(t.Context(), call("mail", body)).Outcome, body)
	}
	absent := &sallyport.Exchange{Method: "tools/call", Services: []string{"mail"}}
	require.Equal(t, decision.Deny, e.CheckRequest(t.Context(), absent).Outcome, "empty params: a tool without a name is not on the list")
}

// A body is read whether or not somebody said that there is one.
func TestABodyIsReadWithoutASign(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.DenyTools = []string{"shell"} })
	for body, want := range map[string]string{
		`{"name":"shell"}`: "tool_policy",
		`{"name":""}`:      "malformed",
		`{"name":"x","arguments":{"k":"AKIA` + `Z7Q4M2XKPLD3W5RT"}}`: "secret",
		`{"name":`: "malformed",
	} {
		v := e.CheckRequest(t.Context(), &sallyport.Exchange{Method: "tools/call", Services: []string{"a"}, Body: []byte(body)})
		require.True(t, v.Denied(), body)
		require.EqualValues(t, want, v.Category, body)
	}
	v := e.CheckRequest(t.Context(), &sallyport.Exchange{Method: "tools/list", Services: []string{"a"}})
	require.Equal(t, decision.Allow, v.Outcome, "none is an empty object")
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

func TestAccessListsHoldWithoutAService(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.DenyTools = []string{"github/delete_repo"} })
	x := call("", `{"name":"delete_repo"}`)
	x.Services = nil
	require.Equal(t, decision.Deny, e.CheckRequest(t.Context(), x).Outcome)
}
