package sallyport

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

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
