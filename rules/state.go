package rules

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"
	"unsafe"
)

// Bounds of one key's state.
const (
	maxFlowSteps  = 16 // calls and results of one flow
	maxThreshold  = 50 // of a loop
	maxLoopCalls  = 32 // different calls that one loop remembers
	maxRateTools  = 16 // tools that one rate counts apart; further ones share a counter until others fall silent
	maxExact      = 32 // counted calls that a window keeps one by one before it gathers them in cells
	windowCells   = 16 // cells per window: what is gathered stays in the sum for at most within/16 too long
	maxUnsettled  = 32 // exchanges of one rule in flight on one key; the oldest is taken as having happened when more come
	defaultSettle = 10 * time.Second
)

// AdvanceInfo says which exchange advances a state, and when.
type AdvanceInfo struct {
	ID      [16]byte      // the exchange; Settle names it again
	Shared  bool          // the key is shared by callers that could not be told apart
	Now     time.Time     // a time before the state's latest one counts as that one
	Pending time.Duration // how long the exchange may stay unsettled; 0 means 10 s
}

// tick is a time: milliseconds since the state's epoch, from 1. Zero is never.
type tick uint32

// State is what one trace key remembers: an automaton's memory for each rule that concerned it. Its size is bounded whatever
// the key's callers do. It is not safe for concurrent use: it has one owner. The zero value is not ready; call NewState.
type State struct {
	epoch  int64 // Unix milliseconds; 0 until the first event
	last   tick
	gen    *generation
	slots  []slot // in the order of their ids
	packed string // what slots holds, while no exchange is in flight; see packed.go
}

type slot struct {
	id     uint64
	memory memory
}

// memory is one rule's automaton on one key.
type memory interface {
	// settle ends the exchange: it happened, or it did not.
	settle(id [16]byte, commit bool, now tick)
	// resting reports that no exchange is in flight.
	resting() bool
	// pack writes the memory, or nothing when it holds nothing.
	pack(w *packer, place int)
	// shift moves every time by -delta; what would fall out of range is older than any rule looks back and is forgotten.
	shift(delta tick)
	size() int
}

// NewState returns the state of a key that nothing is known about.
func NewState() *State { return &State{} }

// Advance feeds one event's matches to the key's automata and returns the rules that fire, in pack order. What the event
// contributes counts at once and stays provisional until Settle: two calls in flight see each other, a guard ("unless") waits for
// its exchange to be allowed. Stateless hits of m are not repeated here.
//
// The set that decides is the one m was matched with. A state that has seen a newer set forgets the rules that are gone, and a
// late exchange on the old set neither brings them back nor disturbs the new ones.
func (s *Set) Advance(st *State, m *Matched, in AdvanceInfo) []Hit {
	set := m.set
	if set == nil {
		return nil
	}
	st.wake()
	st.adopt(set.gen)
	now := st.clock(in.Now)
	pending := in.Pending
	if pending <= 0 {
		pending = defaultSettle
	}
	x := exchange{id: in.ID, now: now, deadline: now + tick(min(pending, maxWithin).Milliseconds())}
	var hits []Hit
	for i := range m.Steps {
		sm := &m.Steps[i]
		r := set.rules[sm.rule]
		muted := in.Shared && !r.decl.anyScope && r.decl.kind != KindFlow
		if muted {
			continue // neighbours on a shared key must not use up each other's allowance
		}
		mem, known := st.find(r.id)
		if !known {
			if r.decl.kind == KindFlow && r.length > 1 && sm.steps&1 == 0 {
				continue // nothing has begun, and this is not a beginning
			}
			mem = st.remember(set.gen, r)
		}
		if fired, retry := r.advance(mem, sm, x); fired {
			h := r.hit(in.Shared)
			h.RetryAfter = time.Duration(retry) * time.Millisecond
			hits = append(hits, h)
		}
	}
	return hits
}

// exchange is what one Advance means to every memory.
type exchange struct {
	id            [16]byte
	now, deadline tick
}

// advance dispatches to the rule's automaton. retry is in milliseconds.
func (r *rule) advance(mem memory, sm *StepMatch, x exchange) (fired bool, retry tick) {
	switch m := mem.(type) {
	case *flowMemory:
		return m.advance(r, sm, x), 0
	case *loopMemory:
		return m.advance(r, sm, x.now), 0
	case *rateMemory:
		return m.advance(r, sm, x.now)
	case *rateWindows:
		return m.advance(r, sm, x.now)
	case *budgetMemory:
		return m.advance(r, sm, x)
	}
	panic("rules: no memory for " + r.decl.kind.String()) // call rules never reach a state
}

func (r *rule) newMemory() memory {
	switch r.decl.kind {
	case KindFlow:
		return newFlowMemory(r)
	case KindLoop:
		return &loopMemory{}
	case KindRate:
		if r.decl.max > maxExact {
			return &rateWindows{}
		}
		return &rateMemory{}
	default:
		return &budgetMemory{within: tick(r.within)}
	}
}

func (st *State) find(id uint64) (memory, bool) {
	i, ok := sort.Find(len(st.slots), func(i int) int { return cmp.Compare(id, st.slots[i].id) })
	if !ok {
		return nil, false
	}
	return st.slots[i].memory, true
}

// remember makes the rule's memory. A rule that the newest set does not have gets one that is not kept.
func (st *State) remember(gen *generation, r *rule) memory {
	fresh := r.newMemory()
	if gen != st.gen {
		if _, current := st.gen.ids[r.id]; !current {
			return fresh
		}
	}
	i, _ := sort.Find(len(st.slots), func(i int) int { return cmp.Compare(r.id, st.slots[i].id) })
	st.slots = slices.Insert(grown(st.slots), i, slot{id: r.id, memory: fresh})
	return fresh
}

// adopt moves to a newer set: unchanged rules keep their memory, the others' is dropped.
func (st *State) adopt(gen *generation) {
	switch {
	case st.gen == gen:
		return
	case st.gen != nil && st.gen.seq > gen.seq:
		return
	}
	st.gen = gen
	st.slots = slices.DeleteFunc(st.slots, func(s slot) bool {
		_, keep := gen.ids[s.id]
		return !keep
	})
}

// Settle says how an exchange ended: commit when it was allowed, otherwise its steps and amounts are withdrawn, as if it had not
// happened; loops and rates keep counting the attempt. An id that is unknown, already settled or past its time changes nothing.
func (st *State) Settle(id [16]byte, commit bool, now time.Time) {
	t := st.clock(now)
	if st.packed != "" {
		return // nothing is in flight
	}
	for _, s := range st.slots {
		s.memory.settle(id, commit, t)
	}
	st.rest()
}

// clock turns a time into ticks, never backwards. Every third week or so the epoch moves up; rules look back a week at most.
func (st *State) clock(now time.Time) tick {
	ms := now.UnixMilli()
	if st.epoch == 0 {
		st.epoch = ms - 1
		if st.epoch == 0 {
			st.epoch = -1
		}
	}
	since := ms - st.epoch
	if since <= int64(st.last) {
		return st.last
	}
	const horizon = int64(math.MaxUint32 / 2)
	if since > horizon {
		// Everything is kept that is at most maxWithin old, and everything in flight.
		st.wake()
		delta := since - 2*maxWithin.Milliseconds()
		for _, s := range st.slots {
			s.memory.shift(tick(min(delta, math.MaxUint32)))
		}
		st.epoch += delta
		since -= delta
	}
	st.last = tick(since)
	return st.last
}

// Size estimates the state's bytes in memory, all allocations included.
func (st *State) Size() int {
	total := int(unsafe.Sizeof(*st)) + len(st.packed) + cap(st.slots)*int(unsafe.Sizeof(slot{}))
	for _, s := range st.slots {
		total += s.memory.size()
	}
	return total
}

// shifted moves t by -delta; what is older becomes never.
func (t tick) shifted(delta tick) tick {
	if t <= delta {
		return 0
	}
	return t - delta
}

// grown makes room for one more element in small steps: append would double, and half of that is air in every key.
func grown[E any](s []E) []E {
	if len(s) < cap(s) {
		return s
	}
	bigger := make([]E, len(s), len(s)+2+len(s)/4)
	copy(bigger, s)
	return bigger
}
