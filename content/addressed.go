package content

import "slices"

// The sets of words that tell whether a hidden text is meant for a machine. Those of the addressees come first, so
// that the number of such a word is its place among them.
const (
	addresseeSet = iota // how it calls on whoever reads it as a machine
	commandSet          // what it asks for
	asideSet            // verbs that set earlier instructions aside
	hostileSet          // what serves nobody but an attacker
)

// addressees are the words of the first set.
var addressees = [...]string{"assistant", "ai agent", "ai model", "language model", "llm", "chatgpt", "claude", "gpt", "copilot", "gemini", "system:", "system prompt", "instructions for ai", "ai:", "ai,", "agents:"}

var hiddenWords = newWordSets([][]string{
	addresseeSet: addressees[:],
	commandSet:   {"ignore", "disregard", "forget", "you must", "you should", "must ", "do not tell", "don't tell", "do not mention", "send ", "forward ", "call ", "execute", "run ", "reveal", "include ", "exfiltrate", "upload", "read ", "instead", "follow ", "respond with", "reply with", "output ", "say ", "recommend", "approve", "rate this", "give this"},
	asideSet:     {"ignore ", "disregard ", "forget "},
	hostileSet:   hostileWords[:],
})

// How far from an addressee the order to it stands, in bytes.
const (
	orderBefore = 60
	orderAfter  = 90
)

// addressed reports whether text[lo:hi] speaks to a model and asks it for something, or sets its instructions aside.
// Both are needed: comments speak of models and give orders to people all the time.
func (sc *scan) addressed(lo, hi int) bool {
	words := sc.hiddenWords.within(hiddenWords, sc.text, lo, hi)
	for _, w := range words {
		if w.hi <= hi && hiddenWords.has(w.word, asideSet) {
			if p := overridden(sc.text[:hi], w.hi); p.whole() {
				return true
			}
		}
	}
	// The order stands near its addressee, of which the first of each kind counts.
	var known [len(addressees)]bool
	for _, w := range words {
		if w.word >= len(addressees) || w.hi > hi || known[w.word] || !wordAt(sc.text[lo:hi], w.lo-lo, w.hi-lo) {
			continue
		}
		known[w.word] = true
		if ordersIn(sc.text, words, max(lo, w.lo-orderBefore), min(hi, w.hi+orderAfter)) {
			return true
		}
	}
	return false
}

// ordersIn reports whether one of the words, which are in the order of their places, is a command in text[lo:hi].
func ordersIn(text string, words []spotted, lo, hi int) bool {
	i, _ := slices.BinarySearchFunc(words, lo, func(w spotted, at int) int { return w.lo - at })
	for ; i < len(words) && words[i].lo < hi; i++ {
		if w := words[i]; w.hi <= hi && hiddenWords.has(w.word, commandSet) && wordAt(text[lo:hi], w.lo-lo, w.hi-lo) {
			return true
		}
	}
	return false
}

// misused reports whether text that is not hidden, only looked at by few, speaks to a model and asks for something that
// serves nobody but an attacker: of assistants and what they are to be asked everybody writes.
func (sc *scan) misused(lo, hi int) bool {
	return sc.hostile(lo, hi) && sc.addressed(lo, hi)
}

// hostile reports whether text[lo:hi] has a word that serves nobody but an attacker.
func (sc *scan) hostile(lo, hi int) bool {
	for _, w := range sc.hiddenWords.within(hiddenWords, sc.text, lo, hi) {
		if w.hi <= hi && hiddenWords.has(w.word, hostileSet) {
			return true
		}
	}
	return false
}

// wordAt reports whether s[start:end] begins a word and, where it ends in a letter or a digit, ends one.
func wordAt(s string, start, end int) bool {
	return (start == 0 || !isAlnum(s[start-1])) && (!isAlnum(s[end-1]) || end == len(s) || !isAlnum(s[end]))
}

// wordMemo remembers the words of some sets in a text, in the order of their places. Looks come with rising places,
// nearly always, so each byte is read once however far their windows overlap; what no window reaches is not read.
type wordMemo struct {
	words    []spotted
	at       int       // the first of them that begins in the last window
	from, to int       // what was read and is remembered
	tape     *wordTape // of the text, nil for none
}

// fewWords is how many words before a window are not worth forgetting.
const fewWords = 64

// reset forgets the text.
func (m *wordMemo) reset(at int) {
	m.words, m.at, m.from, m.to = m.words[:0], 0, at, at
}

// within returns the words that begin in text[lo:hi]. They hold until the next call.
func (m *wordMemo) within(s *wordSets, text string, lo, hi int) []spotted {
	if lo < m.from || lo > m.to {
		m.reset(lo)
	}
	for m.at > 0 && m.words[m.at-1].lo >= lo {
		m.at--
	}
	for m.at < len(m.words) && m.words[m.at].lo < lo {
		m.at++
	}
	if hi > m.to {
		if m.at >= fewWords && 2*m.at >= len(m.words) {
			m.words, m.at, m.from = slices.Delete(m.words, 0, m.at), 0, lo
		}
		m.read(s, text, hi)
	}
	end := m.at
	for end < len(m.words) && m.words[end].lo < hi {
		end++
	}
	return m.words[m.at:end]
}

// read finds the words that begin before byte to.
func (m *wordMemo) read(s *wordSets, text string, to int) {
	if m.tape != nil && m.tape.read(tapeHidden, text, m.to, to, func(w spotted) {
		m.words = append(m.words, w)
		inPlace(m.words, tapeHidden)
	}) {
		m.to = to
		return
	}
	base := m.to
	s.index.walk(text[base:min(len(text), to+s.longest)], func(w *keyword, at int) bool {
		if at += base; at >= to {
			return false
		}
		m.words = append(m.words, spotted{at, at + len(w.text), w.user})
		return true
	})
	m.to = to
}
