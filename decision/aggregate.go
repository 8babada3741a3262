package decision

import "time"

// FailureMode says what happens to an exchange that could not be decided.
type FailureMode uint8

const (
	// FailClosed refuses it. The zero value.
	FailClosed FailureMode = iota
	// FailOpen passes it and asks for review. Hard faults are refused all the same.
	FailOpen
)

// ReviewMode says what happens to an exchange that asks for review.
type ReviewMode uint8

const (
	// ReviewPass lets it through and records it. The zero value.
	ReviewPass ReviewMode = iota
	// ReviewDeny refuses it.
	ReviewDeny
)

// Policy is how findings, hits and faults become a verdict.
type Policy struct {
	Failure FailureMode
	Review  ReviewMode
	// DryRun answers pass to what policy would refuse or change, and records
	// what would have happened. Capacity and hard faults still refuse: dry run
	// observes policy, it does not switch self-protection off.
	DryRun bool
}

// Input is everything that is known about one exchange when its verdict is due.
type Input struct {
	// Ref is the minted reference.
	Ref string
	// Malformed is set when the payload was refused by the parser.
	Malformed bool
	// Oversize is set beside Malformed when a size limit was the reason.
	Oversize bool
	// Shed is set when admission refused the exchange.
	Shed bool
	// RetryAfter goes with Shed.
	RetryAfter time.Duration

	Findings []Finding
	Hits     []Hit
	Faults   []Fault
	// Partial is set when a budget left part of the payload unread.
	Partial bool

	// Mutation is the replacement body, nil when nothing changes.
	Mutation            []byte
	Redactions, Removed int
	// Score is the highest classifier score.
	Score float64
}

// Aggregate returns the verdict for in under p.
//
// Precedence: hard faults, then shedding and malformed payloads (nothing was
// read in these three), then block (a finding or a rule), then quotas, then what could
// not be decided under FailClosed, then review, then mutation, then allow. A
// block therefore wins over every fault and no fault can hide a block. Among
// equals the first in input order names the cause.
func Aggregate(in Input, p Policy) Verdict {
	v := judge(in, p)
	v.Ref, v.Score = in.Ref, in.Score
	v.Would = v.Outcome
	if p.DryRun && suppressible(v, in) {
		v = Verdict{Outcome: Allow, Would: v.Outcome, Cause: v.Cause, Ref: in.Ref, Score: in.Score}
	} else if !v.Denied() && shadowDenies(in.Hits) {
		v.Would = Deny
	}
	switch {
	case v.Denied():
		v.Reason += " (ref " + in.Ref + ")"
	case !p.DryRun && in.Mutation != nil:
		v.Body, v.Redactions, v.Removed = in.Mutation, in.Redactions, in.Removed
	}
	return v
}

func judge(in Input, p Policy) Verdict {
	if f, ok := firstFault(in.Faults, FaultKind.Hard); ok {
		return refusal(Error, CodeUnknown, Unavailable, ReasonUnavailable, faultCause(f))
	}
	if in.Shed {
		v := refusal(Shed, CodeResourceExhausted, Rate, ReasonShed, "admission")
		v.RetryAfter = in.RetryAfter
		return v
	}
	if in.Malformed {
		category := MalformedBody
		if in.Oversize {
			category = Size
		}
		return refusal(Invalid, CodeInvalid, category, ReasonInvalid, "parser")
	}
	if category, cause, ok := blocked(in); ok {
		return refusal(Deny, CodePermissionDenied, category, ReasonPolicy, cause)
	}
	if rule, wait, ok := exhausted(in.Hits); ok {
		v := refusal(Deny, CodeResourceExhausted, Rate, ReasonQuota, "rule:"+rule)
		v.RetryAfter = wait
		return v
	}
	fault, undecided := Leading(in.Faults)
	if undecided && p.Failure == FailClosed {
		return refusal(Error, CodeUnknown, Unavailable, ReasonUndecided, faultCause(fault))
	}
	category, cause, review := reviewed(in)
	if !review && undecided {
		category, cause, review = Unavailable, faultCause(fault), true
	}
	if review {
		if p.Review == ReviewDeny {
			return refusal(Deny, CodePermissionDenied, category, ReasonReview, cause)
		}
		return Verdict{Outcome: Flagged, Category: category, Cause: cause}
	}
	if in.Mutation != nil {
		cause := "redaction"
		if in.Redactions == 0 {
			cause = "removal"
		}
		return Verdict{Outcome: Mutated, Cause: cause}
	}
	return Verdict{Outcome: Allow}
}

func refusal(o Outcome, c Code, category Category, reason, cause string) Verdict {
	return Verdict{Outcome: o, Code: c, Category: category, Reason: reason, Cause: cause}
}

// exhausted returns the first rule whose quota refuses, and when the last of them all
// would admit the call: who came back before that would be refused again.
func exhausted(hits []Hit) (rule string, wait time.Duration, ok bool) {
	for _, h := range hits {
		if h.Action != ActionBlock || !h.Exhausts() {
			continue
		}
		if !ok {
			rule, ok = h.Rule, true
		}
		wait = max(wait, h.RetryAfter)
	}
	return rule, wait, ok
}

func blocked(in Input) (Category, string, bool) {
	for _, h := range in.Hits {
		if h.Action == ActionBlock && !h.Exhausts() {
			return h.Category, "rule:" + h.Rule, true
		}
	}
	for _, f := range in.Findings {
		if f.Severity == Block {
			return f.Category, f.Scanner + ":" + f.Detector, true
		}
	}
	return "", "", false
}

func reviewed(in Input) (Category, string, bool) {
	for _, h := range in.Hits {
		if h.Action == ActionReview {
			return h.Category, "rule:" + h.Rule, true
		}
	}
	for _, f := range in.Findings {
		if f.Severity == Review {
			return f.Category, f.Scanner + ":" + f.Detector, true
		}
	}
	if in.Partial {
		return GeneralPolicy, "coverage", true
	}
	return "", "", false
}

func firstFault(faults []Fault, want func(FaultKind) bool) (Fault, bool) {
	for _, f := range faults {
		if want(f.Kind) {
			return f, true
		}
	}
	return Fault{}, false
}

// Leading returns the fault that names the cause where a fault decides: the first hard one, else the first.
func Leading(faults []Fault) (Fault, bool) {
	if f, ok := firstFault(faults, FaultKind.Hard); ok {
		return f, true
	}
	return firstFault(faults, func(FaultKind) bool { return true })
}

func faultCause(f Fault) string { return f.Scanner + ":" + f.Kind.String() }

// suppressible reports whether dry run may turn the verdict into a pass.
func suppressible(v Verdict, in Input) bool {
	if v.Outcome == Shed {
		return false
	}
	_, hard := firstFault(in.Faults, FaultKind.Hard)
	return !hard
}

func shadowDenies(hits []Hit) bool {
	for _, h := range hits {
		if h.Action == ActionShadow {
			return true
		}
	}
	return false
}
