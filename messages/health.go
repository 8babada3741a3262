package messages

import (
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// OutcomeKind is what one scanner run came to, as far as health is concerned.
type OutcomeKind uint8

const (
	// OutcomeOK is a scanner that gave its answer; a block is an answer.
	OutcomeOK OutcomeKind = iota
	// OutcomeError is a fault of ours: a panic, an actor or model that is down, a
	// runtime error on an input that passed validation. What the input caused, what
	// was shed, refused or cancelled is no outcome at all.
	OutcomeError
	// OutcomeTimeout is work that had started in time and did not end in time.
	OutcomeTimeout
)

// Outcome is one sample.
type Outcome struct {
	// Scanner is who ran: one of decision's scanner names.
	Scanner string
	Kind    OutcomeKind
	At      time.Time
}

// Outcomes carries samples to the health actor, in the order they were recorded
// by one shard of the recorder.
type Outcomes struct {
	guard.Quiet
	List []Outcome
	// Lost is told when the samples reach no actor.
	Lost func(samples int)
}

// Reject counts the samples as lost.
func (o *Outcomes) Reject(error) {
	if o.Lost != nil {
		o.Lost(len(o.List))
	}
}

// Ring is the state of one sliding window of outcomes.
type Ring struct {
	// Samples is how many outcomes the window holds, Bad how many of them are
	// errors or timeouts.
	Samples, Bad int
}

// HealthView is what the health actor last published.
type HealthView struct {
	// Degraded is whether readiness is withdrawn.
	Degraded bool
	// Since is when Degraded last changed; zero while it never did.
	Since time.Time
	// Reason says which window crossed the line, for a person.
	Reason string
	// All is the window over every scanner, Scanners one per required scanner.
	All      Ring
	Scanners map[string]Ring
	// GoodCanaries is the current run of good canaries while degraded.
	GoodCanaries int
}
