package tokenizer

import "slices"

// trie maps byte strings to ids. It is a double array (Aoe 1989, "An efficient
// digital search algorithm by using a double-array structure"): the child of
// state s under byte c is cells[s].base+c, and is there only if that cell's
// check is s. A step costs one memory access.
type trie struct {
	cells []trieCell
}

type trieCell struct {
	base, check int32
	// value is the id of the key that ends here, or noValue.
	value int32
}

const (
	noValue = int32(-1)
	free    = int32(-1)
	// rootCheck marks the root's cell as taken and as nobody's child.
	rootCheck = int32(-2)
)

type trieEntry struct {
	key   string
	value int32
}

// newTrie builds a trie. Of equal keys the last one counts, as in a map filled
// in that order. Empty keys are left out: they match nothing.
func newTrie(entries []trieEntry) *trie {
	slices.SortStableFunc(entries, func(a, b trieEntry) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	b := trieBuilder{entries: entries, firstFree: 1}
	b.grow(1 << 10)
	b.cells[0].check = rootCheck
	b.build()
	return &trie{cells: b.cells}
}

type trieBuilder struct {
	cells     []trieCell
	entries   []trieEntry
	firstFree int
}

// branch is a state whose keys are entries[lo:hi], equal in their first depth bytes.
type branch struct {
	state, lo, hi, depth int
}

func (b *trieBuilder) grow(n int) {
	for len(b.cells) < n {
		b.cells = append(b.cells, trieCell{base: 0, check: free, value: noValue})
	}
}

func (b *trieBuilder) build() {
	var labels []byte
	var starts []int
	todo := []branch{{0, 0, len(b.entries), 0}}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for r.lo < r.hi && len(b.entries[r.lo].key) == r.depth {
			if r.depth > 0 {
				b.cells[r.state].value = b.entries[r.lo].value
			}
			r.lo++
		}
		labels, starts = labels[:0], starts[:0]
		for i := r.lo; i < r.hi; i++ {
			c := b.entries[i].key[r.depth]
			if len(labels) == 0 || labels[len(labels)-1] != c {
				labels, starts = append(labels, c), append(starts, i)
			}
		}
		if len(labels) == 0 {
			continue
		}
		base := b.place(labels)
		b.cells[r.state].base = int32(base)
		for k, c := range labels {
			hi := r.hi
			if k+1 < len(starts) {
				hi = starts[k+1]
			}
			child := base + int(c)
			b.cells[child].check = int32(r.state)
			todo = append(todo, branch{child, starts[k], hi, r.depth + 1})
		}
	}
}

// searchWindow bounds how far behind the last placement the search for a gap
// starts; without it, dense beginnings are searched again for every state.
const searchWindow = 2048

// place finds a base at which all labels fall on free cells.
func (b *trieBuilder) place(labels []byte) int {
	for b.firstFree < len(b.cells) && b.cells[b.firstFree].check != free {
		b.firstFree++
	}
	base := max(1, b.firstFree-int(labels[0]))
search:
	for ; ; base++ {
		b.grow(base + 256)
		for _, c := range labels {
			if b.cells[base+int(c)].check != free {
				continue search
			}
		}
		break
	}
	if base > b.firstFree+2*searchWindow {
		b.firstFree = base - searchWindow
	}
	return base
}

// step returns the child of state under c, and whether there is one.
func (t *trie) step(state int32, c byte) (int32, bool) {
	next := t.cells[state].base + int32(c)
	if int(next) >= len(t.cells) || t.cells[next].check != state {
		return 0, false
	}
	return next, true
}

// longest returns the id and length of the longest key that text begins with.
func (t *trie) longest(text []byte) (id int32, length int) {
	id = noValue
	state := int32(0)
	for i, c := range text {
		next, ok := t.step(state, c)
		if !ok {
			break
		}
		state = next
		if v := t.cells[state].value; v != noValue {
			id, length = v, i+1
		}
	}
	return id, length
}
