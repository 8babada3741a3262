package content

import "encoding/binary"

// barren remembers decoded texts of the current string in which nothing was found and which gave rise to no view. Logs
// repeat the beginning of a token by the thousand, and what stands in a text stands in the views of it too.
type barren struct {
	texts []barrenText
	round uint32 // of the current string
	used  bool   // since it was cleared
}

// barrenText is a text and the string that it counts for.
type barrenText struct {
	text  string
	round uint32
}

// Bounds of what is remembered: how many texts, their longest in bytes, and from which view of a string on.
const (
	barrenBits    = 12
	maxBarren     = 1 << barrenBits
	maxBarrenText = 256
	barrenFrom    = 16
)

// next forgets the texts of the string before.
func (b *barren) next() {
	if b.round++; b.round == 0 {
		clear(b.texts)
	}
}

// place returns where a text is remembered, nil where it is not.
func (b *barren) place(v *view, n int) *barrenText {
	if n < barrenFrom || !v.whole || v.undone != 0 || len(v.text) > maxBarrenText {
		return nil
	}
	if b.texts == nil {
		b.texts = make([]barrenText, maxBarren)
	}
	b.used = true
	return &b.texts[slotOf(v.text, barrenBits)]
}

// slotOf is where a text is remembered in a table of so many bits, by its length and three samples of it: the same in every
// process, for it also decides which text displaces which, and equal texts shall have equal findings everywhere. A text whose
// samples are those of another one takes its place, and costs as much as if nothing were remembered.
func slotOf(text string, bits int) uint64 {
	const prime = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: Knuth's multiplicative hashing
	h := uint64(len(text)) * prime
	if len(text) < 8 {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * prime
		}
	} else {
		for _, at := range [...]int{0, (len(text) - 8) / 2, len(text) - 8} {
			h ^= binary.LittleEndian.Uint64([]byte(text[at : at+8]))
			h = (h ^ h>>32) * prime
		}
	}
	return h >> (64 - bits)
}

// clear forgets all texts and keeps the room.
func (b *barren) clear() {
	if b.used {
		b.used = false
		clear(b.texts)
	}
}
