package sallyport

import (
	"errors"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/token"
	"github.com/sallyport-mcp/sallyport/messages"
)

// finish makes the verdict, writes the audit line, settles the trace shard and
// counts. It is the only way out of an exchange.
func (r *run) finish() Verdict {
	if r.e.auditFails() != nil {
		// Before the line is made, which is tried all the same: should the trail take it
		// after all, it must say what the caller was told.
		r.fault(decision.ScannerEngine, decision.FaultAudit, "")
	}
	v := decision.Aggregate(r.in, r.verdictPolicy())
	if err := r.record(v); err != nil && r.e.cfg.AuditRequired {
		r.fault(decision.ScannerEngine, decision.FaultAudit, "")
		v = decision.Aggregate(r.in, r.verdictPolicy())
	}
	r.settle(!v.Denied())
	if r.identified && !v.Denied() {
		v.Call = r.sign()
	}
	r.count(v)
	return v
}

// verdictPolicy is the profile's, or the configured default when the exchange
// never got as far as a profile.
func (r *run) verdictPolicy() decision.Policy {
	if r.profile != nil {
		return r.profile.Policy
	}
	return r.e.fallbackPolicy()
}

// sign makes the token by which the response will know this call.
func (r *run) sign() string {
	return r.e.ring.Sign(token.Claims{
		Exchange: r.exchangeID(), Service: r.service, Method: r.ex.Method, Tool: r.tool,
		TraceKey: r.key, Shared: r.shared,
	})
}

// errTrailClosed is the audit trail of an engine that has stopped, is stopping, or
// never came up.
var errTrailClosed = errors.New("audit trail is closed")

// record hands the exchange's line to the audit trail.
func (r *run) record(v Verdict) error {
	if r.e.cfg.Audit == nil {
		return nil
	}
	if r.e.Phase() >= messages.Stopping {
		r.e.metrics.AuditDropped(1)
		return errTrailClosed
	}
	if r.in.Shed && !r.e.sayShed() {
		return nil
	}
	took := r.e.now().Sub(r.began)
	clean := newCleaner(r.scanner())
	rec := &audit.Record{
		Phase: r.phase.String(), Method: r.ex.Method, Service: r.service, Tool: clean.subject(r.tool),
		Route: r.ex.Route, Principal: r.ex.Principal, Headers: r.auditHeaders(),
		Exchange: r.exchangeID(), Ref: r.id.ref, Outcome: v.Outcome.String(), Reason: v.Cause,
		Redactions: v.Redactions + v.Removed, Bytes: r.ex.Size(), Duration: took,
	}
	if r.identified && r.shared {
		shared := true
		rec.SharedKey = &shared
	}
	if v.Would != v.Outcome {
		rec.Would = v.Would.String()
	}
	if r.tuple != nil {
		rec.RulesVersion = r.tuple.Version
	}
	told := r.in.Findings[:min(len(r.in.Findings), audit.MaxFindings)]
	rec.MoreFindings = len(r.in.Findings) - len(told)
	for _, f := range told {
		rec.Findings = append(rec.Findings, audit.Finding{
			Detector: f.Detector, Category: string(f.Category), Severity: f.Severity.String(),
			Path: clean.pointer(f.Path), View: f.View, FP: audit.Fingerprint{Length: f.Length, HMAC: f.HMAC},
		})
	}
	for _, h := range r.in.Hits {
		name := h.Rule
		if h.Action == decision.ActionShadow {
			name += " (shadow)"
		}
		if h.SharedKey {
			name += " (shared_key)"
		}
		rec.RulesHit = append(rec.RulesHit, name)
	}
	for _, f := range r.in.Faults {
		if f.Kind == decision.FaultRule {
			rec.RulesHit = append(rec.RulesHit, f.Detail)
		}
	}
	if r.modelID != "" {
		rec.Model = r.modelID
		rec.Scores = r.scores
	}
	if c := r.report.Coverage; c.TotalBytes > 0 {
		rec.Coverage = &audit.Coverage{Scanned: c.ScannedBytes, Total: c.TotalBytes, Reason: r.coverageReason()}
	}
	return r.e.append(rec)
}

// scanner is that of the exchange, or the built-in one when it never got that far.
func (r *run) scanner() *content.Scanner {
	if r.tuple != nil {
		return r.tuple.Scanner
	}
	return content.Builtin()
}

func (r *run) coverageReason() string {
	if r.report.Coverage.Reason != "" {
		return r.report.Coverage.Reason
	}
	if r.dropped > 0 {
		return "model-windows"
	}
	return ""
}

func (r *run) auditHeaders() map[string]string {
	var out map[string]string
	for _, name := range r.e.cfg.AuditHeaders {
		if values := r.ex.Headers[name]; len(values) > 0 {
			if out == nil {
				out = make(map[string]string)
			}
			out[name] = values[0]
		}
	}
	return out
}

// count moves the metrics.
func (r *run) count(v Verdict) {
	m := r.e.metrics
	m.Decision(r.phase, v.Outcome, r.ex.Method, r.e.now().Sub(r.began))
	if f, ok := decision.Leading(r.in.Faults); ok && v.Category == decision.Unavailable {
		m.Undecided(f.Kind)
	}
	for _, f := range r.in.Findings {
		m.Finding(f.Category, f.Severity)
	}
	for _, h := range r.in.Hits {
		m.Rule(h.Rule, h.Action)
	}
	m.Redactions(v.Redactions + v.Removed)
	if r.identified && r.shared {
		m.SharedKey()
	}
	if r.in.Partial {
		m.CoveragePartial()
	}
	if r.in.Shed {
		m.Shed(r.shed)
	}
}
