package sallyport

import (
	"context"
	"slices"
	"strings"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// scan runs the detectors on this goroutine.
func (r *run) scan(ctx context.Context) {
	ctx, span := r.e.span(ctx, telemetry.SpanScan)
	defer span.End()
	began := r.e.now()
	if !r.profile.DryRun {
		r.doc.RefuseBlocked(r.profile.PoisonedTools != decision.ListNote)
	}
	report, err := r.policy.allow.scannerFor(r.tuple.Scanner, r.ex.Services, r.tool).Scan(ctx, r.doc, r.side())
	if err != nil {
		r.fault(decision.ScannerContent, r.e.interrupted(ctx, decision.ScannerContent, began, false), "")
		return
	}
	result := telemetry.ScanClean
	if len(report.Findings) > 0 {
		result = telemetry.ScanFound
	}
	r.e.scanned(decision.ScannerContent, result, began)
	r.report = report
	r.in.Partial = r.in.Partial || report.Coverage.Partial
	r.in.Findings = slices.Grow(r.in.Findings, len(report.Findings))
	for _, f := range report.Findings {
		if r.tells(f) {
			r.labels = append(r.labels, label{f.Category, f.Tool})
		}
		r.found(decision.Finding{
			Scanner:  decision.ScannerContent,
			Detector: f.Detector,
			Category: decision.Category(f.Category),
			Severity: r.severity(f),
			Path:     f.Path,
			View:     f.View,
			Length:   f.Length,
			HMAC:     r.fingerprint(f),
		}, f.Tool)
		if r.maskable(f) {
			r.masks = append(r.masks, f)
		}
	}
}

// label is a category that was found, and in which tool of a list, noTool outside of one.
type label struct {
	category string
	tool     int
}

// told are the categories of what reaches the agent: what was in a tool that is taken out
// of the list does not.
func (r *run) told() []string {
	var categories []string
	for _, l := range r.labels {
		if _, dropped := r.dropping[l.tool]; !dropped || r.profile.DryRun {
			categories = append(categories, l.category)
		}
	}
	return categories
}

// tells reports whether a finding of a detector says something about the message to the
// rules. What a built-in detector notes and nobody masks is what it takes for harmless
// where it stands: the colours of a terminal are no attempt to steer a model.
func (r *run) tells(f content.Finding) bool {
	return f.Severity > content.Note || f.Mask != "" || r.policy.own[f.Detector]
}

// severity is what a detector's finding asks for under the profile: what is
// going to be masked needs no refusal, and what would have been masked but is
// not needs a person.
func (r *run) severity(f content.Finding) decision.Severity {
	s := decision.Severity(f.Severity)
	if !r.maskable(f) {
		return s
	}
	switch {
	case r.phase == decision.Request && r.profile.RedactRequests:
		return decision.Note
	case r.phase == decision.Response && !r.profile.RedactResponses && f.Category == content.CategorySecret:
		return max(s, decision.Review)
	}
	return s
}

// maskable reports whether a finding is one that redaction may take away. What a call is
// about is not: the gateway has authorised, and rules have judged, the name that came,
// and a call of something else is no milder form of it. Nor are a person's data in what
// goes back to its sender unread.
func (r *run) maskable(f content.Finding) bool {
	if f.Mask == "" || r.phase == decision.Request && about(r.ex.Method, r.member(f)) {
		return false
	}
	return f.Category != content.CategoryPersonalData || !r.doc.HandedBack(f.String)
}

// about reports whether a member of the params says what the call is about.
func about(method, pointer string) bool {
	switch {
	case method == "completion/complete":
		return pointer == "/ref/name" || pointer == "/ref/uri" || pointer == "/argument/name"
	case strings.HasPrefix(method, "tasks/"):
		return pointer == "/taskId"
	}
	return pointer == "/"+subjectMember(method)
}

// member is where the received string is that a finding is in, or in a document inside of.
func (r *run) member(f content.Finding) string {
	all := r.doc.Strings()
	if f.String < 0 || all[f.String].Host < 0 {
		return f.Path
	}
	outer := f.String
	for all[outer].Host >= 0 {
		outer = all[outer].Host
	}
	return r.doc.Pointer(outer)
}

// redacts reports whether redaction is on for this gate.
func (r *run) redacts() bool {
	if r.phase == decision.Request {
		return r.profile.RedactRequests
	}
	return r.profile.RedactResponses
}

// found records a finding. One inside a tool definition of a list is judged with
// its tool: under "remove" it costs the tool its place and the list nothing.
func (r *run) found(f decision.Finding, tool int) {
	if tool >= 0 && f.Severity == decision.Block && r.profile.PoisonedTools != decision.ListDeny {
		f.Severity = decision.Note
		if r.profile.PoisonedTools == decision.ListRemove {
			r.drop(tool)
		}
	}
	r.in.Findings = append(r.in.Findings, f)
}

// drop takes a tool out of the list that is about to be sent.
func (r *run) drop(tool int) {
	if r.dropping == nil {
		r.dropping = make(map[int]struct{})
	}
	r.dropping[tool] = struct{}{}
}

// fingerprint is the keyed hash of a high-entropy match, for operators who want
// to recognise the same secret twice without ever storing it.
func (r *run) fingerprint(f content.Finding) string {
	if !f.HighEntropy || f.Start < 0 {
		return ""
	}
	return r.e.prints.Of(matchOf(r.doc, f), true).HMAC
}

// matchOf is the matched text, "" when the match has no place of its own.
func matchOf(doc *content.Document, f content.Finding) string {
	if f.Start < 0 {
		return ""
	}
	return doc.Strings()[f.String].Text[f.Start:f.End]
}
