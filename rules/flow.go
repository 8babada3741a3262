package rules

import (
	"slices"
	"unsafe"
)

// flowMemory is the automaton of one flow on one key.
//
// The settled past is one number per step: the latest start of a partial match that reached it. The latest start dominates every
// earlier one, because both wait for the same next step and the later one expires later; so nothing else need be remembered, and
// no number of other calls can push a match out. Exchanges whose outcome is open are kept aside in the order of their evaluation
// and replayed on top: each may still vanish, and a guard among them counts only once its exchange was allowed.
type flowMemory struct {
	near    [nearSteps]tick // by step, the last one left out: reaching it is firing
	within  tick
	far     *[maxFlowSteps]tick // all steps, in flows that have more of them
	journal *[]flowEntry        // nil when nothing is in flight, which is the usual state of a key
}

// nearSteps is how many starts are kept without a further allocation: enough for flows of two and three steps.
const nearSteps = 2

func newFlowMemory(r *rule) *flowMemory {
	f := &flowMemory{within: tick(r.within)}
	if r.length-1 > nearSteps {
		f.far = new([maxFlowSteps]tick)
	}
	return f
}

// starts is the settled past, one start for each step; what lies behind the flow's last step is never set.
func (f *flowMemory) starts() []tick {
	if f.far != nil {
		return f.far[:]
	}
	return f.near[:]
}

func (f *flowMemory) entries() []flowEntry {
	if f.journal == nil {
		return nil
	}
	return *f.journal
}

func (f *flowMemory) setEntries(entries []flowEntry) {
	switch {
	case len(entries) == 0:
		f.journal = nil
	case f.journal == nil:
		f.journal = &entries
	default:
		*f.journal = entries
	}
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
	last := r.length - 1
	var buf [maxFlowSteps]tick
	view := buf[:copy(buf[:], f.starts())]
	open := f.entries()
	for i := range open {
		f.apply(view, &open[i])
	}
	fired := sm.steps&(1<<last) != 0 && (last == 0 || f.alive(view[last-1], x.now))
	// Only what can matter is kept. What a later replay sees before this event is never more than the view now: exchanges in
	// flight may be withdrawn and guards allowed, and both only take matches away. So a step that nothing has come near, and a
	// guard with nothing to void, stay without effect. The last step leaves nothing behind either.
	steps, guards := uint32(0), uint32(0)
	for i := range last {
		if i == 0 || f.alive(view[i-1], x.now) {
			steps |= sm.steps & (1 << i)
		}
		if f.alive(view[i], x.now) {
			guards |= sm.guards & (1 << i)
		}
	}
	if steps|guards != 0 {
		if len(open) >= maxUnsettled {
			open[0].giveUp()
			f.fold()
			open = f.entries()
		}
		f.setEntries(append(grown(open), flowEntry{id: x.id, at: x.now, deadline: x.deadline, steps: steps, guards: guards}))
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
	open := f.entries()
	for i := range open {
		if open[i].deadline <= now {
			open[i].giveUp()
		}
	}
	f.fold()
}

// fold moves the settled head of the journal into the past.
func (f *flowMemory) fold() {
	open := f.entries()
	n := 0
	for n < len(open) && open[n].settled {
		f.apply(f.starts(), &open[n])
		n++
	}
	if n > 0 {
		f.setEntries(slices.Delete(open, 0, n))
	}
}

func (f *flowMemory) settle(id [16]byte, commit bool, now tick) {
	if f.journal == nil {
		return
	}
	f.expire(now)
	open := f.entries()
	kept := open[:0]
	for _, e := range open {
		if e.id == id && !e.settled {
			if !commit {
				continue
			}
			e.settled = true
		}
		kept = append(kept, e)
	}
	f.setEntries(kept)
	f.fold()
}

func (f *flowMemory) shift(delta tick) {
	starts := f.starts()
	for i := range starts {
		starts[i] = starts[i].shifted(delta)
	}
	open := f.entries()
	for i := range open {
		e := &open[i]
		e.at, e.deadline = e.at.shifted(delta), e.deadline.shifted(delta)
	}
}

func (f *flowMemory) size() int {
	total := int(unsafe.Sizeof(*f))
	if f.far != nil {
		total += int(unsafe.Sizeof(*f.far))
	}
	if f.journal != nil {
		total += int(unsafe.Sizeof(*f.journal)) + cap(*f.journal)*int(unsafe.Sizeof(flowEntry{}))
	}
	return total
}
