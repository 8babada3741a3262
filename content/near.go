package content

import (
	"math/bits"
	"slices"
)

// wordSets are sets of words, 32 at most, that are looked for near something else. One index finds the words of all
// of them.
type wordSets struct {
	index   *keywordIndex
	members []uint32 // the sets that a word is in, a bit for each, by the number of the word
	longest int      // of all words, in bytes
}

// newWordSets indexes sets that are written in this package.
func newWordSets(sets [][]string) *wordSets {
	s := &wordSets{}
	var words []keyword
	ids := map[string]int{}
	for set, texts := range sets {
		for _, w := range texts {
			id, known := ids[w]
			if !known {
				id = len(words)
				ids[w] = id
				words = append(words, keyword{text: w, user: id})
				s.members = append(s.members, 0)
				s.longest = max(s.longest, len(w))
			}
			s.members[id] |= 1 << set
		}
	}
	var err error
	if s.index, err = newKeywordIndex(words); err != nil {
		panic(err)
	}
	return s
}

// has reports whether a word is in a set.
func (s *wordSets) has(word, set int) bool { return s.members[word]&(1<<set) != 0 }

// placed remembers where the words of some sets stand in a text. It reads on as it is asked, so that looks whose
// windows overlap read each byte once, and forgets what lies too far behind to be asked for again.
type placed struct {
	from, to int // what was read and is remembered
	spots    [32][]occurrence
	cursors  [32]int   // where in each of them the last look began
	tape     *wordTape // of the text, nil for none
}

// occurrence is where a word stands.
type occurrence struct{ start, end int }

// The bounds of what is remembered, in bytes.
const (
	placedBehind = 512  // before a window: a later one begins no earlier
	placedAhead  = 1024 // the least that is read at once
)

// reset forgets the text.
func (p *placed) reset() {
	if p.to > 0 {
		p.forget(0)
	}
}

func (p *placed) forget(from int) {
	p.from, p.to = from, from
	for i := range p.spots {
		p.spots[i] = p.spots[i][:0]
	}
	p.cursors = [32]int{}
}

// within reports whether a word of a set stands in text[lo:hi], cut to what there is of the text. Calls come with
// rising lo, give or take placedBehind.
func (p *placed) within(s *wordSets, set int, text string, lo, hi int) bool {
	return p.ending(s, set, text, lo, hi, lo)
}

// ending is within for words that end at byte least or after.
func (p *placed) ending(s *wordSets, set int, text string, lo, hi, least int) bool {
	lo, hi = max(0, lo), min(len(text), hi)
	p.read(s, text, lo, hi)
	list := p.spots[set]
	i := p.cursors[set]
	for i < len(list) && list[i].start < lo {
		i++
	}
	for i > 0 && list[i-1].start >= lo {
		i--
	}
	p.cursors[set] = i
	for ; i < len(list) && list[i].start < hi; i++ {
		if list[i].end <= hi && list[i].end >= least {
			return true
		}
	}
	return false
}

// read finds the words that begin in text[lo:hi].
func (p *placed) read(s *wordSets, text string, lo, hi int) {
	if lo < p.from || lo > p.to {
		p.forget(max(0, lo-placedBehind))
	}
	if hi <= p.to {
		return
	}
	if keep := lo - placedBehind; keep > p.from {
		p.from = keep
		for i, list := range p.spots {
			n, _ := slices.BinarySearchFunc(list, keep, func(a occurrence, at int) int { return a.start - at })
			p.spots[i] = slices.Delete(list, 0, n)
			p.cursors[i] = max(0, p.cursors[i]-n)
		}
	}
	base, to := p.to, min(len(text), max(hi, p.to+placedAhead))
	if p.tape != nil && p.tape.read(tapePoison, text, base, to, func(w spotted) { p.place(s.members[w.word], w.lo, w.hi) }) {
		p.to = to
		return
	}
	s.index.walk(text[base:min(len(text), to+s.longest)], func(w *keyword, at int) bool {
		if at += base; at >= to {
			return false
		}
		p.place(s.members[w.user], at, at+len(w.text))
		return true
	})
	p.to = to
}

// place adds a word to the sets that it is in.
func (p *placed) place(sets uint32, start, end int) {
	for ; sets != 0; sets &= sets - 1 {
		set := bits.TrailingZeros32(sets)
		p.spots[set] = append(p.spots[set], occurrence{start, end})
	}
}
