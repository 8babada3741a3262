package content

// wordTable finds what short ASCII words mean, their case aside: open addressing by the bytes of a word, which are
// compared as two numbers. Texts that are made of such words ask for every one of them.
type wordTable[V any] struct {
	places []wordPlace[V]
	shift  uint32 // of the hash that leads to a place
}

// wordPlace is a word, its length and its meaning. Free places have no length.
type wordPlace[V any] struct {
	low, high uint64
	length    int
	meaning   V
}

// maxTableWord is the longest word of such a table, in bytes.
const maxTableWord = 16

// newWordTable makes a table of words in lower case.
func newWordTable[V any](words map[string]V) *wordTable[V] {
	t := &wordTable[V]{shift: 64}
	size := 1
	for size < 4*len(words) {
		size *= 2
		t.shift--
	}
	t.places = make([]wordPlace[V], size)
	for w, meaning := range words {
		if w == "" || len(w) > maxTableWord {
			panic("word table: " + w)
		}
		low, high := folded8(w, 0), folded8(w, 8)
		p := t.place(low, high, len(w))
		p.low, p.high, p.length, p.meaning = low, high, len(w), meaning
	}
	return t
}

// place returns the place of a word, or the free one where it would go.
func (t *wordTable[V]) place(low, high uint64, length int) *wordPlace[V] {
	for i := (low ^ high*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15 >> t.shift; ; i++ {
		p := &t.places[i&uint64(len(t.places)-1)]
		if p.length == 0 || p.low == low && p.high == high && p.length == length {
			return p
		}
	}
}

// meaning returns what a word means; known is false when it is not in the table.
func (t *wordTable[V]) meaning(w string) (meaning V, known bool) {
	if len(w) == 0 || len(w) > maxTableWord {
		return meaning, false
	}
	p := t.place(folded8(w, 0), folded8(w, 8), len(w))
	return p.meaning, p.length > 0
}
