package content

import "hash/maphash"

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

// Bounds of what is remembered: how many texts, a power of two, their longest in bytes, and from which view of a string on.
const (
	maxBarren     = 1 << 12
	maxBarrenText = 256
	barrenFrom    = 16
)

var barrenSeed = maphash.MakeSeed()

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
	return &b.texts[maphash.String(barrenSeed, v.text)%maxBarren]
}

// clear forgets all texts and keeps the room.
func (b *barren) clear() {
	if b.used {
		b.used = false
		clear(b.texts)
	}
}
