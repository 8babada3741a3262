package sallyport

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/internal/token"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// CheckRequest decides whether a call may go upstream. It always returns a
// verdict, within the exchange timeout, whatever the state of the engine; a
// denial is a verdict, not an error. It is safe for concurrent use.
func (e *Engine) CheckRequest(ctx context.Context, ex *Exchange) Verdict {
	return e.check(ctx, ex, decision.Request)
}

// CheckResponse decides whether a result may go back to the agent. See
// [Engine.CheckRequest].
func (e *Engine) CheckResponse(ctx context.Context, ex *Exchange) Verdict {
	return e.check(ctx, ex, decision.Response)
}

func (e *Engine) check(ctx context.Context, ex *Exchange, phase Phase) Verdict {
	decide, v := e.Admit(ctx, ex, phase)
	if decide == nil {
		return v
	}
	return decide(ctx)
}

// Admit takes a place for one exchange, waiting a moment for one when the engine is
// full, and returns the function that decides it: the rest of [Engine.CheckRequest]
// or [Engine.CheckResponse]. The function must be called once, because it gives the
// place back. It is nil when there was no place; then the verdict is the answer,
// counted and recorded like any other. A server that decides on goroutines of their
// own needs none for what it has no room for.
func (e *Engine) Admit(ctx context.Context, ex *Exchange, phase Phase) (decide func(context.Context) Verdict, v Verdict) {
	if ex == nil {
		ex = &Exchange{HasBody: true} // an empty question is malformed, not a crash
	}
	missing := e.admission.enter(ctx, len(ex.Body))
	if missing == "" {
		return func(ctx context.Context) Verdict { return e.admitted(ctx, ex, phase) }, Verdict{}
	}
	r := newRun(e, ex, phase)
	_, span := e.span(ctx, telemetry.SpanCheck)
	defer func() {
		r.recover(recover(), &v)
		r.close(span, v)
	}()
	r.shed = missing
	r.in.Shed, r.in.RetryAfter = true, shedRetryAfter
	return nil, r.finish()
}

// shedRetryAfter is what a shed caller is told to wait: long enough for the
// exchanges that were in flight to be gone.
const shedRetryAfter = time.Second

// admitted decides an exchange that has a place.
func (e *Engine) admitted(ctx context.Context, ex *Exchange, phase Phase) (v Verdict) {
	r := newRun(e, ex, phase)
	ctx, span := e.span(ctx, telemetry.SpanCheck)
	defer func() {
		r.recover(recover(), &v)
		r.close(span, v)
	}()
	defer e.admission.leave(len(ex.Body))
	defer r.yield()
	// One deadline bounds everything that waits: the scanners. What follows them is
	// computation on this goroutine; the exchange timeout, which is longer, is the
	// server's last resort.
	caller := ctx
	callers, limited := caller.Deadline()
	ctx, cancel := context.WithTimeoutCause(caller, e.timeouts().scanner, errScannerTimeout)
	defer cancel()
	end, _ := ctx.Deadline()
	r.patient = !limited || end.Before(callers)

	if r.open() && r.turn(ctx) && r.parse(ctx) && r.named() {
		r.identify()
		r.access()
		if phase == decision.Request {
			r.inspectRequest(ctx)
		} else {
			r.inspectResponse(ctx)
		}
		r.mutate(ctx)
	}
	if caller.Err() != nil {
		// Nobody waits any more, or a server has answered by itself: a pass that nobody
		// follows must neither be recorded nor count as a call that was made.
		r.fault(decision.ScannerEngine, decision.FaultCancelled, "")
	}
	return r.finish()
}

// run is one exchange on its way through the engine. All of it happens on the
// caller's goroutine, except what the model and the trace shard do when asked.
type run struct {
	e     *Engine
	ex    *Exchange
	phase Phase
	began time.Time
	id    identity

	tuple      *messages.Tuple
	policy     *policy
	profile    *decision.Profile
	doc        *content.Document
	service    string
	tool       string
	key        messages.TraceKey
	shared     bool
	claims     token.Claims
	token      token.Result
	patient    bool // the deadline is ours: the caller brought none, or a later one
	computing  bool // it holds one of the turns of heavy payloads
	identified bool // the token of this call may say who it was
	pending    bool // the trace shard holds something of this exchange

	report   content.Report
	labels   []label // what was found, for result steps
	masks    []content.Finding
	dropping map[int]struct{} // tools to take out of the list, by index
	modelID  string           // the model that read it, if one did; with a gate in front both
	scores   map[string]float64
	dropped  int    // windows that the model did not read
	shed     string // what admission was short of
	in       decision.Input
}

func newRun(e *Engine, ex *Exchange, phase Phase) *run {
	r := &run{e: e, ex: ex, phase: phase, began: e.now(), id: mint(), service: ex.Service()}
	r.in.Ref = r.id.ref
	return r
}

// close ends the span of the exchange with its verdict.
func (r *run) close(span trace.Span, v Verdict) {
	if span.IsRecording() {
		span.SetAttributes(telemetry.AttrPhase.String(r.phase.String()), telemetry.AttrMethod.String(telemetry.MethodLabel(r.ex.Method)),
			telemetry.AttrBytes.Int(r.ex.Size()), telemetry.AttrOutcome.String(v.Outcome.String()))
	}
	span.End()
}

// side is the phase in content's words.
func (r *run) side() content.Side {
	if r.phase == decision.Response {
		return content.SideResponse
	}
	return content.SideRequest
}

// recover turns a panic of the engine into a verdict: whatever broke, the caller
// gets an answer and never a pass.
func (r *run) recover(reason any, v *Verdict) {
	if reason == nil {
		return
	}
	what := guard.DescribePanic(reason)
	r.e.log.Error("exchange panicked", zap.String("ref", r.id.ref), zap.String(telemetry.KeyMethod, telemetry.MethodLabel(r.ex.Method)),
		zap.String("panic", what), zap.ByteString("stack", debug.Stack()))
	r.in = decision.Input{Ref: r.id.ref}
	r.fault(decision.ScannerEngine, decision.FaultPanic, what)
	defer func() {
		if recover() != nil { // what broke may be what finish needs
			*v = decision.Aggregate(r.in, decision.Policy{})
		}
	}()
	r.e.broken(decision.ScannerContent, r.began)
	*v = r.finish()
}

// open checks that the engine has proved itself and takes the snapshot by which
// the whole exchange is decided.
func (r *run) open() bool {
	phase := r.e.Phase()
	if r.e.closed() {
		phase = messages.Stopping
	}
	if phase < messages.Serving || phase >= messages.Stopping {
		r.fault(decision.ScannerEngine, decision.FaultNotReady, phase.String())
		return false
	}
	r.tuple = r.e.tree().Rules.Current() // not nil once the phase was Serving
	r.policy = r.tuple.Extra.(*policy)
	r.profile = r.policy.profiles.of(r.ex)
	return true
}

// parse reads the body strictly. An absent request body is an empty params
// object; a present but empty body is malformed.
func (r *run) parse(ctx context.Context) bool {
	_, span := r.e.span(ctx, telemetry.SpanParse)
	defer span.End()
	body := r.ex.Body
	if !r.ex.Present() && r.phase == decision.Request {
		body = []byte("{}")
	}
	var doc *content.Document
	var err error
	if r.ex.Dropped > 0 {
		err = &content.ParseError{Kind: content.KindTooLarge}
	} else if doc, err = content.Parse(body, r.e.limits); err == nil {
		err = doc.Assign(r.ex.Method, r.side())
	}
	if err != nil {
		var refused *content.ParseError
		if !errors.As(err, &refused) {
			panic(err) // Parse and Assign promise *ParseError
		}
		r.in.Malformed = true
		r.in.Oversize = refused.Kind == content.KindTooLarge || refused.Kind == content.KindTooManyStrings
		// The pointer is built from member names of the payload: it goes to the
		// audit, cleaned of secrets, escaped and capped there, and nowhere else.
		category := decision.MalformedBody
		if r.in.Oversize {
			category = decision.Size
		}
		r.in.Findings = append(r.in.Findings, decision.Finding{
			Scanner: decision.ScannerContent, Detector: "malformed_" + refused.Kind.String(),
			Category: category, Severity: decision.Block, Path: refused.Pointer,
		})
		return false
	}
	r.doc = doc
	return true
}

// maxToolName bounds the name of a called tool, in bytes. The specification of MCP
// asks for 128 at most; rules look at names with many patterns, so that a caller who
// sends megabytes of name would get more of our time than for any argument.
const maxToolName = 16 << 10

// named refuses a call whose tool cannot be one.
func (r *run) named() bool {
	if r.phase != decision.Request || r.ex.Method != rules.MethodToolsCall || len(subject(r.doc, r.ex.Method)) <= maxToolName {
		return true
	}
	r.in.Malformed, r.in.Oversize = true, true
	r.in.Findings = append(r.in.Findings, decision.Finding{
		Scanner: decision.ScannerContent, Detector: "malformed_tool_name_too_long", Category: decision.Size, Severity: decision.Block, Path: "/name",
	})
	return false
}

// fault records that a part of the engine could not decide.
func (r *run) fault(scanner string, kind decision.FaultKind, detail string) {
	r.in.Faults = append(r.in.Faults, decision.Fault{Scanner: scanner, Kind: kind, Detail: detail})
}

// inspectRequest runs the three readers of a request side by side: the model in
// its pool, the trace shard in its actor, the detectors here.
func (r *run) inspectRequest(ctx context.Context) {
	question := r.classify(ctx)
	step := r.advance(ctx, r.event(false))
	r.scan(ctx)
	r.yield()
	r.judge(ctx, question)
	r.advanced(ctx, step)
}

// inspectResponse reads a result first; what was found travels with the result
// event to the rules.
func (r *run) inspectResponse(ctx context.Context) {
	question := r.classify(ctx)
	r.scan(ctx)
	r.yield()
	r.judge(ctx, question)
	r.inspectTools(ctx)
	if r.token == token.Valid {
		r.advanced(ctx, r.advance(ctx, r.event(true)))
	}
}
