package window

import "slices"

// Class is a kind of machine text.
type Class uint8

// The classes of text that hold no language.
const (
	ID Class = iota
	Number
	Hash
	Base64
	classes
)

// String is the class in lower case.
func (c Class) String() string {
	switch c {
	case ID:
		return "id"
	case Number:
		return "number"
	case Hash:
		return "hash"
	}
	return "base64"
}

// Run is bytes [Start, End) of a text that hold no language.
type Run struct {
	Start, End int
	Class      Class
}

// Skips counts what was not read: runs and their bytes, by class.
type Skips struct {
	Runs, Bytes [classes]int
}

// Add counts a run.
func (s *Skips) Add(r Run) {
	s.Runs[r.Class]++
	s.Bytes[r.Class] += r.End - r.Start
}

// Total is the number of bytes of all classes.
func (s Skips) Total() int {
	n := 0
	for _, b := range s.Bytes {
		n += b
	}
	return n
}

// Least lengths in bytes. Shorter runs are read: they cost little and may carry
// meaning.
const (
	leastNumbers = 24
	leastID      = 16
	leastHash    = 16
	leastBase64  = 40
)

// Machine appends the runs of machine text in text to dst, in order. It errs on
// the side of reading: whatever looks like words of any kind, in any mixture of
// case or with digits strewn in, is no machine text, and neither is anything
// beyond ASCII.
func Machine(dst []Run, text string) []Run {
	for i := 0; i < len(text); {
		if !isWordByte(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isWordByte(text[i]) {
			i++
		}
		if i-start >= leastID {
			dst = classify(dst, text, start, i)
		}
	}
	return numbers(dst, text)
}

// isWordByte reports the bytes of which ids, hashes and base64 consist.
func isWordByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-'
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// counts are the kinds of bytes of a run.
type counts struct {
	upper, lower, digits, hex, slashes, others int
}

func count(s string) counts {
	var n counts
	for i := range len(s) {
		c := s[i]
		switch {
		case isDigit(c):
			n.digits++
		case c >= 'A' && c <= 'Z':
			n.upper++
		case c >= 'a' && c <= 'z':
			n.lower++
		case c == '/':
			n.slashes++
		default:
			n.others++
		}
		if isHex(c) {
			n.hex++
		}
	}
	return n
}

func classify(dst []Run, text string, start, end int) []Run {
	run := text[start:end]
	n := count(run)
	switch {
	case isUUID(run):
		return append(dst, Run{start, end, ID})
	case n.hex == len(run) && n.digits == len(run):
		return append(dst, Run{start, end, Number})
	case n.hex == len(run) && n.digits >= 2 && len(run) >= leastHash:
		return append(dst, Run{start, end, Hash})
	case len(run) >= leastBase64 && n.upper > 0 && n.lower > 0 && n.digits > 0 && n.slashes <= len(run)/16+1:
		return languageless(dst, text, start, end)
	// An id has digits among its letters, and no path or sum within.
	case n.slashes == 0 && 6*n.digits >= len(run) && n.upper+n.lower > 0 && !hasLanguage(run):
		return append(dst, Run{start, end, ID})
	}
	return dst
}

// isUUID reports 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// languageless appends the parts of a long run that are base64 to dst. A run
// can hold words in its middle, so it is judged stretch by stretch.
func languageless(dst []Run, text string, start, end int) []Run {
	from := start
	for at := start; at < end; at += stretch / 2 {
		to := min(at+stretch, end)
		if !wordy(text[at:to]) {
			continue
		}
		// What is near words is read with them.
		if cut := max(from, at-stretch); cut-from >= leastBase64 {
			dst = append(dst, Run{from, cut, Base64})
		}
		from = min(end, to+stretch)
	}
	if end-from >= leastBase64 {
		dst = append(dst, Run{from, end, Base64})
	}
	return dst
}

// hasLanguage reports whether any stretch of the run looks like words.
func hasLanguage(run string) bool {
	for at := 0; at < len(run); at += stretch / 2 {
		if wordy(run[at:min(at+stretch, len(run))]) {
			return true
		}
	}
	return false
}

// stretch is the length in bytes over which letter pairs are counted.
const stretch = 32

// wordy reports whether the letters of s, whatever stands between them and in
// whatever case, follow each other as in words. In English about every second
// pair of letters is one of commonPairs, in random letters one in eleven.
func wordy(s string) bool {
	pairs, common := 0, 0
	last := byte(0)
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) {
			continue
		}
		c = c | 0x20 - 'a'
		if last != 0 {
			pairs++
			if commonPairs[last-1][c] {
				common++
			}
		}
		last = c + 1
	}
	return pairs >= 4 && 4*common >= pairs
}

// commonPairs are the most frequent pairs of letters in English prose.
var commonPairs = func() (table [26][26]bool) {
	const pairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur us ig no ct pr ev io ns sy em"
	for i := 0; i+1 < len(pairs); i += 3 {
		table[pairs[i]-'a'][pairs[i+1]-'a'] = true
	}
	return table
}()

// numbers appends runs of figures and what stands between them, such as rows of
// a table or an embedding, and returns all runs in order.
func numbers(dst []Run, text string) []Run {
	words := len(dst)
	at := 0
	for i := 0; i < len(text); {
		if at < words && i >= dst[at].Start {
			i = max(i, dst[at].End)
			at++
			continue
		}
		if !isDigit(text[i]) && text[i] != '-' {
			i++
			continue
		}
		limit := len(text)
		if at < words {
			limit = dst[at].Start
		}
		start, digits := i, 0
		for i < limit && isFigure(text[i]) {
			if isDigit(text[i]) {
				digits++
			}
			i++
		}
		end := i
		for end > start && !isDigit(text[end-1]) {
			end--
		}
		// A figure that a letter touches belongs to a word.
		if start > 0 && isLetter(text[start-1]) || end < len(text) && isLetter(text[end]) {
			continue
		}
		if end-start >= leastNumbers && 3*digits >= end-start {
			dst = append(dst, Run{start, end, Number})
		}
	}
	slices.SortFunc(dst, func(a, b Run) int { return a.Start - b.Start })
	return dst
}

// isFigure reports the bytes of which rows of numbers consist.
func isFigure(c byte) bool {
	switch c {
	case ' ', '\t', '\n', ',', '.', ';', ':', '-', '+', '[', ']', '(', ')', '|', '%', '/':
		return true
	}
	return isDigit(c)
}
