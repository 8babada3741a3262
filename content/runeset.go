package content

// runeSet is a set of characters of up to three bytes of UTF-8. It is filed as they are written: the bits of all bytes but the
// last one tell the word, those of the last byte the bit in it, so that a text is asked about without being decoded.
type runeSet [0x10000 / 64]uint64

func newRuneSet(in func(r rune) bool) *runeSet {
	set := &runeSet{}
	for r := range rune(0x10000) {
		if in(r) {
			set[r>>6] |= 1 << (r & 0x3f)
		}
	}
	return set
}

// has2 reports whether the character of two bytes that s begins with is in the set.
func (set *runeSet) has2(s string) bool { return set[s[0]&0x1f]>>(s[1]&0x3f)&1 != 0 }

// has3 is has2 for a character of three bytes.
func (set *runeSet) has3(s string) bool {
	return set[uint(s[0]&0x0f)<<6|uint(s[1]&0x3f)]>>(s[2]&0x3f)&1 != 0
}
