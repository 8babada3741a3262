package content

import "slices"

// wordTape remembers the words of several families in the current view, where they were read last: those around orders, of
// poisoned definitions and in hidden texts. The families are asked about the same places of a hostile text, which is read
// once for all of them.
type wordTape struct {
	words    []tapedWord
	from, to int               // what was read and is remembered
	asked    [tapeFamilies]int // how much of the current string each family has read, in bytes
	shared   bool              // whether two of them have read much
}

// tapedWord is a word of any family and where it begins.
type tapedWord struct{ at, word int }

// tapeFamily is one of the families.
type tapeFamily uint8

const (
	tapeNear tapeFamily = iota
	tapePoison
	tapeHidden
	tapeFamilies
)

// tapeWord is a word of the tape: its length, and its number in the index of each family, -1 in one that it is not in.
type tapeWord struct {
	size int
	own  [tapeFamilies]int
}

// tapeIndex finds the words of all families, and tapeWords are they. tapeRanks are the orders in which the index of each family
// finds words that begin at one place.
var tapeIndex, tapeWords, tapeRanks = func() (index *keywordIndex, words []tapeWord, ranks [tapeFamilies][]int) {
	var list []keyword
	ids := map[string]int{}
	for family, x := range [...]*keywordIndex{tapeNear: overrideNear, tapePoison: poisonWords.index, tapeHidden: hiddenWords.index} {
		own := x.inOrder()
		ranks[family] = make([]int, len(own))
		for rank, w := range own {
			ranks[family][w.user] = rank
			id, known := ids[w.text]
			if !known {
				id = len(list)
				ids[w.text] = id
				list = append(list, keyword{text: w.text, user: id})
				words = append(words, tapeWord{size: len(w.text), own: [tapeFamilies]int{-1, -1, -1}})
			}
			words[id].own[family] = w.user
		}
	}
	index, err := newKeywordIndex(list)
	if err != nil {
		panic(err) // they are written in this package
	}
	return index, words, ranks
}()

// The bounds of what is remembered, in bytes, and how many words are not worth forgetting.
const (
	tapeBehind = 4096 // before what is asked about
	tapeAhead  = 2048 // the least that is read at once
	fewTaped   = 256
)

// muchTaped is how much of a string two families read each by themselves before they do so together, in bytes. What one finds
// is of no use to others in most texts.
const muchTaped = 2048

// count counts what a family reads of the current string, and reports whether two have read much.
func (t *wordTape) count(family tapeFamily, size int) bool {
	t.asked[family] += size
	much := 0
	for _, n := range t.asked {
		much += boolInt(n > muchTaped)
	}
	return much > 1
}

// next forgets who has read the string before.
func (t *wordTape) next() { t.asked, t.shared = [tapeFamilies]int{}, false }

// of returns the tape for a text, nil for one that is too short for it.
func (t *wordTape) of(text string) *wordTape {
	if len(text) <= muchTaped {
		return nil
	}
	t.reset(0)
	return t
}

// reset forgets the text.
func (t *wordTape) reset(at int) { t.words, t.from, t.to = t.words[:0], at, at }

// read calls found with the words of a family that begin in text[from:to], in the order in which its own index finds them, and
// reports false where the text is no longer remembered.
func (t *wordTape) read(family tapeFamily, text string, from, to int, found func(s spotted)) bool {
	if to = min(to, len(text)); from >= to {
		return true
	}
	if !t.shared {
		t.shared = t.count(family, to-from)
	}
	if !t.shared || from < t.from {
		return false
	}
	if from > t.to {
		t.reset(from)
	}
	if to > t.to {
		t.forget(from - tapeBehind)
		t.readOn(text, min(len(text), max(to, t.to+tapeAhead)))
	}
	i, _ := slices.BinarySearchFunc(t.words, from, func(w tapedWord, at int) int { return w.at - at })
	for ; i < len(t.words) && t.words[i].at < to; i++ {
		w := &tapeWords[t.words[i].word]
		if own := w.own[family]; own >= 0 {
			at := t.words[i].at
			found(spotted{at, at + w.size, own})
		}
	}
	return true
}

// readOn finds the words that begin before byte to.
func (t *wordTape) readOn(text string, to int) {
	base := t.to
	tapeIndex.walkTo(text[base:], to-base, func(w *keyword, at int) bool {
		t.words = append(t.words, tapedWord{base + at, w.user})
		return true
	})
	t.to = to
}

// forget drops the words that begin before byte from, when there are many.
func (t *wordTape) forget(from int) {
	half := len(t.words) / 2
	if len(t.words) < fewTaped || t.words[half].at >= from {
		return
	}
	t.from = t.words[half].at
	for half > 0 && t.words[half-1].at == t.from {
		half--
	}
	t.words = append(t.words[:0], t.words[half:]...)
}

// inPlace moves the last of some words before those that begin where it does and its family's index finds later.
func inPlace(words []spotted, family tapeFamily) {
	rank := tapeRanks[family]
	for i := len(words) - 1; i > 0 && words[i-1].lo == words[i].lo && rank[words[i-1].word] > rank[words[i].word]; i-- {
		words[i-1], words[i] = words[i], words[i-1]
	}
}
