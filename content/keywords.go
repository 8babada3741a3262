package content

import "fmt"

// minKeyword is the shortest keyword, in bytes: the index is keyed by three bytes.
const minKeyword = 3

// keyword is a literal, in lower case, whose occurrence makes something worth a look.
type keyword struct {
	text string
	rest string // text without the three bytes that the index is keyed by
	// look examines the occurrence at byte position at; nil for a user detector.
	look func(sc *scan, at int)
	// user is one more than the index of the user detector that it opens, 0 for none; in an index whose words have
	// neither, it is whatever number tells them apart.
	user int
}

// keywordIndex finds all occurrences of all keywords, overlapping ones included, in one pass without
// allocation. It hashes the three folded bytes at each position into a bitmap that fits the first-level cache;
// only positions that may start a keyword are looked at again. Unlike a transition table the steps do not
// depend on each other, so the pass runs at several hundred MB/s whatever the text.
type keywordIndex struct {
	bits  [1 << indexBits / 64]uint64
	slots []slot // open addressing by trigram; a power of two of them, twice the trigrams at least
	shift uint32 // of the hash that leads to a slot
}

// slot is the keywords that begin with one trigram.
type slot struct {
	trigram uint32
	next    [4]uint64 // which bytes may follow the trigram; all where a word ends with it
	words   []keyword
}

// leads reports whether one of the words may go on with byte c.
func (s *slot) leads(c byte) bool { return s.next[c>>6]&(1<<(c&63)) != 0 }

const (
	indexBits = 15
	maxSlots  = 1 << 14 // far above what a rule pack can bring
)

func trigramHash(h uint32) uint32 { return h * 0x9E3779B1 >> (32 - indexBits) }

var foldTable = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] = byte(i) + 'a' - 'A'
		}
	}
	return t
}()

func newKeywordIndex(words []keyword) (*keywordIndex, error) {
	x := &keywordIndex{shift: 32}
	size := 1
	for size < 2*len(words) {
		size *= 2
		x.shift--
	}
	if size > maxSlots {
		return nil, fmt.Errorf("compile keywords: %d words, more than %d", len(words), maxSlots/2)
	}
	x.slots = make([]slot, size)
	for _, w := range words {
		w.text = foldASCII(w.text)
		w.rest = w.text[minKeyword:]
		h := uint32(w.text[0])<<16 | uint32(w.text[1])<<8 | uint32(w.text[2])
		b := trigramHash(h)
		x.bits[b>>6] |= 1 << (b & 63)
		s := x.slot(h)
		s.trigram = h
		if w.rest == "" {
			s.next = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		} else {
			s.next[w.rest[0]>>6] |= 1 << (w.rest[0] & 63)
		}
		s.words = append(s.words, w)
	}
	return x, nil
}

// slot returns the slot of a trigram, or the empty one where it would go.
func (x *keywordIndex) slot(h uint32) *slot {
	for i := h * 0x85EBCA6B >> x.shift; ; i++ {
		s := &x.slots[int(i)&(len(x.slots)-1)]
		if s.words == nil || s.trigram == h {
			return s
		}
	}
}

// walk calls found with every keyword in text and where it begins, in the order of these places, until found returns
// false.
func (x *keywordIndex) walk(text string, found func(w *keyword, at int) bool) {
	if len(text) < minKeyword {
		return
	}
	h := uint32(foldTable[text[0]])<<8 | uint32(foldTable[text[1]])
	for i := 2; i < len(text); i++ {
		h = (h<<8 | uint32(foldTable[text[i]])) & 0xffffff
		b := trigramHash(h)
		if x.bits[b>>6%uint32(len(x.bits))]&(1<<(b&63)) == 0 {
			continue
		}
		s := x.slot(h)
		if i+1 < len(text) && !s.leads(foldTable[text[i+1]]) {
			continue
		}
		for j := range s.words {
			if w := &s.words[j]; hasFoldPrefix(text[i+1:], w.rest) && !found(w, i-2) {
				return
			}
		}
	}
}

// run calls the look of every keyword at every occurrence, and marks the user detectors that a keyword opens.
func (x *keywordIndex) run(sc *scan, text string) {
	x.walk(text, func(w *keyword, at int) bool {
		if w.user > 0 {
			sc.open(w.user - 1)
		} else {
			w.look(sc, at)
		}
		return true
	})
}

// mustIndex indexes words that are written in this package; the number of each is its place among them.
func mustIndex(words ...string) *keywordIndex {
	k := make([]keyword, len(words))
	for i, w := range words {
		k[i].text, k[i].user = w, i
	}
	x, err := newKeywordIndex(k)
	if err != nil {
		panic(err)
	}
	return x
}

// any reports whether any keyword occurs in text.
func (x *keywordIndex) any(text string) bool { return x.first(text) < len(text) }

// first returns where the first keyword in text begins, the length of text when there is none.
func (x *keywordIndex) first(text string) int {
	first := len(text)
	x.walk(text, func(_ *keyword, at int) bool {
		first = at
		return false
	})
	return first
}

// foldASCII returns s with its ASCII letters in lower case and all else as it is.
func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = foldTable[c]
	}
	return string(b)
}

// hasFoldPrefix reports whether s starts with the lower-case prefix, ASCII case ignored.
func hasFoldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		if foldTable[s[i]] != prefix[i] {
			return false
		}
	}
	return true
}
