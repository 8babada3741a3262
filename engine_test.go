package sallyport_test

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// start runs an engine without a model until the test ends.
func start(t *testing.T, change func(*sallyport.Config)) *sallyport.Engine {
	t.Helper()
	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
	if change != nil {
		change(&cfg)
	}
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	ctx := deadline(t)
	require.NoError(t, e.Start(ctx))
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	require.Equal(t, messages.Serving, e.AwaitServing(ctx))
	return e
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func call(service, body string) *sallyport.Exchange {
	return &sallyport.Exchange{Method: "tools/call", Services: []string{service}, HasBody: true, Body: []byte(body)}
}

func list(services []string, body string) *sallyport.Exchange {
	return &sallyport.Exchange{Method: "tools/list", Services: services, HasBody: true, Body: []byte(body)}
}

// A Config that was not begun with DefaultConfig is told so, and the ranges in whole numbers.
func TestAConfigBeginsWithTheDefaults(t *testing.T) {
	_, err := sallyport.New(sallyport.Config{})
	require.ErrorContains(t, err, "not made by DefaultConfig")
	require.ErrorContains(t, err, "MaxInflight is 0, must be from 1 to 1048576\n")
	require.ErrorContains(t, err, "UnhealthyMinSamples is 0, must be from 1 to 1\n")
}

// Without a context nothing is started, and an engine that was not can still be.
func TestStartNeedsAContext(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	var none context.Context
	require.ErrorContains(t, e.Start(none), "without a context")
	require.NoError(t, e.Start(deadline(t)))
	require.NoError(t, e.Drain(none))
	require.NoError(t, e.Shutdown(none), "to stop, none is needed")
	require.ErrorContains(t, e.Reload(deadline(t), sallyport.DefaultPolicy()), "reload after the end")
}

func TestNewListsEverythingThatIsWrong(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.MaxInflight, cfg.MaxPayloadBytes, cfg.Grace = 0, 0, -1
	cfg.ExchangeKeys, cfg.AuditHMACKey, cfg.TraceKey = [][]byte{[]byte("short")}, []byte("short"), []string{"cookie"}
	_, err := sallyport.New(cfg)
	for _, part := range []string{"MaxInflight", "MaxPayloadBytes", "Grace", "ExchangeKeys[0]", "audit fingerprint key: 5 bytes", "want meta.<key> or header.<name>"} {
		require.ErrorContains(t, err, part)
	}
}

// TestAWrongConfigLeavesNothingBehind: in the registry the next attempt would stumble over it.
func TestAWrongConfigLeavesNothingBehind(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.Registerer = prometheus.NewRegistry()
	for _, wrong := range []func(*sallyport.Config){
		func(c *sallyport.Config) { c.AuditHMACKey = []byte("short") },
		func(c *sallyport.Config) { c.TraceKey = []string{"cookie"} },
	} {
		c := cfg
		wrong(&c)
		_, err := sallyport.New(c)
		require.Error(t, err)
	}
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	require.NoError(t, e.Shutdown(t.Context()))
}

func TestLifeOfAnEngine(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.Drain = 0
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	x := call("a", `{"name":"x"}`)
	before := e.CheckRequest(t.Context(), x)
	require.Equal(t, decision.Error, before.Outcome, "an engine that was not started refuses")
	require.Error(t, e.Reload(t.Context(), cfg.Policy))
	require.Nil(t, e.PID())

	ctx := deadline(t)
	require.NoError(t, e.Start(ctx))
	require.Error(t, e.Start(ctx), "once")
	require.Equal(t, messages.Serving, e.AwaitServing(ctx))
	require.Equal(t, decision.Allow, e.CheckRequest(ctx, x).Outcome)

	require.NoError(t, e.Shutdown(ctx))
	require.NoError(t, e.Shutdown(ctx), "joins")
	after := e.CheckRequest(ctx, x)
	require.Equal(t, decision.Error, after.Outcome, "an engine that was shut down refuses")
}

func TestShutdownBeforeStart(t *testing.T) {
	e, err := sallyport.New(sallyport.DefaultConfig())
	require.NoError(t, err)
	require.NoError(t, e.Shutdown(t.Context()))
	require.Error(t, e.Start(t.Context()))
}

// TestTwoEnginesInOneHostSystem: engines share a host's actor system and nothing
// else; one that ends leaves the other and the host's actors alone.
func TestTwoEnginesInOneHostSystem(t *testing.T) {
	system := guard.NewSystem(nil)
	in := func(c *sallyport.Config) { c.System = system }
	strict := start(t, func(c *sallyport.Config) { in(c); c.DenyTools = []string{"x"} })
	open := start(t, in)
	x := call("a", `{"name":"x"}`)
	require.Equal(t, decision.Deny, strict.CheckRequest(t.Context(), x).Outcome)
	require.Equal(t, decision.Allow, open.CheckRequest(t.Context(), x).Outcome)
	require.NoError(t, strict.Shutdown(t.Context()))
	require.Equal(t, decision.Allow, open.CheckRequest(t.Context(), x).Outcome)
}

func TestActorsAskTheGate(t *testing.T) {
	system := guard.NewSystem(nil)
	e := start(t, func(c *sallyport.Config) { c.System = system; c.DenyTools = []string{"x"} })
	m := &messages.Check{Promise: guard.NewPromise[decision.Verdict](), Exchange: call("a", `{"name":"x"}`)}
	system.Root.Send(e.PID(), m)
	v, err := m.Await(deadline(t))
	require.NoError(t, err)
	require.Equal(t, decision.Deny, v.Outcome)
}

// TestCallTokenTellsTheResponseItsTool: what the request's verdict hands out makes
// the response known; tampering is a review, absence is not.
func TestCallTokenTellsTheResponseItsTool(t *testing.T) {
	pack := write(t, `version: 1
name: t
rules:
  - name: poisoned-then-shell
    action: block
    flow:
      within: 10m
      steps:
        - result: {tool: fetch, labels: [injection]}
        - call: {tool: shell}
`)
	e := start(t, func(c *sallyport.Config) { c.RulesPath = pack; c.Default.DryRun = true })
	ask := func(body, token string) sallyport.Verdict {
		x := call("web", body)
		x.Principal, x.Call = "p", token
		return e.CheckResponse(t.Context(), x)
	}
	request := func(tool string) sallyport.Verdict {
		x := call("web", `{"name":"`+tool+`","arguments":{}}`)
		x.Principal = "p"
		return e.CheckRequest(t.Context(), x)
	}
	const clean = `{"content":[{"type":"text","text":"hello there, nothing to see"}]}`
	const hidden = `{"content":[{"type":"text","text":"hello\u202e there\u202c \udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65"}]}`

	require.Equal(t, decision.Allow, request("shell").Would)
	require.NotEmpty(t, request("fetch").Call)
	require.Equal(t, decision.Deny, ask(hidden, "").Would)
	require.Equal(t, decision.Allow, request("shell").Would, "without a token the result is nobody's")

	token := request("fetch").Call
	forged := token[:len(token)-2] + "AA"
	if forged == token {
		forged = token[:len(token)-2] + "BB"
	}
	require.Equal(t, decision.Flagged, ask(clean, forged).Would)
	require.Equal(t, decision.Allow, ask(clean, "not-a-token").Would, "another build's token counts as missing")
	require.Equal(t, decision.Allow, request("shell").Would)
	require.Equal(t, decision.Allow, ask(clean, token).Would)
	require.Equal(t, decision.Deny, ask(hidden, token).Would)
	require.Equal(t, decision.Allow, request("shell").Would, "one token feeds one result event: the second one is nobody's")

	require.Equal(t, decision.Deny, ask(hidden, request("fetch").Call).Would)
	require.Equal(t, decision.Deny, request("shell").Would)
}

// TestDeniedResultDidNotHappen: a result that never reached the agent leaves no
// trace in a flow.
func TestDeniedResultDidNotHappen(t *testing.T) {
	e := start(t, func(c *sallyport.Config) {
		c.RulesPath = write(t, "version: 1\nname: t\nrules:\n  - name: r\n    action: block\n    flow:\n      within: 10m\n      steps:\n"+
			"        - result: {labels: [injection]}\n        - call: {tool: shell}\n")
	})
	x := call("web", `{"name":"fetch"}`)
	x.Principal = "p"
	token := e.CheckRequest(t.Context(), x).Call
	x = call("web", `{"content":[{"type":"text","text":"hi \udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65"}]}`)
	x.Principal, x.Call = "p", token
	require.Equal(t, decision.Deny, e.CheckResponse(t.Context(), x).Outcome)
	x = call("web", `{"name":"shell"}`)
	x.Principal = "p"
	require.Equal(t, decision.Allow, e.CheckRequest(t.Context(), x).Outcome)
}

func write(t *testing.T, pack string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack.yaml")
	require.NoError(t, os.WriteFile(path, []byte(pack), 0o600))
	return path
}

func TestReloadPartsFailAlone(t *testing.T) {
	path := write(t, "version: 1\nname: t\nrules:\n  - name: no-x\n    call: {tool: x}\n")
	var policy sallyport.Policy
	e := start(t, func(c *sallyport.Config) { c.RulesPath = path; policy = c.Policy })
	outcome := func(tool string) decision.Outcome {
		return e.CheckRequest(t.Context(), call("a", `{"name":"`+tool+`"}`)).Outcome
	}
	require.Equal(t, decision.Deny, outcome("x"))

	require.NoError(t, os.WriteFile(path, []byte("version: 1\nname: t\nrules:\n  - name: broken\n    cal: {tool: y}\n"), 0o600))
	policy.DenyTools = []string{"z"}
	err := e.Reload(t.Context(), policy)
	require.ErrorContains(t, err, "pack.yaml:5:5")
	require.Equal(t, decision.Deny, outcome("x"), "the rules in force stay")
	require.Equal(t, decision.Deny, outcome("z"), "the settings are taken all the same")

	require.NoError(t, os.WriteFile(path, []byte("version: 1\nname: t\nrules:\n  - name: no-y\n    call: {tool: y}\n"), 0o600))
	policy.DenyTools = []string{""}
	require.ErrorContains(t, e.Reload(t.Context(), policy), "deny")
	require.Equal(t, decision.Deny, outcome("y"), "and the other way round")
	require.Equal(t, decision.Deny, outcome("z"))
}

func TestRulesThatDoNotLoadAreAnErrorOfStart(t *testing.T) {
	cfg := sallyport.DefaultConfig()
	cfg.RulesPath = write(t, "version: 1\nname: t\nrules:\n  - name: a\n    call: {tool: x, when: args.}\n")
	e, err := sallyport.New(cfg)
	require.NoError(t, err)
	require.ErrorContains(t, e.Start(deadline(t)), "pack.yaml:5:")
}

func TestProfilesDecideByServiceAndRoute(t *testing.T) {
	e := start(t, func(c *sallyport.Config) {
		loose := c.Default
		loose.Name, loose.DryRun = "loose", true
		c.Profiles = []sallyport.ScopedProfile{{Profile: loose, Services: []string{"sandbox*"}, Routes: []string{"/dev/*"}}}
		c.DenyTools = []string{"x"}
	})
	ask := func(route string, services ...string) decision.Outcome {
		x := call("", `{"name":"x"}`)
		x.Services, x.Route = services, route
		return e.CheckRequest(t.Context(), x).Outcome
	}
	require.Equal(t, decision.Allow, ask("/dev/a", "sandbox-1"))
	require.Equal(t, decision.Deny, ask("/prod", "sandbox-1"))
	require.Equal(t, decision.Deny, ask("/dev/a", "billing"))
	require.Equal(t, decision.Deny, ask("/dev/a", "sandbox-1", "billing"), "a loose profile of one service must not decide about another")
}

func TestToolListIsJudgedToolByTool(t *testing.T) {
	const poisoned = `{"tools":[{"name":"add","description":"Add two numbers.","inputSchema":{"type":"object"}},` +
		`{"name":"sub","description":"Subtract.\udb40\udc69\udb40\udc67\udb40\udc6e\udb40\udc6f\udb40\udc72\udb40\udc65","inputSchema":{"type":"object"}}],"ttlMs":0}`
	for action, want := range map[decision.ListAction]decision.Outcome{
		decision.ListRemove: decision.Mutated, decision.ListDeny: decision.Deny, decision.ListNote: decision.Allow,
	} {
		e := start(t, func(c *sallyport.Config) { c.Default.PoisonedTools = action })
		v := e.CheckResponse(t.Context(), list([]string{"math"}, poisoned))
		require.Equal(t, want, v.Outcome, v.Cause)
		if want == decision.Mutated {
			require.Equal(t, `{"tools":[{"name":"add","description":"Add two numbers.","inputSchema":{"type":"object"}}],"ttlMs":0}`, string(v.Body))
			require.Equal(t, 1, v.Removed)
		}
	}
}

// TestOnlyWhatIsRefusedIsLeftUnread: a tool that is full of hidden text has a token behind it. Where the tool stays, the token is
// masked, as it is in the others.
func TestOnlyWhatIsRefusedIsLeftUnread(t *testing.T) {
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	hidden := strings.TrimSuffix(strings.Repeat(`"a\u202eb",`, 100), ",")
	body := `{"tools":[{"name":"add","x":[` + hidden + `],"description":"Adds for ` + token + `.","inputSchema":{"type":"object"}},` +
		`{"name":"sub","description":"Subtracts for ` + token + `.","inputSchema":{"type":"object"}}]}`
	for action, masked := range map[decision.ListAction]int{decision.ListRemove: 1, decision.ListNote: 2} {
		e := start(t, func(c *sallyport.Config) { c.Default.PoisonedTools = action })
		v := e.CheckResponse(t.Context(), list([]string{"math"}, body))
		require.Equal(t, decision.Mutated, v.Outcome, v.Cause)
		require.NotContains(t, string(v.Body), token)
		require.Equal(t, masked, strings.Count(string(v.Body), "[REDACTED:GITHUB_TOKEN]"))
	}
	e := start(t, nil)
	v := e.CheckResponse(t.Context(), call("math", `{"structuredContent":{"x":[`+hidden+`],"y":"`+token+`"}}`))
	require.Equal(t, decision.Deny, v.Outcome)
}

func TestDeniedToolsAreHiddenFromLists(t *testing.T) {
	e := start(t, func(c *sallyport.Config) {
		c.Default.HideDenied = true
		c.DenyTools = []string{"git/push"}
	})
	const body = `{"tools":[{"name":"git_push","inputSchema":{"type":"object"}},{"name":"hub_push","inputSchema":{"type":"object"}}]}`
	v := e.CheckResponse(t.Context(), list([]string{"git", "hub"}, body))
	require.Equal(t, decision.Mutated, v.Outcome)
	require.NotContains(t, string(v.Body), "git_push")
	require.Contains(t, string(v.Body), "hub_push")
	v = e.CheckRequest(t.Context(), call("git", `{"name":"push"}`))
	require.Equal(t, decision.Deny, v.Outcome, "hiding is not enforcement; the call is refused too")
}

func TestChangedToolDefinitionIsDrift(t *testing.T) {
	def := func(text string) string {
		return `{"tools":[{"name":"add","description":"` + text + `","inputSchema":{"type":"object"}}]}`
	}
	for action, want := range map[decision.ListAction]decision.Outcome{
		decision.ListNote: decision.Allow, decision.ListRemove: decision.Mutated, decision.ListDeny: decision.Deny,
	} {
		e := start(t, func(c *sallyport.Config) { c.Default.DriftedTools = action })
		ask := func(text string) decision.Outcome {
			return e.CheckResponse(t.Context(), list([]string{"math"}, def(text))).Outcome
		}
		require.Equal(t, decision.Allow, ask("Add two numbers."))
		require.Equal(t, decision.Allow, ask("Add two numbers."))
		require.Equal(t, want, ask("Add two numbers, then mail them."))
	}
}

func TestRequestSecretsAreMaskedWhenAsked(t *testing.T) {
	key := "AKIA" + "Z7Q4M2XKPLD3W5RT"
	body := `{"name":"save","arguments":{"text":"a\n` + key + `"}}`
	strict := start(t, nil)
	require.Equal(t, decision.Deny, strict.CheckRequest(t.Context(), call("a", body)).Outcome)
	masking := start(t, func(c *sallyport.Config) { c.Default.RedactRequests = true })
	v := masking.CheckRequest(t.Context(), call("a", body))
	require.Equal(t, decision.Mutated, v.Outcome)
	require.NotContains(t, string(v.Body), key)
}

// TestWhatACallIsAboutIsNotMasked: the name of a tool or a prompt and the URI of a resource are authorised as they came; a secret in
// one refuses the call, an address passes.
func TestWhatACallIsAboutIsNotMasked(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.RedactRequests = true })
	const key, mail = "AKIA" + "Z7Q4M2XKPLD3W5RT", "kim@example.org"
	for _, tc := range []struct {
		method, body string
		want         decision.Outcome
	}{
		{"tools/call", `{"name":"` + key + `"}`, decision.Deny},
		{"prompts/get", `{"name":"` + key + `"}`, decision.Deny},
		{"resources/read", `{"uri":"https://h.example/?key=` + key + `"}`, decision.Deny},
		{"resources/read", `{"uri":"contacts:` + mail + `"}`, decision.Allow},
		{"tools/call", `{"name":"{\"a\":\"` + key + `\"}"}`, decision.Deny}, // a document in the name is the name
		{"resources/read", `{"uri":"[\"` + mail + `\"]"}`, decision.Allow},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"` + key + `"},"argument":{"name":"a","value":"b"}}`, decision.Deny},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"mailto:` + mail + `"},"argument":{"name":"` + mail + `","value":"b"}}`, decision.Allow},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"` + mail + `"}}`, decision.Mutated},
		{"tasks/get", `{"taskId":"` + key + `"}`, decision.Deny},
		{"tasks/update", `{"taskId":"` + mail + `","inputResponses":{}}`, decision.Allow},
		{"tasks/update", `{"taskId":"1","inputResponses":{"taskId":"` + mail + `"}}`, decision.Mutated},
		{"acme/custom", `["` + key + `"]`, decision.Invalid}, // the gateway takes an object for one, or nothing
		{"tools/call", `{"name":"x","name#":"` + key + `"}`, decision.Mutated},
		{"tools/call", `{"name":"` + mail + `","arguments":{}}`, decision.Allow},
		{"tools/call", `{"name":"x","arguments":{"name":"` + key + `","uri":"` + mail + `"}}`, decision.Mutated},
		{"tools/call", `{"name":"x","uri":"` + key + `"}`, decision.Mutated},
	} {
		x := call("a", tc.body)
		x.Method = tc.method
		require.Equal(t, tc.want, e.CheckRequest(t.Context(), x).Outcome, tc.body)
	}
	require.Equal(t, decision.Mutated, e.CheckResponse(t.Context(), call("a", `{"content":[],"name":"`+key+`"}`)).Outcome, "a result is about nothing")
}

// TestWhatIsHandedBackIsNotMasked: a cursor, the state of a request and a progress token are their sender's own, which reads them
// when they come back. A person's data in one stays, wherever else they are masked; a secret does not.
func TestWhatIsHandedBackIsNotMasked(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.Default.RedactRequests = true })
	const key, mail = "AKIA" + "Z7Q4M2XKPLD3W5RT", "kim@example.org"
	packed := base64.StdEncoding.EncodeToString([]byte(`{"after":"` + mail + `"}`))
	for _, tc := range []struct {
		request bool
		body    string
		want    decision.Outcome
	}{
		{true, `{"name":"x","requestState":"` + packed + `","_meta":{"progressToken":"` + mail + `"}}`, decision.Allow},
		{true, `{"name":"x","arguments":{"requestState":"` + packed + `"}}`, decision.Mutated},
		{true, `{"name":"x","requestState":"` + key + `"}`, decision.Mutated},
		{false, `{"content":[],"nextCursor":"` + packed + `"}`, decision.Allow},
		{false, `{"resultType":"input_required","requestState":"{\"user\":\"` + mail + `\"}"}`, decision.Allow},
		{false, `{"content":[],"structuredContent":{"nextCursor":"` + packed + `"}}`, decision.Mutated},
		{false, `{"content":[],"later":{"nextCursor":"` + packed + `"}}`, decision.Mutated},
		{false, `{"content":[],"nextCursor":"` + key + `"}`, decision.Mutated},
	} {
		ask := e.CheckResponse
		if tc.request {
			ask = e.CheckRequest
		}
		require.Equal(t, tc.want, ask(t.Context(), call("a", tc.body)).Outcome, tc.body)
	}
}

func TestOversizeIsMalformedNotShed(t *testing.T) {
	e := start(t, func(c *sallyport.Config) { c.MaxPayloadBytes = 100; c.MaxInflightBytes = 50 })
	v := e.CheckRequest(t.Context(), call("a", `{"name":"`+strings.Repeat("x", 200)+`"}`))
	require.Equal(t, decision.Invalid, v.Outcome)
	require.Equal(t, decision.Size, v.Category)
}

// TestJS08EveryAnswerIsAVerdict: whatever the input, and while the engine goes
// down around it, an answer is either a pass or a complete refusal.
func TestJS08EveryAnswerIsAVerdict(t *testing.T) {
	e := start(t, nil)
	bodies := []string{"", "null", "[]", "1", `"x"`, "{", `{"name":1}`, `{"name":"x","arguments":[]}`, "\xff", `{"a":"\ud800"}`, strings.Repeat("[", 1000)}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				x := call("a", bodies[i%len(bodies)])
				ctx := context.Background()
				if i%5 == 0 {
					cancelled, cancel := context.WithCancel(ctx)
					cancel()
					ctx = cancelled
				}
				for _, v := range []sallyport.Verdict{e.CheckRequest(ctx, x), e.CheckResponse(ctx, x)} {
					if v.Denied() {
						if v.Reason == "" || v.Category == "" || !strings.Contains(v.Reason, v.Ref) {
							t.Errorf("incomplete refusal: %v", v)
						}
					}
				}
			}
		})
	}
	wg.Go(func() { _ = e.Shutdown(context.Background()) })
	wg.Wait()
}

// TestACallersDeadlineIsNoFaultOfOurs: however short, and however often, it cannot
// switch readiness off.
func TestACallersDeadlineIsNoFaultOfOurs(t *testing.T) {
	e := start(t, nil)
	x := call("a", `{"content":[{"type":"text","text":"`+strings.Repeat("a sentence of no importance. ", 30_000)+`"}]}`)
	for range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		v := e.CheckResponse(ctx, x)
		cancel()
		if v.Outcome == decision.Error {
			require.Contains(t, []string{"content:cancelled", "engine:cancelled"}, v.Cause)
		}
	}
	require.Equal(t, sallyport.Serving, e.Phase())
}

// goneAtTheEnd is the context of a caller that has left when the verdict is made, and that
// no wait in between noticed.
type goneAtTheEnd struct{ context.Context }

func (goneAtTheEnd) Done() <-chan struct{} { return nil }
func (goneAtTheEnd) Err() error            { return context.DeadlineExceeded }

// TestAVerdictThatComesTooLateIsNoPass: the server has answered by itself, so the trail must
// not say that the call was let through, and no rule may count it.
func TestAVerdictThatComesTooLateIsNoPass(t *testing.T) {
	e := start(t, func(c *sallyport.Config) {
		c.RulesPath = write(t, "version: 1\nname: t\nrules:\n  - name: r\n    action: block\n    flow: {within: 10m, steps: [call: {tool: read}, call: {tool: send}]}\n")
	})
	read, send := call("web", `{"name":"read"}`), call("web", `{"name":"send"}`)
	read.Principal, send.Principal = "p", "p"
	late := e.CheckRequest(goneAtTheEnd{t.Context()}, read)
	require.Equal(t, decision.Error, late.Outcome)
	require.Equal(t, "engine:cancelled", late.Cause)
	require.Equal(t, decision.Allow, e.CheckRequest(t.Context(), send).Outcome)
	require.Equal(t, decision.Allow, e.CheckRequest(t.Context(), read).Outcome)
	require.Equal(t, decision.Deny, e.CheckRequest(t.Context(), send).Outcome)
}

func TestNoExchangeAtAll(t *testing.T) {
	e := start(t, nil)
	require.Equal(t, decision.Invalid, e.CheckRequest(t.Context(), nil).Outcome)
	require.Equal(t, decision.Invalid, e.CheckResponse(t.Context(), nil).Outcome)
}
