package sallyport

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
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

// breaking is a context on which nobody can wait.
type breaking struct{ context.Context }

func (breaking) Done() <-chan struct{} { panic("wait") }

// TestAReaderThatPanicsIsUndecided: a question to the model or to a trace shard whose goroutine panics is a fault of that
// part, and never no finding.
func TestAReaderThatPanicsIsUndecided(t *testing.T) {
	reg := prometheus.NewRegistry()
	e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.Registerer = reg })
	x := &Exchange{Method: "tools/call", Services: []string{"a"}, Principal: "kim", HasBody: true, Body: []byte(inArguments(harmless))}
	prepared := func() *run {
		r := newRun(e, x, decision.Request)
		require.True(t, r.open() && r.parse(t.Context()) && r.named())
		r.identify()
		return r
	}
	broken := breaking{t.Context()}

	r := prepared()
	r.judge(t.Context(), r.classify(broken))
	require.Len(t, r.in.Faults, 1)
	require.Equal(t, decision.ScannerModel, r.in.Faults[0].Scanner)
	require.True(t, r.finish().Denied())

	r = prepared()
	a := r.advance(broken, r.event(false))
	require.NotNil(t, a, "the default pack has rules with memory for every tool")
	r.advanced(t.Context(), a)
	require.Len(t, r.in.Faults, 1)
	require.Equal(t, decision.ScannerRules, r.in.Faults[0].Scanner)
	require.Equal(t, decision.FaultDown, r.in.Faults[0].Kind)
	require.True(t, r.finish().Denied())
	for _, scanner := range []string{decision.ScannerModel, decision.ScannerRules} {
		require.InDelta(t, 1, counterOf(t, reg, telemetry.NameScannerResults, "scanner", scanner, "outcome", telemetry.ScanError), 0, scanner)
	}
}

// TestPinsThatDoNotAnswerAreUndecided: definitions that nobody compared with their pins do not pass for unchanged.
func TestPinsThatDoNotAnswerAreUndecided(t *testing.T) {
	e, _ := engineWith(t, &wordModel{}, nil)
	r := newRun(e, &Exchange{
		Method: "tools/list", Services: []string{"a"}, HasBody: true, Body: []byte(`{"tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object"}}]}`),
	}, decision.Response)
	require.True(t, r.open() && r.parse(t.Context()) && r.named())
	require.NoError(t, e.Shutdown(context.Background()))
	r.inspectTools(t.Context())
	require.Len(t, r.in.Faults, 1)
	require.Equal(t, decision.ScannerPins, r.in.Faults[0].Scanner)
	require.Equal(t, decision.FaultDown, r.in.Faults[0].Kind)
}
