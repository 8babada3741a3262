package rules

import (
	"fmt"
	"time"
)

// reference is the slow, obvious evaluator that the automata are held against. It keeps the whole history of a key and, for every
// event, looks through all of it. It shares nothing with the automata but the reading of matchers.
//
// The history is a list of exchanges in the order of their evaluation. An exchange is open, happened, or did not happen.
type reference struct {
	history []refEvent
	now     int64           // milliseconds, never backwards
	began   map[string]int  // rule content -> where in the history its memory begins
	present map[string]bool // the rules of the newest set
	newest  int
}

type refEvent struct {
	id       [16]byte
	at       int64
	deadline int64
	outcome  refOutcome
	tool     string
	args     string
	shared   bool
	result   bool
	amount   float64
	// matched says, by rule content and step, whether the event matched. It was evaluated when the event came.
	matched map[string][]bool
}

type refOutcome uint8

const (
	refOpen refOutcome = iota
	refHappened
	refDenied
	refLapsed // nobody said: its steps and amounts count, its guards do not
)

// refRule is a rule as the generator made it.
type refRule struct {
	name      string
	kind      Kind
	action    Action
	any       bool
	within    int64 // milliseconds
	steps     []refStep
	threshold int
	max       float64
	perRule   bool
}

type refStep struct {
	kind stepKind
	tool string // exact, or "*" for every one
}

// content tells rules apart by what their kind has, as a pack's text does: the random fields of other kinds say nothing.
func (r *refRule) content() string {
	switch r.kind {
	case KindFlow:
		return fmt.Sprintf("%s %v %v %v %d %v", r.name, r.kind, r.action, r.any, r.within, r.steps)
	case KindLoop:
		return fmt.Sprintf("%s %v %v %v %d %v %d", r.name, r.kind, r.action, r.any, r.within, r.steps, r.threshold)
	case KindBudget:
		return fmt.Sprintf("%s %v %v %v %d %v %v", r.name, r.kind, r.action, r.any, r.within, r.steps, r.max)
	}
	return fmt.Sprintf("%s %v %v %v %d %v %v %v", r.name, r.kind, r.action, r.any, r.within, r.steps, r.max, r.perRule)
}

func (s refStep) matches(tool string, result bool) bool {
	return (s.kind == resultStep) == result && (s.tool == "*" || s.tool == tool)
}

func newReference() *reference {
	return &reference{began: map[string]int{}, newest: -1}
}

// adopt is a reload: rules that stay keep their history, new ones begin now.
func (h *reference) adopt(generation int, rules []refRule) {
	if generation <= h.newest {
		return
	}
	h.newest = generation
	began := map[string]int{}
	h.present = map[string]bool{}
	for i := range rules {
		c := rules[i].content()
		h.present[c] = true
		if from, ok := h.began[c]; ok {
			began[c] = from
		} else {
			began[c] = len(h.history)
		}
	}
	h.began = began
}

func (h *reference) tick(now int64) { h.now = max(h.now, now) }

func (h *reference) lapse() {
	for i := range h.history {
		if e := &h.history[i]; e.outcome == refOpen && e.deadline <= h.now {
			e.outcome = refLapsed
		}
	}
}

type refHit struct {
	rule   string
	action Action
	retry  time.Duration
	shared bool
}

// evaluate says what fires at e and enters it into the history.
func (h *reference) evaluate(generation int, rules []refRule, e refEvent, pending int64) []refHit {
	h.adopt(generation, rules)
	h.tick(e.at)
	e.at = h.now
	e.deadline = e.at + pending
	h.lapse()
	e.matched = map[string][]bool{}
	var hits []refHit
	for i := range rules {
		r := &rules[i]
		matched := make([]bool, len(r.steps))
		some := false
		for j, s := range r.steps {
			matched[j] = s.matches(e.tool, e.result)
			some = some || matched[j]
		}
		if !some {
			continue
		}
		c := r.content()
		e.matched[c] = matched
		from, known := h.began[c]
		if !known {
			from = len(h.history) // a late exchange on an old set: the rule is gone and remembers nothing
		}
		past := h.history[from:]
		fired, retry := false, int64(0)
		switch r.kind {
		case KindFlow:
			fired = h.flow(r, c, past, &e)
		case KindLoop:
			fired = h.loop(r, c, past, &e)
		case KindRate:
			fired, retry = h.rate(r, c, past, &e)
		case KindBudget:
			fired, retry = h.budget(r, c, past, &e)
		}
		if e.shared && !r.any && r.kind != KindFlow {
			continue
		}
		if fired {
			hit := refHit{rule: r.name, action: r.action, retry: time.Duration(retry) * time.Millisecond}
			if e.shared && !r.any && r.action == ActionBlock {
				hit.action, hit.shared = ActionReview, true
			}
			hits = append(hits, hit)
		}
	}
	h.history = append(h.history, e)
	return hits
}

func (h *reference) settle(id [16]byte, commit bool, now int64) {
	h.tick(now)
	h.lapse()
	for i := range h.history {
		if e := &h.history[i]; e.id == id && e.outcome == refOpen {
			e.outcome = refDenied
			if commit {
				e.outcome = refHappened
			}
		}
	}
}

// flow asks whether some choice of past events, in order, is the calls and results before the last one, begun at most within ago,
// with no allowed guard between two of them. It tries every choice.
func (h *reference) flow(r *refRule, c string, past []refEvent, e *refEvent) bool {
	var positive []int
	for i, s := range r.steps {
		if s.kind != guardStep {
			positive = append(positive, i)
		}
	}
	last := positive[len(positive)-1]
	if !e.matched[c][last] {
		return false
	}
	// search: steps before n are matched by events before index limit+..., the n-th step's event is at index at.
	var search func(n, at int, start int64) bool
	search = func(n, at int, start int64) bool {
		// Step n was matched by past[at]; look for step n+1, or for the event itself.
		voided := func(to int) bool {
			for k := at + 1; k < to; k++ {
				g := &past[k]
				if g.outcome != refHappened || g.matched[c] == nil {
					continue
				}
				for j := positive[n] + 1; j < positive[n+1]; j++ {
					if g.matched[c][j] {
						return true
					}
				}
			}
			return false
		}
		if n == len(positive)-2 {
			return e.at-start <= r.within && !voided(len(past))
		}
		for k := at + 1; k < len(past); k++ {
			p := &past[k]
			if p.outcome == refDenied || p.matched[c] == nil || !p.matched[c][positive[n+1]] || p.at-start > r.within || voided(k) {
				continue
			}
			if search(n+1, k, start) {
				return true
			}
		}
		return false
	}
	if len(positive) == 1 {
		return true
	}
	for k := range past {
		p := &past[k]
		if p.outcome != refDenied && p.matched[c] != nil && p.matched[c][positive[0]] && search(0, k, p.at) {
			return true
		}
	}
	return false
}

func (h *reference) counted(r *refRule, p *refEvent) bool { return !p.shared || r.any }

func (h *reference) loop(r *refRule, c string, past []refEvent, e *refEvent) bool {
	n := 1
	for i := range past {
		p := &past[i]
		if p.matched[c] != nil && h.counted(r, p) && p.tool == e.tool && p.args == e.args && e.at-p.at < r.within {
			n++
		}
	}
	return n >= r.threshold
}

func (h *reference) rate(r *refRule, c string, past []refEvent, e *refEvent) (bool, int64) {
	var times []int64
	for i := range past {
		p := &past[i]
		if p.matched[c] != nil && h.counted(r, p) && (r.perRule || p.tool == e.tool) && e.at-p.at < r.within {
			times = append(times, p.at)
		}
	}
	if len(times) < int(r.max) {
		return false, 0
	}
	times = append(times, e.at)
	// The next call is allowed when fewer than max of these are inside the window.
	return true, times[len(times)-int(r.max)] + r.within - e.at
}

func (h *reference) budget(r *refRule, c string, past []refEvent, e *refEvent) (bool, int64) {
	type spent struct {
		at     int64
		amount float64
	}
	var all []spent
	sum := 0.0
	for i := range past {
		p := &past[i]
		if p.matched[c] != nil && h.counted(r, p) && p.outcome != refDenied && e.at-p.at < r.within {
			all = append(all, spent{p.at, p.amount})
			sum += p.amount
		}
	}
	if sum+e.amount <= r.max {
		return false, 0
	}
	if e.amount > r.max {
		return true, 0
	}
	for _, s := range all {
		if sum -= s.amount; sum+e.amount <= r.max {
			return true, s.at + r.within - e.at
		}
	}
	return true, 0
}
