package decision

import (
	"fmt"
	"log/slog"
	"time"
)

// Outcome is what an exchange came to, in the words of the audit trail.
type Outcome uint8

const (
	// Allow passes the message as it came.
	Allow Outcome = iota
	// Mutated passes a message in which something was masked or removed.
	Mutated
	// Flagged passes the message and asks a person to look.
	Flagged
	// Deny refuses it by policy.
	Deny
	// Invalid refuses it because it cannot be parsed safely.
	Invalid
	// Shed refuses it because the engine is over capacity.
	Shed
	// Error refuses it because the engine could not decide.
	Error
)

var outcomeNames = [...]string{"allow", "mutated", "review", "deny", "invalid", "shed", "error"}

// Outcomes lists every outcome, for metrics that must exist at zero.
func Outcomes() []Outcome {
	all := make([]Outcome, len(outcomeNames))
	for i := range all {
		all[i] = Outcome(i)
	}
	return all
}

// String returns the audit word.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Denied reports whether the outcome refuses the message.
func (o Outcome) Denied() bool { return o >= Deny }

// Code is the reason class of a refusal on the wire, with the numbers of
// ExtMcp's AuthorizationError.Code.
type Code uint8

const (
	// CodeUnknown: the engine could not decide.
	CodeUnknown Code = iota
	// CodePermissionDenied: policy refuses.
	CodePermissionDenied
	// CodeResourceExhausted: a quota or the engine's capacity is used up.
	CodeResourceExhausted
	// CodeInvalid: the payload cannot be parsed safely.
	CodeInvalid
)

// The fixed sentences a denied caller may read: one per row of the wire table.
// The engine appends " (ref <ref>)".
const (
	ReasonPolicy      = "blocked by policy"
	ReasonReview      = "held for human review"
	ReasonQuota       = "rate limit exceeded"
	ReasonShed        = "guardrail is over capacity"
	ReasonInvalid     = "malformed MCP message"
	ReasonUndecided   = "guardrail could not decide"
	ReasonUnavailable = "guardrail is not available"
)

// Verdict is the one answer to one exchange.
type Verdict struct {
	// Outcome is the audit word; Outcome.Denied() tells whether to refuse.
	Outcome Outcome
	// Would is the outcome that dry run or shadow rules suppressed; equal to
	// Outcome when nothing was suppressed.
	Would Outcome
	// Code, Category and Reason describe a refusal to the caller. Reason is one
	// fixed sentence with the ref; none of them names a rule or a detector.
	Code     Code
	Category Category
	Reason   string
	// Ref is the opaque reference by which an operator finds the audit line.
	Ref string
	// RetryAfter is set for CodeResourceExhausted when known.
	RetryAfter time.Duration
	// Body replaces the message when it was mutated; nil passes it unchanged.
	Body []byte
	// Call is the token to hand back with the response; requests only.
	Call string
	// Score is the highest classifier score in [0,1] of what was read.
	Score float64
	// Cause names what decided, for the audit trail: "<scanner>:<detector>",
	// "rule:<name>", "<scanner>:<fault>". Never for the caller.
	Cause string
	// Redactions counts the masked spans, Removed the tools taken out of a list.
	Redactions, Removed int
}

// Denied reports whether the message must be refused.
func (v Verdict) Denied() bool { return v.Outcome.Denied() }

// String describes the verdict without any payload.
func (v Verdict) String() string {
	return fmt.Sprintf("verdict{%s category=%s ref=%s redactions=%d}", v.Outcome, v.Category, v.Ref, v.Redactions)
}

// GoString keeps %#v from printing a mutated body.
func (v Verdict) GoString() string { return v.String() }

// LogValue keeps structured loggers from printing a mutated body.
func (v Verdict) LogValue() slog.Value { return slog.StringValue(v.String()) }
