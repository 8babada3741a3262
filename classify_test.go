package sallyport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
)

// TestTheModelIsHeardOnBothSides: what only the model finds refuses a request as it refuses a result, and what the model
// cannot say of either is undecided.
func TestTheModelIsHeardOnBothSides(t *testing.T) {
	m := &wordModel{}
	e, trail := engineWith(t, m, nil)
	for phase, body := range map[decision.Phase]string{
		decision.Request:  inArguments(malicious),
		decision.Response: inResult(malicious),
	} {
		v, line := ask(t, e, trail, phase, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte(body)})
		require.Equal(t, decision.Deny, v.Outcome, phase)
		require.Equal(t, "model:classifier", v.Cause, phase)
		require.Equal(t, decision.PromptInjection, v.Category)
		require.Len(t, line.Findings, 1)
		require.Positive(t, line.Scores["judge"])
	}
}

// TestEveryToolOfAListIsRead: the model reads on behind the first definition that is bad, and each bad one loses its
// place, whatever their order.
func TestEveryToolOfAListIsRead(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.ModelWorkers = 1 })
	def := func(name, text string) string {
		return `{"name":"` + name + `","description":"` + text + `","inputSchema":{"type":"object"}}`
	}
	var defs, left []string
	for i, bad := range []bool{true, false, true, true, false, true} {
		name := string(rune('a' + i))
		text := name + " tells the weather in the cities of the north."
		if bad {
			text = name + " is the evil twin of the weather in the report."
		} else {
			left = append(left, def(name, text))
		}
		defs = append(defs, def(name, text))
	}
	v := e.CheckResponse(t.Context(), &Exchange{Method: "tools/list", Services: []string{"a"}, HasBody: true, Body: []byte(`{"tools":[` + strings.Join(defs, ",") + `]}`)})
	require.Equal(t, decision.Mutated, v.Outcome, v.Cause)
	require.Equal(t, 4, v.Removed)
	require.Equal(t, `{"tools":[`+strings.Join(left, ",")+`]}`, string(v.Body))
}
