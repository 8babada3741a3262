package decision

// FaultKind says why a part of the engine could not give its answer.
type FaultKind uint8

const (
	// FaultError is a scanner that failed on an input it should have handled.
	FaultError FaultKind = iota
	// FaultTimeout is a scanner that did not answer inside its deadline.
	FaultTimeout
	// FaultQueueFull is a bounded queue of ours that refused the work.
	FaultQueueFull
	// FaultDown is a part that was ready once and is lost.
	FaultDown
	// FaultRule is a rule whose predicate failed to evaluate.
	FaultRule
	// FaultCancelled is a caller that went away, or a deadline that passed
	// before the work could start.
	FaultCancelled
	// FaultNotReady is an engine that has not proved itself yet. Hard.
	FaultNotReady
	// FaultPanic is a broken invariant of the engine itself. Hard.
	FaultPanic
	// FaultAudit is an audit trail that cannot take the line while the
	// configuration says that what cannot be recorded must not happen. Hard.
	FaultAudit
)

var faultNames = [...]string{"error", "timeout", "queue_full", "down", "rule_error", "cancelled", "not_ready", "panic", "audit_refused"}

// FaultKinds lists every kind, for tests that must cover them all.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, len(faultNames))
	for i := range kinds {
		kinds[i] = FaultKind(i)
	}
	return kinds
}

// String returns the word used in audit lines.
func (k FaultKind) String() string {
	if int(k) < len(faultNames) {
		return faultNames[k]
	}
	return "unknown"
}

// Hard reports whether the fault is answered UNKNOWN whatever the failure mode:
// an engine that cannot vouch for its own state must not fail open.
func (k FaultKind) Hard() bool {
	return k == FaultNotReady || k == FaultPanic || k == FaultAudit
}

// Fault is one part of the engine that could not decide.
type Fault struct {
	// Scanner is who could not decide.
	Scanner string
	// Kind is why.
	Kind FaultKind
	// Detail is a short constant or an error text free of payload; audit only.
	Detail string
}
