package rules

import "hash/maphash"

// Matched is what one event means to a set's rules. It carries rule numbers, amounts and hashes, and nothing of the arguments, so
// it may be sent to another goroutine and kept. The zero value is an event that concerns no rule.
type Matched struct {
	Hits   []Hit       // call rules that fired
	Faults []Fault     // rules that could not be evaluated
	Steps  []StepMatch // what Advance needs
	set    *Set
}

// StepMatch is how the event concerns one rule with memory.
type StepMatch struct {
	rule   int32
	steps  uint32   // flows: the calls and results it matches, by bit
	guards uint32   // flows: the guards it matches, by the bit of the step they follow
	amount float64  // budgets
	tool   uint64   // rates: the tool, hashed
	hash   [16]byte // loops: service, tool and arguments
}

// Match evaluates the matchers and predicates that concern ev. It is pure, safe for concurrent use, reads nothing of ev after it
// returned, and never fails: what could not be evaluated is in Faults.
func (s *Set) Match(ev *Event) Matched {
	m := Matched{set: s}
	found := s.index.find(ev)
	if len(found) == 0 {
		return m
	}
	w := matching{set: s, ev: ev, vars: activation{ev: ev, lists: s.lists}}
	for i := 0; i < len(found); {
		end := i + 1
		for end < len(found) && found[end].rule == found[i].rule {
			end++
		}
		w.rule(&m, s.rules[found[i].rule], found[i:end])
		i = end
	}
	return m
}

// matching is the work of one Match.
type matching struct {
	set    *Set
	ev     *Event
	vars   activation
	prints []fingerprint // by ignore group, computed once
	values []evaluated   // of predicates that several steps share; a handful, so a list does
}

type evaluated struct {
	of    *predicate
	value bool
	fault FaultCode
}

type fingerprint struct {
	hash [16]byte
	done bool
}

func (w *matching) rule(m *Matched, r *rule, steps []*step) {
	sm := StepMatch{rule: int32(r.index)}
	any := false
	fault := func(s *step, code FaultCode) {
		m.Faults = append(m.Faults, Fault{Rule: r.decl.name, Kind: r.decl.kind, Action: r.decl.action, Step: s.at, Code: code})
	}
	for _, s := range steps {
		ok, code := w.matches(s)
		if code != "" {
			fault(s, code)
			continue
		}
		if !ok {
			continue
		}
		any = true
		if s.decl.kind == guardStep {
			sm.guards |= s.bit
		} else {
			sm.steps |= s.bit
		}
	}
	if !any {
		return
	}
	switch r.decl.kind {
	case KindCall:
		m.Hits = append(m.Hits, r.hit(false))
		return
	case KindLoop:
		sm.hash = w.fingerprint(r.ignore)
	case KindRate:
		if !r.decl.perRule {
			sm.tool = toolHash(w.ev.Service, w.ev.Tool)
		}
	case KindBudget:
		value, ok, code := r.amount.amount(&w.vars)
		if code != "" {
			fault(steps[0], code)
		}
		if !ok {
			return
		}
		sm.amount = value
	}
	m.Steps = append(m.Steps, sm)
}

// matches checks what the index does not: route, principal, labels and the predicate.
func (w *matching) matches(s *step) (bool, FaultCode) {
	d := s.decl
	if !d.route.match(w.ev.Route) || !d.principal.match(w.ev.Principal) || !d.labels.matchAny(w.ev.Labels) {
		return false, ""
	}
	if s.when == nil || !s.when.shared {
		return s.when.eval(&w.vars)
	}
	for i := range w.values {
		if w.values[i].of == s.when {
			return w.values[i].value, w.values[i].fault
		}
	}
	value, fault := s.when.eval(&w.vars)
	w.values = append(w.values, evaluated{s.when, value, fault})
	return value, fault
}

func (w *matching) fingerprint(group int) [16]byte {
	if w.prints == nil {
		w.prints = make([]fingerprint, len(w.set.ignores))
	}
	p := &w.prints[group]
	if !p.done {
		p.hash, p.done = callHash(w.ev, w.set.ignores[group]), true
	}
	return p.hash
}

// hit is what the rule says when it fires. On a shared key a block becomes a review unless the rule's scope says otherwise.
func (r *rule) hit(shared bool) Hit {
	h := Hit{Rule: r.decl.name, Kind: r.decl.kind, Action: r.decl.action, Category: r.decl.kind.category(), Order: r.index}
	if shared && !r.decl.anyScope && h.Action == ActionBlock {
		h.Action, h.SharedKey = ActionReview, true
	}
	return h
}

// toolSeed keys the hash that stands for a tool in a rate's memory, so that names cannot be chosen to collide. It lives as long
// as the process, which is as long as any State.
var toolSeed = maphash.MakeSeed()

// toolHash is never zero: zero is the counter that tools share when there are too many of them.
func toolHash(service, tool string) uint64 {
	var h maphash.Hash
	h.SetSeed(toolSeed)
	h.WriteString(service)
	h.WriteByte(0)
	h.WriteString(tool)
	return max(h.Sum64(), 1)
}
