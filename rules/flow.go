package rules

import "unsafe"

// flowMemory is the automaton of one flow on one key.
//
// The settled past is one number per step: the latest start of a partial match that reached it. The latest start dominates every
// earlier one, because both wait for the same next step and the later one expires later; so nothing else need be remembered, and
// no number of other calls can push a match out. Exchanges whose outcome is open are kept aside in the order of their evaluation
// and replayed on top: each may still vanish, and a guard among them counts only once its exchange was allowed.
type flowMemory struct {
	starts  []tick // by step, the last one left out: reaching it is firing
	journal []flowEntry
	within  tick
}

type flowEntry struct {
	id            [16]byte
	at, deadline  tick
	steps, guards uint32
	settled       bool
}

// advance evaluates one event and enters it into the journal.
func (f *flowMemory) advance(r *rule, sm *StepMatch, x exchange) bool {
	f.expire(x.now)
	var buf [maxFlowSteps]tick
	view := buf[:len(f.starts)]
	copy(view, f.starts)
	for i := range f.journal {
		f.apply(view, &f.journal[i])
	}
	last := r.length - 1
	fired := sm.steps&(1<<last) != 0 && (last == 0 || f.alive(view[last-1], x.now))
	if last == 0 {
		return fired // nothing to remember
	}
	// Only what can matter is kept. What a later replay sees before this event is never more than the view now: exchanges in
	// flight may be withdrawn and guards allowed, and both only take matches away. So a step that nothing has come near, and a
	// guard with nothing to void, stay without effect. The last step leaves nothing behind either.
	steps, guards := sm.steps&1, uint32(0)
	for i := range view {
		if i > 0 && f.alive(view[i-1], x.now) {
			steps |= sm.steps & (1 << i)
		}
		if f.alive(view[i], x.now) {
			guards |= sm.guards & (1 << i)
		}
	}
	if steps|guards != 0 {
		if len(f.journal) >= maxUnsettled {
			f.journal[0].giveUp()
			f.fold()
		}
		f.journal = append(f.journal, flowEntry{id: x.id, at: x.now, deadline: x.deadline, steps: steps, guards: guards})
	}
	return fired
}

func (f *flowMemory) alive(start, now tick) bool { return start != 0 && now-start <= f.within }

// apply adds what one event did to a view. Every step is judged by the view before the event: one event is never two steps of
// the same match, and no event voids what it reaches itself.
func (f *flowMemory) apply(view []tick, e *flowEntry) {
	for i := len(view) - 1; i >= 0; i-- {
		bit := uint32(1) << i
		reached := tick(0)
		if e.steps&bit != 0 {
			switch {
			case i == 0:
				reached = e.at
			case f.alive(view[i-1], e.at):
				reached = view[i-1]
			}
		}
		if e.guards&bit != 0 && e.settled {
			view[i] = 0
		}
		view[i] = max(view[i], reached)
	}
}

// giveUp settles an exchange that nobody settled: its steps count, its guards do not.
func (e *flowEntry) giveUp() {
	if !e.settled {
		e.settled, e.guards = true, 0
	}
}

// expire gives up on exchanges past their deadline.
func (f *flowMemory) expire(now tick) {
	for i := range f.journal {
		if f.journal[i].deadline <= now {
			f.journal[i].giveUp()
		}
	}
	f.fold()
}

// fold moves the settled head of the journal into the past.
func (f *flowMemory) fold() {
	n := 0
	for n < len(f.journal) && f.journal[n].settled {
		f.apply(f.starts, &f.journal[n])
		n++
	}
	if n == 0 {
		return
	}
	f.journal = append(f.journal[:0], f.journal[n:]...)
	if len(f.journal) == 0 {
		f.journal = nil // the usual state of an idle key
	}
}

func (f *flowMemory) settle(id [16]byte, commit bool, now tick) {
	if len(f.journal) == 0 {
		return
	}
	f.expire(now)
	kept := f.journal[:0]
	for _, e := range f.journal {
		if e.id == id && !e.settled {
			if !commit {
				continue
			}
			e.settled = true
		}
		kept = append(kept, e)
	}
	f.journal = kept
	if len(kept) == 0 {
		f.journal = nil
	}
	f.fold()
}

func (f *flowMemory) shift(delta tick) {
	for i := range f.starts {
		f.starts[i] = f.starts[i].shifted(delta)
	}
	for i := range f.journal {
		e := &f.journal[i]
		e.at, e.deadline = e.at.shifted(delta), e.deadline.shifted(delta)
	}
}

func (f *flowMemory) size() int {
	return int(unsafe.Sizeof(*f)) + 4*cap(f.starts) + cap(f.journal)*int(unsafe.Sizeof(flowEntry{}))
}
