package rules

import (
	"fmt"
	"time"
)

// Kind is what a rule looks at.
type Kind uint8

// The kinds of rules.
const (
	KindCall   Kind = iota // one call, no memory
	KindFlow               // a sequence of calls and results
	KindLoop               // the same call again and again
	KindRate               // too many calls
	KindBudget             // too large a sum
)

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

var kindNames = [...]string{"call", "flow", "loop", "rate", "budget"}

// category is the wire category of a hit of this kind.
func (k Kind) category() string {
	switch k {
	case KindCall:
		return "tool_policy"
	case KindRate, KindBudget:
		return "rate"
	default:
		return "tool_flow"
	}
}

// Action is what a hit asks for. The order is the order of severity.
type Action uint8

// The actions. A shadow hit never changes the verdict: it is audited as what would have been denied.
const (
	ActionShadow Action = iota
	ActionReview
	ActionBlock
)

func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", a)
}

var actionNames = [...]string{"shadow", "review", "block"}

// Hit is one rule that fired. It holds nothing of the call.
type Hit struct {
	Rule       string
	Kind       Kind
	Action     Action
	Category   string        // wire category: tool_policy, tool_flow or rate
	RetryAfter time.Duration // rate and budget: when a call may be allowed again if none comes before; 0 when never or unknown
	Order      int           // the rule's place in the pack, from 0
	SharedKey  bool          // the key is shared, and that is why a block flow became a review
}

// Fault is a rule that could not be evaluated for this event. How it counts is the failure mode's business; a fault of a shadow
// rule never changes a verdict.
type Fault struct {
	Rule   string
	Kind   Kind
	Action Action
	Step   int // which step of a flow, from 0; 0 for other kinds
	Code   FaultCode
}

// Worst returns the most severe hit; among equals the one whose rule comes first in the pack. ok is false when there is none.
func Worst(hits []Hit) (worst Hit, ok bool) {
	for i, h := range hits {
		if i == 0 || h.Action > worst.Action || h.Action == worst.Action && h.Order < worst.Order {
			worst = h
		}
	}
	return worst, len(hits) > 0
}
