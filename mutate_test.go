package sallyport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// TestAMutationThatDoesNotHoldIsRefused: what we send in the place of what came has to be what its receiver expects. A
// message that is not may pass as it came, which is between its sender and its receiver, but never in our words.
func TestAMutationThatDoesNotHoldIsRefused(t *testing.T) {
	e, trail := engineWith(t, &wordModel{}, func(c *Config) { c.Default.RedactRequests = true })
	const mail = "kim@example.org"
	tool := func(name, text, rest string) string {
		return `{"name":"` + name + `","description":"` + text + `"` + rest + `}`
	}
	const schema = `,"inputSchema":{"type":"object"}`
	for name, tc := range map[string]struct {
		phase        decision.Phase
		method       string
		intact, lame string // the same to be changed, in a shape that holds and in one that does not
		untouched    string // the shape that does not hold, with nothing to be changed
		where        string // of the member that does not fit
	}{
		"a block without its type": {
			decision.Response, "tools/call",
			`{"content":[{"type":"text","text":"` + mail + `"}]}`, `{"content":[{"text":"` + mail + `"}]}`, `{"content":[{"text":"hello"}]}`,
			"/content/0/type",
		},
		"arguments in a list": {
			decision.Request, "tools/call",
			`{"name":"x","arguments":{"a":"` + toyKey + `"}}`, `{"name":"x","arguments":["` + toyKey + `"]}`, `{"name":"x","arguments":["hello"]}`,
			"/arguments",
		},
		"a tool without its schema": {
			decision.Response, "tools/list",
			`{"tools":[` + tool("a", "Adds.", schema) + `,` + tool("b", malicious, schema) + `]}`,
			`{"tools":[` + tool("a", "Adds.", "") + `,` + tool("b", malicious, schema) + `]}`,
			`{"tools":[` + tool("a", "Adds.", "") + `]}`,
			"/tools/0/inputSchema",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var line audit.Record
			answer := func(body string) Verdict {
				var v Verdict
				v, line = ask(t, e, trail, tc.phase, &Exchange{Method: tc.method, Services: []string{"s"}, HasBody: true, Body: []byte(body)})
				return v
			}
			v := answer(tc.intact)
			require.Equal(t, decision.Mutated, v.Outcome, v.Cause)
			v = answer(tc.lame)
			require.Equal(t, decision.Deny, v.Outcome)
			require.Equal(t, "engine:mutation_failed", v.Cause)
			require.Nil(t, v.Body)
			require.Equal(t, tc.where, line.Findings[len(line.Findings)-1].Path, "the trail says which member it was")
			v = answer(tc.untouched)
			require.Equal(t, decision.Allow, v.Outcome, v.Cause)
		})
	}
}
