package content

// wordFinder finds the first of a few words in a long text. It looks at every third to fifth byte: where the three bytes there
// are none that a word has so near to its beginning, no word begins there or at the bytes passed over. Of many words most
// have, so that an index, which looks at each byte, is cheaper for them.
type wordFinder struct {
	index *keywordIndex
	known [1 << finderBits]bool // three bytes of words, by a hash
	step  int                   // from look to look, in bytes
}

const (
	finderBits  = 13
	minFinder   = 5 // bytes of a word
	maxStep     = 5
	finderFolds = 0x202020 // sets letters in lower case, and makes some other bytes the same
)

// newFinder returns what finds the first of some words, each of minFinder bytes at least, that are written in this package.
func newFinder(words ...string) *wordFinder {
	f := &wordFinder{index: mustIndex(words...), step: maxStep}
	for _, w := range words {
		f.step = min(f.step, len(w)-2)
	}
	for _, w := range words {
		for i := range f.step {
			f.known[finderHash(w[i], w[i+1], w[i+2])] = true
		}
	}
	return f
}

func finderHash(a, b, c byte) uint32 {
	return ((uint32(a) | uint32(b)<<8 | uint32(c)<<16) | finderFolds) * 0x9E3779B1 >> (32 - finderBits)
}

// first returns where the first word in text begins, the length of text when there is none.
func (f *wordFinder) first(text string) int {
	lo := 0 // the first byte that a word may begin at
	for i := f.step - 1; i+minFinder <= len(text); i, lo = i+f.step, i+1 {
		t := text[i : i+3]
		if !f.known[finderHash(t[0], t[1], t[2])] {
			continue
		}
		for at := lo; at <= i; at++ {
			if f.index.begins(text, at) {
				return at
			}
		}
	}
	return lo + f.index.first(text[lo:])
}

// any reports whether any word occurs in text, which is short.
func (f *wordFinder) any(text string) bool { return f.index.any(text) }

// begins reports whether a word of four bytes and more begins at byte at of a text that is as long.
func (x *keywordIndex) begins(text string, at int) (found bool) {
	key := foldKey(text[at:])
	if s := sureHash(key); x.sure[s>>6%uint32(len(x.sure))]&(1<<(s&63)) == 0 {
		return false
	}
	x.long.slot(key).at(text, at, at+deepKey, func(*keyword, int) bool {
		found = true
		return false
	})
	return found
}
