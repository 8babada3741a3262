package content

import (
	"crypto/sha256"
	_ "embed"
	"math/bits"
	"slices"
	"strings"
)

// seedWordList is the English word list of BIP 39, a word a line, in the order that gives each its number.
//
//go:embed seedwords.txt
var seedWordList string

// Bounds of the words of the list, in bytes, and how many there are.
const (
	minSeedWord = 3
	maxSeedWord = 8
	seedWords   = 2048
)

// seedTable finds the number of a word of the list. A word is its letters in lower case, one a byte, the first in the lowest place.
type seedTable struct {
	keys [4 * seedWords]uint64
	nums [4 * seedWords]uint16
}

var seedNumbers = func() *seedTable {
	t := &seedTable{}
	n := uint16(0)
	for w := range strings.FieldsSeq(seedWordList) {
		key, _ := packWord(w)
		i := seedSlot(key)
		for t.keys[i] != 0 {
			i = (i + 1) % len(t.keys)
		}
		t.keys[i], t.nums[i] = key, n
		n++
	}
	return t
}()

func seedSlot(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> 51) }

// number returns the number of the word with this key, -1 for none.
func (t *seedTable) number(key uint64) int {
	for i := seedSlot(key); t.keys[i] != 0; i = (i + 1) % len(t.keys) {
		if t.keys[i] == key {
			return int(t.nums[i])
		}
	}
	return -1
}

// packWord returns the key of a word of letters, whatever their case.
func packWord(w string) (key uint64, ok bool) {
	if len(w) < minSeedWord || len(w) > maxSeedWord {
		return 0, false
	}
	for i := 0; i < len(w); i++ {
		if !isLetter(w[i]) {
			return 0, false
		}
	}
	return folded8(w, 0), true
}

// The lengths of the phrases, in words, the longest first: eleven bits a word, of which one in 33 is of the checksum.
var seedLengths = [...]int{24, 21, 18, 15, 12}

const (
	minSeedWords = 12
	// seedStride is how far apart the bytes are that are looked at for a word of a phrase: the shortest that twelve
	// ordinary words take.
	seedStride = 56
	// maxSeedGap is how much may stand between two words, in bytes: a comma and quotation marks, the number of a line.
	maxSeedGap = 8
	// maxSeedRun is how many words in a row are told apart. Longer runs are lists of words.
	maxSeedRun = 64
	// seedReach is how far around a run the words are looked for that say what it is, in bytes.
	seedReach = 80
)

// seedTalk are the words around a phrase that stands among words of the list.
var seedTalk = mustIndex("seed", "mnemonic", "recovery", "wallet", "bip39", "bip-39", "secret phrase", "backup phrase", "secret words", "metamask", "ledger", "trezor")

// seedSamples are the beginnings of phrases that are published as examples.
var seedSamples = [...]string{"legal winner thank year", "letter advice cage absurd"}

// seedWord is a word of the list and where it stands.
type seedWord struct {
	start, end, number int
	line               bool // a line ends before it
}

// seeds looks for the phrases that wallets are restored from (BIP 39). Of every row of words that are as long as those of the list
// a word of every stride is looked up; where it is one of the list the words around it are read.
func (sc *scan) seeds() {
	if sc.v.changedLittle() {
		sc.seedsAtChanges()
		return
	}
	text, rows := sc.text, sc.wordRows
	if sc.v.label == ViewNormalised {
		rows = []run{{0, len(text)}} // whose prose is passed over
	}
	from := 0 // end of the run before
	for i := seedStride / 2; i < len(text); i += seedStride {
		for len(rows) > 0 && rows[0].end <= i {
			rows = rows[1:]
		}
		if len(rows) == 0 {
			return
		}
		if i < rows[0].start {
			continue
		}
		start := seedStart(text, max(i, from), from)
		// Of two samples in a phrase one is not its last word.
		number, end := seedAt(text, start)
		if number < 0 {
			continue
		}
		if number, _ = seedAt(text, end+len(gapAfter(text, end))); number < 0 {
			continue
		}
		if end := sc.seedsAround(start, from); end > from {
			from = end
			i = max(i, from)
		}
	}
}

// seedsAtChanges is seeds for a view most of which was read before: a phrase that is new has a word at a change.
func (sc *scan) seedsAtChanges() {
	text := sc.text
	from, last := 0, -1 // end of the run before, and the word that was looked up last
	for p := range sc.v.trail.all() {
		at, end := p.out+p.stay, p.out+p.stay+p.m
		// The word that ends there or goes on, those in it, and the one behind.
		for i := at - len(gapBefore(text, at, from)) - 1; i < end+seedStride; i += seedStride {
			start := seedStart(text, max(min(i, end), from), from)
			if start == last {
				continue
			}
			last = start
			if number, _ := seedAt(text, start); number >= 0 {
				from = sc.seedsAround(start, from)
			}
		}
	}
}

// seedStart returns where the word begins that byte i is in, or the next one close behind it; no earlier than byte from.
func seedStart(text string, i, from int) int {
	for n := 0; i < len(text) && n < maxSeedGap && !isLetter(text[i]); n++ {
		i++
	}
	for n := 0; i > from && n < maxSeedWord && isLetter(text[i-1]); n++ {
		i--
	}
	return i
}

// seedsAround looks for a phrase around the word of the list at byte start, no earlier than byte from. It returns where the words
// end, from when they are too few.
func (sc *scan) seedsAround(start, from int) int {
	run := sc.seedRun(start, from)
	if len(run) < minSeedWords {
		return from
	}
	sc.seedPhrase(run)
	return run[len(run)-1].end
}

// seedAt returns the number of the word that begins at byte i and where it ends, -1 for none of the list.
func seedAt(text string, i int) (number, end int) {
	if i > 0 && isAlnum(text[i-1]) {
		return -1, i
	}
	word := folded8(text, i)
	n := bits.TrailingZeros64(noLetters8(word)) / 8
	if end = i + n; n < minSeedWord || end < len(text) && (isAlnum(text[end]) || text[end] == '_') {
		return -1, end
	}
	return seedNumbers.number(word & (1<<(8*n) - 1)), end
}

// lowerBits sets letters in lower case, and makes letters of no others.
const lowerBits = 0x2020202020202020

// noLetters8 returns the highest bits of those of eight bytes that are no letters in lower case.
func noLetters8(b uint64) uint64 {
	const each = 0x0101010101010101
	low := b &^ highBits
	return (^(low + (0x80-'a')*each) | (low + (0x7f-'z')*each) | b) & highBits
}

// seedRun reads the words of the list around the one at byte start, as long as the same stands between them: what stands
// behind it, or else what stands before. It begins no earlier than byte from.
func (sc *scan) seedRun(start, from int) []seedWord {
	_, end := seedAt(sc.text, start)
	behind, before := gapAfter(sc.text, end), gapBefore(sc.text, start, from)
	run := sc.seedRunBy(start, from, behind)
	if len(run) < minSeedWords && !sameGap(behind, before) {
		run = sc.seedRunBy(start, from, before)
	}
	return run
}

// gapAfter returns what stands between the word that ends at byte end and the next.
func gapAfter(text string, end int) string {
	next := end
	for next < len(text) && next-end <= maxSeedGap && !isLetter(text[next]) {
		next++
	}
	return text[end:next]
}

// gapBefore returns what stands between the word that begins at byte start and the one before.
func gapBefore(text string, start, from int) string {
	prev := start
	for prev > from && start-prev <= maxSeedGap && !isLetter(text[prev-1]) {
		prev--
	}
	return text[prev:start]
}

// seedRunBy reads the words around the one at byte start that have gap between them.
func (sc *scan) seedRunBy(start, from int, gap string) []seedWord {
	text := sc.text
	number, end := seedAt(text, start)
	run := append(sc.seedRoom[:0], seedWord{start: start, end: end, number: number})
	for i := start; len(run) <= maxSeedRun; { // in reverse
		between := gapBefore(text, i, from)
		word := i - len(between)
		for word > from && i-len(between)-word <= maxSeedWord && isLetter(text[word-1]) {
			word--
		}
		if between == "" || !sameGap(gap, between) {
			break
		}
		number, end := seedAt(text, word)
		if number < 0 || end+len(between) != i {
			break
		}
		run[len(run)-1].line = strings.IndexByte(between, '\n') >= 0
		run = append(run, seedWord{start: word, end: end, number: number})
		i = word
	}
	slices.Reverse(run)
	for i := end; ; {
		between := gapAfter(text, i)
		if between == "" || !sameGap(gap, between) {
			break
		}
		number, end := seedAt(text, i+len(between))
		if number < 0 {
			break
		}
		run = append(run, seedWord{start: i + len(between), end: end, number: number, line: strings.IndexByte(between, '\n') >= 0})
		i = end
	}
	sc.seedRoom = run
	return run
}

// sameGap reports whether the same stands between two pairs of words, blanks and numbers aside.
func sameGap(a, b string) bool {
	i, j := 0, 0
	for {
		for i < len(a) && (a[i] <= ' ' || isDigit(a[i])) {
			i++
		}
		for j < len(b) && (b[j] <= ' ' || isDigit(b[j])) {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] != b[j] {
			return false
		}
		i, j = i+1, j+1
	}
}

// seedPhrase reports the phrase in a run of words of the list: all of it, whole lines of it, or, where the text around speaks of
// one, what it begins or ends with.
func (sc *scan) seedPhrase(run []seedWord) {
	if len(run) > maxSeedRun {
		return
	}
	if validSeed(run) {
		sc.seedFound(run)
		return
	}
	lines := 0
	for i := range run {
		lines += boolInt(run[i].line)
	}
	if lines > 0 && lines < len(run)/3 {
		for i := range run {
			if i > 0 && !run[i].line {
				continue
			}
			for _, n := range seedLengths {
				if i+n <= len(run) && (i+n == len(run) || run[i+n].line) && validSeed(run[i:i+n]) {
					sc.seedFound(run[i : i+n])
					return
				}
			}
		}
	}
	lo, hi := max(0, run[0].start-seedReach), min(len(sc.text), run[len(run)-1].end+seedReach)
	if !seedTalk.any(sc.text[lo:hi]) {
		return
	}
	for _, n := range seedLengths {
		for i := 0; i < 4 && i+n <= len(run); i++ {
			if part := run[i : i+n]; validSeed(part) {
				sc.seedFound(part)
				return
			}
			if part := run[len(run)-i-n : len(run)-i]; validSeed(part) {
				sc.seedFound(part)
				return
			}
		}
	}
}

// seedFound reports a phrase, unless it is one that is published.
func (sc *scan) seedFound(run []seedWord) {
	start, end := run[0].start, run[len(run)-1].end
	if oneOf(sc.text[start:end], seedSamples[:]) == 0 {
		sc.add(detSeed, start, end)
	}
}

// validSeed reports whether words are a phrase: of one of its lengths, with the right checksum. Those that repeat a few words
// over and over are examples.
func validSeed(run []seedWord) bool {
	n := len(run)
	if n < minSeedWords || n > seedLengths[0] || n%3 != 0 {
		return false
	}
	var room [33]byte
	bits, v, out := 0, uint(0), 0
	for _, w := range run {
		v = v<<11 | uint(w.number)
		for bits += 11; bits >= 8; out++ {
			bits -= 8
			room[out] = byte(v >> bits)
		}
		v &= 1<<bits - 1
	}
	sum := uint(n / 3) // bits of the checksum, which ends the last of them
	size := 4 * n / 3
	last := v
	if bits < int(sum) { // of 24 words all eight bits are a byte
		last = uint(room[size])
	}
	h := sha256.Sum256(room[:size])
	return last&(1<<sum-1) == uint(h[0])>>(8-sum) && distinctWords(run) > n/2
}

// distinctWords counts the words that a phrase is made of.
func distinctWords(run []seedWord) int {
	n := 0
	for i := range run {
		n += boolInt(!slices.ContainsFunc(run[:i], func(w seedWord) bool { return w.number == run[i].number }))
	}
	return n
}
