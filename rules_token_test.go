package sallyport_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// steered flags a result that holds the word MARKER and denies a shell that follows one of the tool fetch.
const steered = `
detectors:
  - {name: marker, category: prompt_injection, severity: review, side: response, patterns: [MARKER]}
rules:
  - name: steered-then-shell
    flow:
      within: 10m
      steps:
        - result: {tool: fetch, labels: [injection]}
        - call: {tool: shell}
`

var sharedKey = func(c *sallyport.Config) { c.ExchangeKeys = [][]byte{[]byte("0123456789abcdef0123456789abcdef")} }

// TestResponseOnAnotherReplica: with a shared key the replica that gets the response knows which call it answers and whose, and
// the caller's next call there is judged by it.
func TestResponseOnAnotherReplica(t *testing.T) {
	first, second := newOffice(t, steered, sharedKey), newOffice(t, steered, sharedKey)
	token := first.request("fetch", "{}").Call
	require.NotEmpty(t, token)
	require.Equal(t, decision.Flagged, second.response(token, "a MARKER").Outcome)
	require.Equal(t, decision.Deny, second.request("shell", "{}").Outcome)
	second.who = func(x *sallyport.Exchange) { x.Principal = "bob" }
	require.Equal(t, decision.Allow, second.request("shell", "{}").Outcome, "another caller")
	lines := second.end()
	require.Equal(t, "fetch", lines[0].Tool)
	require.Equal(t, []string{"steered-then-shell"}, lines[1].RulesHit)
}

// TestResponseOnAReplicaWithAnotherKey: without a shared key the response is one without a call. It is scanned all the same, and
// there is nothing suspicious about it.
func TestResponseOnAReplicaWithAnotherKey(t *testing.T) {
	first, second := newOffice(t, steered, nil), newOffice(t, steered, nil)
	token := first.request("fetch", "{}").Call
	require.Equal(t, decision.Allow, second.response(token, "clean").Outcome)
	require.Equal(t, decision.Flagged, second.response(token, "a MARKER").Outcome)
	require.Equal(t, decision.Allow, second.request("shell", "{}").Outcome)
	lines := second.end()
	require.Empty(t, lines[0].Tool)
	require.Empty(t, lines[0].Findings)
}

// TestTokenOfAnotherCall: a token tells the tool, whatever the response says. One that was changed, or that belongs to another
// service or method, tells nothing and is a finding.
func TestTokenOfAnotherCall(t *testing.T) {
	o := newOffice(t, steered, nil)
	read := o.request("read", "{}").Call
	require.Equal(t, decision.Flagged, o.response(read, "a MARKER").Outcome)
	require.Equal(t, decision.Allow, o.request("shell", "{}").Outcome, "what read returned is not what fetch returned")

	fetch := o.request("fetch", "{}").Call
	// The last character stays: some of its bits are padding, and a token has one spelling only.
	body, mac, end := fetch[:len(fetch)-8], fetch[len(fetch)-8:len(fetch)-1], fetch[len(fetch)-1:]
	forged := body + strings.Map(func(r rune) rune {
		if r == 'A' {
			return 'B'
		}
		return 'A'
	}, mac) + end
	require.Equal(t, decision.Flagged, o.response(forged, "clean").Outcome)
	o.response(forged, "a MARKER")
	require.Equal(t, decision.Allow, o.request("shell", "{}").Outcome)

	x := call("mail", `{"content":[{"type":"text","text":"a MARKER"}]}`)
	x.Principal, x.Call = "alice", fetch
	require.Equal(t, decision.Flagged, o.e.CheckResponse(t.Context(), x).Outcome)
	x = list([]string{"files"}, `{"tools":[]}`)
	x.Principal, x.Call = "alice", fetch
	require.Equal(t, decision.Flagged, o.e.CheckResponse(t.Context(), x).Outcome)
	require.Equal(t, decision.Allow, o.request("shell", "{}").Outcome)

	require.Equal(t, decision.Flagged, o.response(fetch, "a MARKER").Outcome, "and the true one is still good")
	require.Equal(t, decision.Deny, o.request("shell", "{}").Outcome)

	var suspicions []string
	for _, line := range o.end() {
		for _, f := range line.Findings {
			if strings.HasPrefix(f.Detector, "call_token_") {
				suspicions = append(suspicions, f.Detector)
			}
		}
	}
	require.Equal(t, []string{"call_token_forged", "call_token_forged", "call_token_mismatch", "call_token_mismatch"}, suspicions)
}

// TestWhatIsOnlyNotedIsNoLabel: colours of a terminal are noted and steer nobody, so that a shell may follow a shell. What is
// masked is a label though it is a note, and so is what a detector of the pack notes.
func TestWhatIsOnlyNotedIsNoLabel(t *testing.T) {
	o := newOffice(t, `
detectors:
  - {name: marker, category: prompt_injection, severity: note, side: response, patterns: [MARKER, OTHER]}
rules:
  - name: steered
    flow: {within: 10m, steps: [{result: {labels: [injection]}}, {call: {tool: shell}}]}
  - name: told
    flow: {within: 10m, steps: [{result: {labels: [personal_data]}}, {call: {tool: send}}]}
`, nil)
	after := func(text, tool string) decision.Outcome {
		require.False(t, o.response(o.request("fetch", "{}").Call, text).Denied())
		return o.request(tool, "{}").Outcome
	}
	require.Equal(t, decision.Allow, after(`\u001b[32mok\u001b[0m 3 tests passed`, "shell"))
	require.Equal(t, decision.Allow, after("mail kim@example.org", "shell"))
	require.Equal(t, decision.Deny, o.request("send", "{}").Outcome)
	require.Equal(t, decision.Deny, after("an OTHER", "shell"))
	lines := o.end()
	require.Equal(t, "ansi-escape", lines[1].Findings[0].Detector, "it is in the trail all the same")
}

// TestAToolThatWasRemovedIsNoLabel: the agent never saw it. One that was left in its list did it see.
func TestAToolThatWasRemovedIsNoLabel(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*sallyport.Config)
		want   decision.Outcome
	}{
		"removed": {func(c *sallyport.Config) {}, decision.Allow},
		"noted":   {func(c *sallyport.Config) { c.Default.PoisonedTools = decision.ListNote }, decision.Deny},
		"watched": {func(c *sallyport.Config) { c.Profiles = []sallyport.ScopedProfile{dryLists(c.Default)} }, decision.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t, `
rules:
  - name: steered
    flow: {within: 10m, steps: [{result: {labels: [injection]}}, {call: {tool: shell}}]}
`, tc.change)
			asked := list([]string{"lists"}, "")
			asked.HasBody, asked.Principal = false, "alice"
			x := list([]string{"lists"}, `{"tools":[{"name":"a","description":"x\udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65","inputSchema":{"type":"object"}}]}`)
			x.Call = o.e.CheckRequest(t.Context(), asked).Call
			require.NotEmpty(t, x.Call)
			require.False(t, o.e.CheckResponse(t.Context(), x).Denied())
			require.Equal(t, tc.want, o.request("shell", "{}").Outcome)
		})
	}
}

// TestWhatADryRunPassesIsReadInFull: what is only watched reaches the agent, so that it is a label whatever else was found.
func TestWhatADryRunPassesIsReadInFull(t *testing.T) {
	o := newOffice(t, `
rules:
  - name: told
    flow: {within: 10m, steps: [{result: {labels: [secret]}}, {call: {tool: shell}}]}
`, func(c *sallyport.Config) { c.Profiles = []sallyport.ScopedProfile{dryLists(c.Default)} })
	x := call("lists", `{"name":"fetch"}`)
	x.Principal = "alice"
	token := o.e.CheckRequest(t.Context(), x).Call
	require.NotEmpty(t, token)
	hidden := strings.Repeat(`"a\u202eb",`, 100)
	x = call("lists", `{"structuredContent":{"x":[`+hidden+`"ghp_16C7e42F292c6912E7710c838347Ae178B4a"]}}`)
	x.Call = token
	require.Equal(t, decision.Allow, o.e.CheckResponse(t.Context(), x).Outcome)
	require.Equal(t, decision.Deny, o.request("shell", "{}").Outcome)
}

// dryLists watches the service lists without touching what it sends.
func dryLists(p decision.Profile) sallyport.ScopedProfile {
	p.DryRun = true
	return sallyport.ScopedProfile{Profile: p, Services: []string{"lists"}}
}

// TestTokenFeedsOneResultEvent: a token that comes back a second time does not make the result happen twice.
func TestTokenFeedsOneResultEvent(t *testing.T) {
	const twice = `
detectors:
  - {name: marker, category: prompt_injection, severity: review, side: response, patterns: [MARKER]}
rules:
  - name: twice-then-shell
    flow:
      within: 10m
      steps:
        - result: {labels: [injection]}
        - result: {labels: [injection]}
        - call: {tool: shell}
`
	o := newOffice(t, twice, nil)
	token := o.request("fetch", "{}").Call
	o.response(token, "a MARKER")
	o.response(token, "a MARKER")
	require.Equal(t, decision.Allow, o.request("shell", "{}").Outcome, "one result, told twice")
	o.response(o.request("fetch", "{}").Call, "a MARKER")
	require.Equal(t, decision.Deny, o.request("shell", "{}").Outcome, "two results")
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
