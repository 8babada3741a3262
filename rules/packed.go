package rules

import (
	"encoding/binary"
	"math"
	"slices"
)

// A key at rest, which is what nearly all keys are at any moment, keeps its memories as one text: no pointers for the garbage
// collector to follow, no room to grow, times as differences in a byte or two. Nothing is rounded; unpacking gives back what was
// packed. Memories that no longer hold anything are left out.
//
// The text is: the time it was packed at, how many memories there were, then for every one that holds something its rule's place
// among those of the state's generation, a kind, and what the kind writes. A state changes its generation only when it is awake.

// The kinds of packed memories.
const (
	packedFlow byte = iota
	packedLongFlow
	packedLoop
	packedRate
	packedRateWindows
	packedBudget
)

// rest packs the memories unless an exchange is in flight.
func (st *State) rest() {
	for _, s := range st.slots {
		if !s.memory.resting() {
			return
		}
	}
	var room [1024]byte
	w := packer{text: room[:0], base: st.last}
	w.number(uint64(st.last))
	w.number(uint64(len(st.slots)))
	for _, s := range st.slots {
		place, _ := slices.BinarySearch(st.gen.order, s.id) // no slot outlives its rule: see remember and adopt
		s.memory.pack(&w, place)
	}
	st.packed, st.slots = string(w.text), nil
}

// wake unpacks the memories for use.
func (st *State) wake() {
	if st.packed == "" {
		return
	}
	r := unpacker{text: st.packed}
	r.base = tick(r.number())
	// A few more than there are: a call that concerns new rules then need not move them all.
	st.slots = make([]slot, 0, r.number()+roomToGrow)
	for r.text != "" {
		id := st.gen.order[r.number()]
		st.slots = append(st.slots, slot{id: id, memory: r.memory()})
	}
	st.packed = ""
}

// roomToGrow is how many rules a call may begin to remember without moving what there is.
const roomToGrow = 4

type packer struct {
	text []byte
	base tick
}

func (w *packer) begin(place int, kind byte) {
	w.number(uint64(place))
	w.text = append(w.text, kind)
}

func (w *packer) number(n uint64) { w.text = binary.AppendUvarint(w.text, n) }
func (w *packer) word(n uint64)   { w.text = binary.LittleEndian.AppendUint64(w.text, n) }

// age writes a time that is at most base, or never.
func (w *packer) age(t tick) {
	if t == 0 {
		w.number(0)
		return
	}
	w.number(uint64(w.base-t) + 1)
}

// amount writes a finite non-negative number, whole ones in few bytes.
func (w *packer) amount(v float64) {
	if whole := uint64(v); v < 1<<53 && float64(whole) == v {
		w.number(whole << 1)
		return
	}
	w.number(1)
	w.word(math.Float64bits(v))
}

func (w *packer) window(v *window) {
	w.number(uint64(len(v.at)) << 1)
	if v.amounts != nil {
		w.text[len(w.text)-1]++ // a window has far fewer entries than a second byte would take
	}
	last := tick(0)
	for i, at := range v.at {
		if i == 0 {
			w.age(at)
		} else {
			w.number(uint64(at - last))
		}
		last = at
		if v.amounts != nil {
			w.amount(v.amounts[i])
		}
	}
}

type unpacker struct {
	text string
	base tick
}

func (r *unpacker) number() uint64 {
	n, shift := uint64(0), 0
	for {
		b := r.text[0]
		r.text = r.text[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
		shift += 7
	}
}

func (r *unpacker) word() uint64 {
	var b [8]byte
	r.text = r.text[copy(b[:], r.text):]
	return binary.LittleEndian.Uint64(b[:])
}

func (r *unpacker) age() tick {
	if n := r.number(); n != 0 {
		return r.base - tick(n-1)
	}
	return 0
}

func (r *unpacker) amount() float64 {
	if n := r.number(); n&1 == 0 {
		return float64(n >> 1)
	}
	return math.Float64frombits(r.word())
}

func (r *unpacker) window() window {
	n := r.number()
	weighted := n&1 != 0
	n >>= 1
	v := window{at: make([]tick, n, n+1)}
	if weighted {
		v.amounts = make([]float64, n, n+1)
	}
	for i := range v.at {
		if i == 0 {
			v.at[i] = r.age()
		} else {
			v.at[i] = v.at[i-1] + tick(r.number())
		}
		if weighted {
			v.amounts[i] = r.amount()
		}
	}
	return v
}

func (r *unpacker) memory() memory {
	kind := r.text[0]
	r.text = r.text[1:]
	switch kind {
	case packedFlow, packedLongFlow:
		return r.flow(kind == packedLongFlow)
	case packedLoop:
		return r.loop()
	case packedRate:
		return r.rate()
	case packedRateWindows:
		return r.rateWindows()
	case packedBudget:
		return &budgetMemory{within: tick(r.number()), spent: r.window()}
	}
	panic("rules: unknown kind of packed memory") // only rest writes them
}
