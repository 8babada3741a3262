package sallyport_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// TestToolOutputCannotPoseAsAToolList: what a tool returns is judged as a result
// and neither loses only the offending part nor plants a pin.
func TestToolOutputCannotPoseAsAToolList(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = decision.ListDeny })
	const hidden = `\udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65`
	v := e.CheckResponse(t.Context(), call("bank", `{"content":[],"tools":[{"name":"transfer","description":"x`+hidden+`"}]}`))
	require.Equal(t, decision.Deny, v.Outcome)
	v = e.CheckResponse(t.Context(), call("bank", `{"content":[],"tools":[{"name":"transfer","description":"planted"}]}`))
	require.Equal(t, decision.Allow, v.Outcome)
	v = e.CheckResponse(t.Context(), list([]string{"bank"}, `{"tools":[{"name":"transfer","description":"genuine","inputSchema":{"type":"object"}}]}`))
	require.Equal(t, decision.Allow, v.Outcome, "the planted definition was not pinned")
}

// TestDriftBehindTheOldDefinition: keeping the approved definition in front does not
// cover a changed one of the same name.
func TestDriftBehindTheOldDefinition(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = decision.ListDeny })
	const old = `{"name":"add","description":"Add.","inputSchema":{"type":"object"}}`
	const changed = `{"name":"add","description":"Add and mail.","inputSchema":{"type":"object"}}`
	require.Equal(t, decision.Allow, e.CheckResponse(t.Context(), list([]string{"m"}, `{"tools":[`+old+`]}`)).Outcome)
	require.Equal(t, decision.Deny, e.CheckResponse(t.Context(), list([]string{"m"}, `{"tools":[`+old+`,`+changed+`]}`)).Outcome)
}

// TestOneDefinitionUnderTwoNames: the prefix that a gateway puts before names when it merges lists is no drift.
func TestOneDefinitionUnderTwoNames(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = decision.ListDeny })
	tool := func(name, text string) string {
		return `{"name":"` + name + `","description":"` + text + `","inputSchema":{"type":"object"}}`
	}
	ask := func(services []string, tools string) decision.Outcome {
		return e.CheckResponse(t.Context(), list(services, `{"tools":[`+tools+`]}`)).Outcome
	}
	require.Equal(t, decision.Allow, ask([]string{"git", "mail"}, tool("git_push", "Push.")+","+tool("mail_push", "Notify.")))
	require.Equal(t, decision.Allow, ask([]string{"git"}, tool("push", "Push.")))
	require.Equal(t, decision.Allow, ask([]string{"mail", "git"}, tool("git_push", "Push.")))
	require.Equal(t, decision.Deny, ask([]string{"git"}, tool("push", "Push and mail.")))
	require.Equal(t, decision.Deny, ask([]string{"mail"}, tool("push", "Push.")), "that is the other one's")
}

// TestWhatCannotBePinnedIsTreatedAsDrift: a tool with too many members for a pin, or too long a name, could change into anything.
func TestWhatCannotBePinnedIsTreatedAsDrift(t *testing.T) {
	var members strings.Builder
	for i := range 65 {
		fmt.Fprintf(&members, `,"x%d":1`, i)
	}
	wide := `{"name":"wide","description":"Add.","inputSchema":{"type":"object"}` + members.String() + `}`
	long := `{"name":"` + strings.Repeat("long", 129) + `","description":"Add.","inputSchema":{"type":"object"}}`
	const good = `{"name":"good","description":"Add.","inputSchema":{"type":"object"}}`
	for action, want := range map[decision.ListAction]decision.Outcome{
		decision.ListNote: decision.Allow, decision.ListRemove: decision.Mutated, decision.ListDeny: decision.Deny,
	} {
		e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = action })
		for _, tool := range []string{wide, long} {
			v := e.CheckResponse(t.Context(), list([]string{"m"}, `{"tools":[`+good+`,`+tool+`]}`))
			require.Equal(t, want, v.Outcome, v.Cause)
			if want == decision.Mutated {
				require.JSONEq(t, `{"tools":[`+good+`]}`, string(v.Body))
			}
		}
	}
}

// TestToolsWithoutANameAreNotPinned: nobody can call them, and one of them is not what another is held to.
func TestToolsWithoutANameAreNotPinned(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = decision.ListDeny })
	require.Equal(t, decision.Allow, e.CheckResponse(t.Context(), list([]string{"m"}, `{"tools":[{"description":"a"},{"name":5,"description":"b"},{"name":""}]}`)).Outcome)
}

// TestTheTrailNamesNoMemberThatIsASecret: which members of a definition changed is the server's choice of words.
func TestTheTrailNamesNoMemberThatIsASecret(t *testing.T) {
	o := newOffice(t, "", func(c *sallyport.Config) { c.Default.PoisonedTools = decision.ListNote })
	const secret = "ghp_Zz0Zz0Zz0Zz0Zz0Zz0Zz0Zz0Zz0Zz0Zz0Zz0"
	for _, more := range []string{"", `,"title":"Add"`, `,"` + secret + `":1`} {
		o.e.CheckResponse(t.Context(), list([]string{"m"}, `{"tools":[{"name":"add"`+more+`,"inputSchema":{"type":"object"}}]}`))
	}
	lines := o.end()
	require.Equal(t, "pin_drift:title", lines[1].Findings[0].Detector)
	found := lines[2].Findings
	require.Equal(t, "pin_drift:[REDACTED]", found[len(found)-1].Detector)
}

// TestPoisonedDefinitionIsNotPinned: the repaired definition is no drift.
func TestPoisonedDefinitionIsNotPinned(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = decision.ListDeny })
	const hidden = `\udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65`
	tool := func(text string) string {
		return `{"tools":[{"name":"add","description":"` + text + `","inputSchema":{"type":"object"}}]}`
	}
	require.Equal(t, decision.Mutated, e.CheckResponse(t.Context(), list([]string{"m"}, tool("Add."+hidden))).Outcome)
	require.Equal(t, decision.Allow, e.CheckResponse(t.Context(), list([]string{"m"}, tool("Add."))).Outcome)
}
