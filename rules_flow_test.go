package sallyport_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

const readThenSend = `
rules:
  - name: read-then-send
    flow:
      within: 10m
      steps:
        - call: {tool: read}
        - unless: {tool: approve}
        - call: {tool: send}
`

// TestRenewedSessionStartsAfresh: what is remembered belongs to the key. A client that renews its session leaves it behind unless
// the gateway names its principal.
func TestRenewedSessionStartsAfresh(t *testing.T) {
	o := newOffice(t, readThenSend, nil)
	session := func(principal, session string) func(*sallyport.Exchange) {
		return func(x *sallyport.Exchange) { x.Principal, x.Session = principal, session }
	}
	o.who = session("", "s1")
	o.request("read", "{}")
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome)
	o.who = session("", "s2")
	require.Equal(t, decision.Allow, o.request("send", "{}").Outcome)
	o.who = session("", "s1")
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome)

	o.who = session("alice", "s3")
	o.request("read", "{}")
	o.who = session("alice", "s4")
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome, "the principal comes first")
}

// TestSharedKeyIsReviewed: callers that cannot be told apart share what is remembered, so nobody is denied for what a neighbour did.
func TestSharedKeyIsReviewed(t *testing.T) {
	o := newOffice(t, readThenSend+"  - {name: often, rate: {max: 2, within: 1m}}\n", nil)
	o.who = func(*sallyport.Exchange) {}
	o.request("read", "{}")
	for range 5 {
		require.Equal(t, decision.Flagged, o.request("send", "{}").Outcome)
	}
	for _, line := range o.end()[1:] {
		require.Equal(t, []string{"read-then-send (shared_key)"}, line.RulesHit)
	}
}

// TestDenialWithdraws: a call that was denied for any reason did not happen, and neither did an approval.
func TestDenialWithdraws(t *testing.T) {
	o := newOffice(t, readThenSend, nil)
	secret := `{"text":"` + "AKIA" + `Z7Q4M2XKPLD3W5RT"}`
	require.Equal(t, decision.Deny, o.request("read", secret).Outcome)
	require.Equal(t, decision.Allow, o.request("send", "{}").Outcome, "nothing was read")
	require.Equal(t, decision.Allow, o.request("read", "{}").Outcome)
	require.Equal(t, decision.Deny, o.request("approve", secret).Outcome)
	for range 3 {
		require.Equal(t, decision.Deny, o.request("send", "{}").Outcome, "a repeat is denied again")
	}
	require.Equal(t, decision.Allow, o.request("list", "{}").Outcome, "other calls go on")
	require.Equal(t, decision.Allow, o.request("approve", "{}").Outcome)
	require.Equal(t, decision.Allow, o.request("send", "{}").Outcome)
}

// TestCallInFlightIsSeen holds a call between its evaluation and its verdict and makes another meanwhile.
func TestCallInFlightIsSeen(t *testing.T) {
	gate := &spanGate{reached: make(chan struct{}), open: make(chan struct{})}
	o := newOffice(t, readThenSend, func(c *sallyport.Config) { c.Tracer = gate })
	hold := func(tool, args string) (release func() sallyport.Verdict) {
		verdict := make(chan sallyport.Verdict, 1)
		go func() {
			x := call("files", `{"name":"`+tool+`","arguments":`+args+`}`)
			o.who(x)
			verdict <- o.e.CheckRequest(context.WithValue(context.Background(), held{}, true), x)
		}()
		<-gate.reached
		return func() sallyport.Verdict { gate.open <- struct{}{}; return <-verdict }
	}

	release := hold("read", "{}")
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome, "the read is still in flight")
	require.Equal(t, decision.Allow, release().Outcome)
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome)

	release = hold("approve", "{}")
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome, "an approval counts when it has been allowed")
	require.Equal(t, decision.Allow, release().Outcome)
	require.Equal(t, decision.Allow, o.request("send", "{}").Outcome)

	release = hold("read", `{"text":"`+"AKIA"+`Z7Q4M2XKPLD3W5RT"}`)
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome, "it may yet happen")
	require.Equal(t, decision.Deny, release().Outcome)
	require.Equal(t, decision.Allow, o.request("send", "{}").Outcome, "it did not")
}

type held struct{}

// spanGate stops exchanges whose context says so where their rules have been evaluated.
type spanGate struct {
	noop.Tracer
	reached, open chan struct{}
}

func (g *spanGate) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	ctx, span := g.Tracer.Start(ctx, name, o...)
	if name == telemetry.SpanRules && ctx.Value(held{}) != nil {
		return ctx, gatedSpan{span, g}
	}
	return ctx, span
}

type gatedSpan struct {
	trace.Span
	gate *spanGate
}

func (s gatedSpan) End(...trace.SpanEndOption) {
	s.gate.reached <- struct{}{}
	<-s.gate.open
}
