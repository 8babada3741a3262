package sallyport

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// TestOnlyACallThatGoesOutGetsAToken: a result can come back only of a call that went out, so that a refused one is
// given no token to bring, and a result never is.
func TestOnlyACallThatGoesOutGetsAToken(t *testing.T) {
	for name, tc := range map[string]struct {
		phase  decision.Phase
		body   string
		change func(*Config)
		want   decision.Outcome
		token  bool
	}{
		"a call":                  {body: inArguments(harmless), want: decision.Allow, token: true},
		"a call that is masked":   {body: inArguments(toyKey), change: func(c *Config) { c.Default.RedactRequests = true }, want: decision.Mutated, token: true},
		"one refused by a list":   {body: inArguments(harmless), change: func(c *Config) { c.DenyTools = []string{"send_note"} }, want: decision.Deny},
		"one refused for a key":   {body: inArguments(toyKey), want: decision.Deny},
		"one refused by models":   {body: inArguments(malicious), want: decision.Deny},
		"one that only would be":  {body: inArguments(malicious), change: func(c *Config) { c.Default.DryRun = true }, want: decision.Allow, token: true},
		"one that cannot be read": {body: `{"name":`, want: decision.Invalid},
		"the same in a dry run":   {body: `{"name":`, change: func(c *Config) { c.Default.DryRun = true }, want: decision.Allow},
		"a result":                {phase: decision.Response, body: inResult(harmless), want: decision.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			e, trail := engineWith(t, &wordModel{}, tc.change)
			v, _ := ask(t, e, trail, tc.phase, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte(tc.body)})
			require.Equal(t, tc.want, v.Outcome, v.Cause)
			require.Equal(t, tc.token, v.Call != "")
		})
	}
}

// TestNoLineBehindTheLast: from the moment an engine stops its trail takes no lines of exchanges, though it is still
// open for those of the engine itself; what would have been one is counted.
func TestNoLineBehindTheLast(t *testing.T) {
	reg := prometheus.NewRegistry()
	e, trail := engineWith(t, &wordModel{}, func(c *Config) { c.AuditRequired, c.Registerer = true, reg })
	r := newRun(e, result(harmless), decision.Response)
	require.True(t, r.open())
	answer := make(chan Verdict, 1)
	e.Subscribe(func(c messages.PhaseChange) {
		if c.To == messages.Stopping {
			answer <- r.finish()
		}
	})
	require.NoError(t, e.Shutdown(context.Background()))
	v := <-answer
	require.Equal(t, decision.Error, v.Outcome)
	require.Equal(t, "engine:audit_refused", v.Cause)
	for _, line := range trail.all() {
		require.NotEqual(t, r.id.ref, line.Ref)
	}
	require.InDelta(t, 1, counterOf(t, reg, telemetry.NameAuditDropped), 0)
}
