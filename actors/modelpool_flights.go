package actors

import "encoding/binary"

// flightTable finds the flight of a window. Keys are hashes already, so that their
// first bytes are the place, and flights are chained in themselves: where a request
// takes microseconds, a map's own hashing and its groups of slots are a part of that.
// The zero value is an empty table.
type flightTable struct {
	places []*flight
	n      int
}

// leastPlaces is the size of a table that holds anything; always a power of two.
const leastPlaces = 256

func (t *flightTable) place(k flightKey) int {
	return (int(binary.LittleEndian.Uint64(k.key[:8])) ^ k.stage) & (len(t.places) - 1)
}

// get is the flight of a window, nil when there is none.
func (t *flightTable) get(k flightKey) *flight {
	if t.n == 0 {
		return nil
	}
	f := t.places[t.place(k)]
	for f != nil && f.key() != k {
		f = f.chain
	}
	return f
}

// add takes a flight in whose window has none.
func (t *flightTable) add(f *flight) {
	if t.n >= len(t.places) {
		t.grow()
	}
	at := t.place(f.key())
	f.chain, t.places[at] = t.places[at], f
	t.n++
}

func (t *flightTable) grow() {
	old := t.places
	t.places = make([]*flight, max(leastPlaces, 2*len(old)))
	for _, f := range old {
		for f != nil {
			next, at := f.chain, t.place(f.key())
			f.chain, t.places[at] = t.places[at], f
			f = next
		}
	}
}

// remove takes a flight out that is there.
func (t *flightTable) remove(f *flight) {
	at := &t.places[t.place(f.key())]
	for *at != f {
		at = &(*at).chain
	}
	*at, f.chain = f.chain, nil
	t.n--
}

// clear empties the table and calls each for every flight that was in it.
func (t *flightTable) clear(each func(*flight)) {
	for _, f := range t.places {
		for f != nil {
			next := f.chain
			f.chain = nil
			each(f)
			f = next
		}
	}
	*t = flightTable{}
}
