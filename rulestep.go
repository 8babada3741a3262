package sallyport

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/internal/token"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// identify establishes which tool the exchange is about and under which trace
// key its caller is remembered. A request says both; a response learns them from
// the token that its request was given, or not at all.
func (r *run) identify() {
	if r.phase == decision.Request {
		r.tool = subject(r.doc, r.ex.Method)
		r.identified = true
		r.key, r.shared = r.e.keys.of(r.ex)
		return
	}
	r.claims, r.token = r.e.ring.Verify(r.ex.Call, r.service, r.ex.Method)
	if r.token == token.Valid { // its fate is known when it has been spent
		r.tool, r.key, r.shared = r.claims.Tool, r.claims.TraceKey, r.claims.Shared
		return
	}
	r.e.metrics.Token(tokenFate(r.token))
	if r.token.Suspicious() {
		r.found(decision.Finding{
			Scanner: decision.ScannerToken, Detector: "call_token_" + r.token.String(),
			Category: decision.GeneralPolicy, Severity: decision.Review,
		}, noTool)
	}
}

// tokenFate is the result in the metric's words.
func tokenFate(result token.Result) string {
	if result.Suspicious() {
		return telemetry.TokenInvalid
	}
	return result.String()
}

// noTool says that a finding is not inside a tool definition.
const noTool = -1

// subject is what a request is about: the tool, the prompt or the resource.
func subject(doc *content.Document, method string) string {
	text, _ := doc.Member(subjectMember(method))
	return text
}

// subjectMember is the member of the params that says it.
func subjectMember(method string) string {
	if method == "resources/read" || method == "resources/subscribe" || method == "resources/unsubscribe" {
		return "uri"
	}
	return "name"
}

// access applies the allow and deny lists to a tool call.
func (r *run) access() {
	if r.phase != decision.Request || r.ex.Method != rules.MethodToolsCall {
		return
	}
	if r.tool == "" && r.ex.Present() {
		// A call that names no tool is no call: nothing written on tools could hold for it.
		r.in.Malformed = true
		r.in.Findings = append(r.in.Findings, decision.Finding{
			Scanner: decision.ScannerContent, Detector: "malformed_no_tool_name", Category: decision.MalformedBody, Severity: decision.Block, Path: "/name",
		})
		return
	}
	for _, service := range r.ex.Services {
		if !r.policy.acl.Allowed(service, r.tool) {
			r.refuseTool()
			return
		}
	}
	if len(r.ex.Services) == 0 && !r.policy.acl.Allowed("", r.tool) {
		r.refuseTool()
	}
}

// ruleAccessList is the name under which the allow and deny lists appear among
// the rules.
const ruleAccessList = "access-list"

func (r *run) refuseTool() {
	r.in.Hits = append(r.in.Hits, decision.Hit{
		Rule: ruleAccessList, Kind: "acl", Action: decision.ActionBlock, Category: decision.ToolPolicy,
	})
}

// event describes the exchange to the rules.
func (r *run) event(result bool) *rules.Event {
	ev := &rules.Event{
		Result: result, Service: r.service, Tool: r.tool, Method: r.ex.Method,
		Route: r.ex.Route, Principal: r.ex.Principal,
		Meta: r.ex.Meta, Headers: r.ruleHeaders(), Now: r.e.now(),
	}
	if result {
		ev.Labels = rules.Labels(r.told()...)
		return ev
	}
	if r.ex.Method == rules.MethodToolsCall || r.ex.Method == "prompts/get" {
		ev.Args = r.doc.Value("arguments")
	} else {
		ev.Args = r.doc.Value()
	}
	return ev
}

// ruleHeaders are the headers of the exchange that rules may read.
func (r *run) ruleHeaders() map[string][]string {
	var out map[string][]string
	for _, name := range r.e.cfg.RuleHeaders {
		if values := r.ex.Headers[name]; len(values) > 0 {
			if out == nil {
				out = make(map[string][]string)
			}
			out[name] = values
		}
	}
	return out
}

// advance is a question to a trace shard that is on its way.
type advance struct {
	began  time.Time
	span   trace.Span
	faulty bool   // a predicate failed before the shard was asked
	turns  uint64 // of the shard, when it was asked
	hits   []rules.Hit
	err    error
	done   chan struct{} // closed when hits or err is set
}

// advance matches the event here and feeds what matched to the trace shard. It
// returns nil when no rule with memory is concerned.
func (r *run) advance(ctx context.Context, ev *rules.Event) *advance {
	ctx, span := r.e.span(ctx, telemetry.SpanRules)
	began := r.e.now()
	matched := r.tuple.Rules.Match(ev)
	for _, h := range matched.Hits {
		r.in.Hits = append(r.in.Hits, hit(h))
	}
	faulty := false
	for _, f := range matched.Faults {
		r.e.metrics.RuleError()
		if f.Action != rules.ActionShadow {
			faulty = true
			r.fault(decision.ScannerRules, decision.FaultRule, f.Rule+" (rule_error: "+string(f.Code)+")")
		}
	}
	if len(matched.Steps) == 0 && !ev.Result {
		r.e.tree().Traces.Touch(r.key)
		r.e.rulesScanned(faulty, began)
		span.End()
		return nil
	}
	r.pending = true
	a := &advance{
		began: began, span: span, faulty: faulty, done: make(chan struct{}),
		turns: r.e.tree().Traces.Turns(r.key),
	}
	go func() {
		defer close(a.done)
		defer func() {
			if recover() != nil {
				a.err = guard.ErrPanic
			}
		}()
		info := rules.AdvanceInfo{ID: r.id.key, Shared: r.shared, Now: ev.Now, Pending: r.e.timeouts().exchange}
		if ev.Result {
			a.hits, a.err = r.e.tree().Traces.AdvanceOnce(ctx, r.claims.ID, r.key, r.tuple.Rules, matched, info)
		} else {
			a.hits, a.err = r.e.tree().Traces.Advance(ctx, r.key, r.tuple.Rules, matched, info)
		}
	}()
	return a
}

// advanced waits for the trace shard and takes its answer.
func (r *run) advanced(ctx context.Context, a *advance) {
	if a == nil {
		return
	}
	<-a.done
	defer a.span.End()
	if errors.Is(a.err, actors.ErrSpent) {
		// As if the token were missing: the event it brought has happened.
		r.e.metrics.Token(telemetry.TokenRepeated)
		r.e.rulesScanned(a.faulty, a.began)
		return
	}
	if r.phase == decision.Response {
		r.e.metrics.Token(telemetry.TokenValid)
	}
	if a.err != nil {
		if ctx.Err() != nil {
			stuck := r.e.tree().Traces.Turns(r.key) == a.turns
			r.fault(decision.ScannerRules, r.e.interrupted(ctx, decision.ScannerRules, a.began, stuck), "trace shard")
			return
		}
		r.fault(decision.ScannerRules, decision.FaultDown, "trace shard")
		r.e.broken(decision.ScannerRules, a.began)
		return
	}
	r.e.rulesScanned(a.faulty, a.began)
	for _, h := range a.hits {
		r.in.Hits = append(r.in.Hits, hit(h))
	}
}

func hit(h rules.Hit) decision.Hit {
	return decision.Hit{
		Rule: h.Rule, Kind: h.Kind.String(), Action: decision.Action(h.Action),
		Category: decision.Category(h.Category), RetryAfter: h.RetryAfter, SharedKey: h.SharedKey,
	}
}

// settle tells the trace shard whether the exchange happened.
func (r *run) settle(allowed bool) {
	if r.pending {
		r.e.tree().Traces.Settle(r.key, r.id.key, allowed)
	}
}
