package content

import "fmt"

// minKeyword is the shortest keyword, in bytes.
const minKeyword = 3

// keyword is a literal, in lower case, whose occurrence makes something worth a look.
type keyword struct {
	text string
	rest string // text without the bytes that the index is keyed by
	// look examines the occurrence at byte position at; nil for a user detector.
	look func(sc *scan, at int)
	// user is one more than the index of the user detector that it opens, 0 for none; in an index whose words have
	// neither, it is whatever number tells them apart.
	user int
}

// keywordIndex finds all occurrences of all keywords, overlapping ones included, in one pass without
// allocation. It hashes the four folded bytes at each position to a bit of a map that fits the first-level cache; only
// positions that may start a keyword are looked at again. Unlike a transition table the steps do not depend on each other, so
// the pass runs at about a GB/s whatever the text.
type keywordIndex struct {
	bits [1 << indexBits / 64]uint64
	sure [1 << sureBits / 64]uint64 // the same by another hash, for what the first lets pass
	long slotTable                  // words of four bytes and more, by the first four
	// Words of three bytes, by them. In the bitmap they stand with every byte that may follow.
	short   slotTable
	trigram [1 << shortBits / 64]uint64 // which of them there are
	longest int                         // length of a word, in bytes
}

// slotTable is open addressing by the first bytes of words: a power of two of places, twice as many as there are
// beginnings at least.
type slotTable struct {
	places []slotPlace
	slots  []slot // the first is empty: that of a key that has none
	shift  uint32 // of the hash that leads to a place
}

// slotPlace leads to the slot of a key, the first when the place is free.
type slotPlace struct {
	key, slot uint32
	next      uint32 // which bytes may follow, by their lowest five bits; all where a word ends there
}

// slot is the keywords that begin with the same bytes.
type slot struct {
	heads []head // of the words, in their order
	words []keyword
	// deeper files the longer words of a slot that has many by the bytes that follow, nil where there are few.
	deeper *slotTable
}

// leads reports whether one of the words may go on with byte c.
func (p *slotPlace) leads(c byte) bool { return p.next&(1<<(c&31)) != 0 }

// head is what follows in a word, up to eight bytes of it, the first in the lowest place, and where there are any. It
// tells most words from what stands in a text in one step.
type head struct{ bytes, mask uint64 }

func headOf(rest string) (h head) {
	for i := 0; i < len(rest) && i < 8; i++ {
		h.bytes |= uint64(rest[i]) << (8 * i)
		h.mask |= 0xff << (8 * i)
	}
	return h
}

// folded8 returns the eight bytes from byte i on in lower case, as in a head; there is nothing after the end.
func folded8(text string, i int) (b uint64) {
	if i+8 <= len(text) {
		return lower8(bytes8(text, i))
	}
	for k := i; k < len(text); k++ {
		b |= uint64(foldTable[text[k]]) << (8 * (k - i))
	}
	return b
}

// lower8 returns eight bytes with the capitals of ASCII among them in lower case. Added to seven bits, a number carries into the
// eighth exactly where they are as high as a letter.
func lower8(b uint64) uint64 {
	const each = 0x0101010101010101
	low := b &^ highBits
	capitals := (low + (0x80-'A')*each) &^ (low + (0x7f-'Z')*each) &^ b & highBits
	return b | capitals>>2
}

const (
	indexBits = 17
	sureBits  = 15
	shortBits = 12
	maxSlots  = 1 << 14 // far above what a rule pack can bring
)

func indexHash(h uint32) uint32   { return h * 0x9E3779B1 >> (32 - indexBits) }
func sureHash(h uint32) uint32    { return h * 0x85EBCA6B >> (32 - sureBits) }
func trigramHash(h uint32) uint32 { return h * 0x9E3779B1 >> (32 - shortBits) }

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
	x := &keywordIndex{}
	var short, long []keyword
	for _, w := range words {
		w.text = foldASCII(w.text)
		x.longest = max(x.longest, len(w.text))
		if len(w.text) > minKeyword {
			long = append(long, w)
			continue
		}
		short = append(short, w)
	}
	for c := range 256 {
		for i := range short {
			x.mark(indexKey(short[i].text, minKeyword) | uint32(foldTable[c])<<24)
		}
	}
	for i := range short {
		h := trigramHash(indexKey(short[i].text, minKeyword))
		x.trigram[h>>6] |= 1 << (h & 63)
	}
	for i := range long {
		x.mark(indexKey(long[i].text, minKeyword+1))
	}
	var err error
	if x.short, err = newSlotTable(short, 0, minKeyword); err == nil {
		x.long, err = newSlotTable(long, 0, deepKey)
	}
	return x, err
}

// mark notes that words begin with these four bytes.
func (x *keywordIndex) mark(key uint32) {
	h, s := indexHash(key), sureHash(key)
	x.bits[h>>6] |= 1 << (h & 63)
	x.sure[s>>6] |= 1 << (s & 63)
}

// indexKey returns the first n bytes of a folded word as a number, the first in the lowest place.
func indexKey(text string, n int) (key uint32) {
	for i := range n {
		key |= uint32(text[i]) << (8 * i)
	}
	return key
}

// foldKey is indexKey for the first four bytes of a text that is not folded.
func foldKey(text string) uint32 {
	t := text[:deepKey]
	return uint32(foldTable[t[0]]) | uint32(foldTable[t[1]])<<8 | uint32(foldTable[t[2]])<<16 | uint32(foldTable[t[3]])<<24
}

// The bytes that words are filed by together, and how many words of one beginning are filed by what follows it as well.
const (
	deepKey  = minKeyword + 1
	deepFrom = 6
)

// newSlotTable files folded words by n bytes from byte from on, which all of them have.
func newSlotTable(words []keyword, from, n int) (slotTable, error) {
	t := slotTable{shift: 32}
	beginnings := map[string]bool{}
	for _, w := range words {
		beginnings[w.text[from:from+n]] = true
	}
	size := 1
	for size < 2*len(beginnings) {
		size *= 2
		t.shift--
	}
	if size > maxSlots {
		return t, fmt.Errorf("compile keywords: %d beginnings of words, more than %d", len(beginnings), maxSlots/2)
	}
	t.places = make([]slotPlace, size)
	t.slots = make([]slot, 1, size/2+1)
	for _, w := range words {
		w.rest = w.text[from+n:]
		key := indexKey(w.text[from:], n)
		p := t.place(key)
		if p.slot == 0 {
			p.key, p.slot = key, uint32(len(t.slots))
			t.slots = append(t.slots, slot{})
		}
		s := &t.slots[p.slot]
		if w.rest == "" {
			p.next = ^uint32(0)
		} else {
			p.next |= 1 << (w.rest[0] & 31)
		}
		s.words = append(s.words, w)
	}
	for i := range t.slots {
		if err := t.slots[i].file(from + n); err != nil {
			return t, err
		}
	}
	return t, nil
}

// file prepares the words of a slot, of which from bytes are known. Where there are many, the longer ones go deeper.
func (s *slot) file(from int) error {
	if len(s.words) >= deepFrom {
		var few, many []keyword
		for _, w := range s.words {
			if len(w.rest) < deepKey {
				few = append(few, w)
			} else {
				many = append(many, w)
			}
		}
		deeper, err := newSlotTable(many, from, deepKey)
		if err != nil {
			return err
		}
		s.words, s.deeper = few, &deeper
	}
	for i := range s.words {
		s.heads = append(s.heads, headOf(s.words[i].rest))
	}
	return nil
}

// place returns the place of a key, or the free one where it would go.
func (t *slotTable) place(key uint32) *slotPlace {
	for i := key * 0x85EBCA6B >> t.shift; ; i++ {
		p := &t.places[int(i)&(len(t.places)-1)]
		if p.slot == 0 || p.key == key {
			return p
		}
	}
}

// slot returns the slot of a key.
func (t *slotTable) slot(key uint32) *slot { return &t.slots[t.place(key).slot] }

// inOrder returns all words, those that begin at one place of a text in the order in which they are found there.
func (x *keywordIndex) inOrder() (words []keyword) {
	for _, t := range [...]*slotTable{&x.short, &x.long} {
		words = t.inOrder(words)
	}
	return words
}

func (t *slotTable) inOrder(words []keyword) []keyword {
	for i := range t.slots {
		s := &t.slots[i]
		if words = append(words, s.words...); s.deeper != nil {
			words = s.deeper.inOrder(words)
		}
	}
	return words
}

// walk calls found with every keyword in text and where it begins, in the order of these places, until found returns
// false.
func (x *keywordIndex) walk(text string, found func(w *keyword, at int) bool) {
	x.walkTo(text, len(text), found)
}

// walkTo is walk for the keywords that begin before byte end.
func (x *keywordIndex) walkTo(text string, end int, found func(w *keyword, at int) bool) {
	x.walkNoting(text, end, nil, found)
}

// walkNoting is walkTo that also notes the places where a word may begin, if places is not nil.
func (x *keywordIndex) walkNoting(text string, end int, places *[]uint32, found func(w *keyword, at int) bool) {
	at := 0
	if len(text) >= 16 {
		// Eight places at once, from two numbers: what a place is told by costs a shift, and no step waits for the one before.
		next := lower8(bytes8(text, 0))
		for ; at+16 <= len(text) && at+8 <= end; at += 8 {
			low := next
			next = lower8(bytes8(text, at+8))
			middle := low>>32 | next<<32
			if x.may(low) && !x.begin(text, at, uint32(low), places, found) {
				return
			}
			if x.may(low>>8) && !x.begin(text, at+1, uint32(low>>8), places, found) {
				return
			}
			if x.may(low>>16) && !x.begin(text, at+2, uint32(low>>16), places, found) {
				return
			}
			if x.may(low>>24) && !x.begin(text, at+3, uint32(low>>24), places, found) {
				return
			}
			if x.may(middle) && !x.begin(text, at+4, uint32(middle), places, found) {
				return
			}
			if x.may(middle>>8) && !x.begin(text, at+5, uint32(middle>>8), places, found) {
				return
			}
			if x.may(middle>>16) && !x.begin(text, at+6, uint32(middle>>16), places, found) {
				return
			}
			if x.may(middle>>24) && !x.begin(text, at+7, uint32(middle>>24), places, found) {
				return
			}
		}
	}
	if at+minKeyword > len(text) {
		return
	}
	key := uint64(foldTable[text[at]])<<8 | uint64(foldTable[text[at+1]])<<16 | uint64(foldTable[text[at+2]])<<24
	for ; at+minKeyword < len(text) && at < end; at++ {
		key = key>>8 | uint64(foldTable[text[at+minKeyword]])<<24
		if x.may(key) && !x.begin(text, at, uint32(key), places, found) {
			return
		}
	}
	if at+minKeyword == len(text) && at < end {
		// The last three bytes, which nothing follows.
		x.shortAt(text, at, uint32(key>>8), found)
	}
}

// walkPart is walk for the keywords that begin in text[lo:hi].
func (x *keywordIndex) walkPart(text string, lo, hi int, found func(w *keyword, at int) bool) {
	x.walkTo(text[lo:], hi-lo, func(w *keyword, at int) bool { return found(w, lo+at) })
}

// may reports whether a word may begin with the four bytes in the lowest places of key.
func (x *keywordIndex) may(key uint64) bool {
	h := indexHash(uint32(key))
	if x.bits[h>>6]&(1<<(h&63)) == 0 {
		return false
	}
	s := sureHash(uint32(key))
	return x.sure[s>>6%uint32(len(x.sure))]&(1<<(s&63)) != 0
}

// begin calls found with the words that begin at byte at with the four folded bytes of key, and notes the place.
func (x *keywordIndex) begin(text string, at int, key uint32, places *[]uint32, found func(w *keyword, at int) bool) bool {
	if places != nil {
		*places = append(*places, uint32(at))
	}
	if b := trigramHash(key & 0xffffff); x.trigram[b>>6%uint32(len(x.trigram))]&(1<<(b&63)) != 0 && !x.shortAt(text, at, key&0xffffff, found) {
		return false
	}
	p, next := x.long.place(key), at+deepKey
	return next < len(text) && !p.leads(foldTable[text[next]]) || x.long.slots[p.slot].at(text, at, next, found)
}

// at calls found with the words of a slot that begin at byte at and go on at byte next, with what may follow there.
func (s *slot) at(text string, at, next int, found func(w *keyword, at int) bool) bool {
	// The shorter words first.
	b := folded8(text, next)
	for j, h := range s.heads {
		if b&h.mask != h.bytes {
			continue
		}
		if w := &s.words[j]; (len(w.rest) <= 8 || hasFoldPrefix(text[next+8:], w.rest[8:])) && !found(w, at) {
			return false
		}
	}
	if s.deeper == nil || next+deepKey > len(text) {
		return true
	}
	p := s.deeper.place(foldKey(text[next:]))
	next += deepKey
	return next < len(text) && !p.leads(foldTable[text[next]]) || s.deeper.slots[p.slot].at(text, at, next, found)
}

// shortAt is at for words of three bytes, h.
func (x *keywordIndex) shortAt(text string, at int, h uint32, found func(w *keyword, at int) bool) bool {
	for s, j := x.short.slot(h), 0; j < len(s.words); j++ {
		if !found(&s.words[j], at) {
			return false
		}
	}
	return true
}

// run calls the look of every keyword at every occurrence, and marks the user detectors that a keyword opens.
func (x *keywordIndex) run(sc *scan, text string) {
	x.walk(text, func(w *keyword, at int) bool {
		w.tell(sc, at)
		return true
	})
}

// tell calls the look of a keyword, or marks the user detector that it opens.
func (w *keyword) tell(sc *scan, at int) {
	if w.user > 0 {
		sc.open(w.user - 1)
	} else {
		w.look(sc, at)
	}
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
