package content

import "strings"

// markupKeywords opens the places of a document that its reader does not see: comments, invisible styles,
// alternative texts.
func markupKeywords() []keyword {
	return []keyword{
		{text: "<!--", look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+4, "-->") }},
		{text: "[//]: #", look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+7, "\n") }},
		{text: "[comment]: ", look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+11, "\n") }},
		{text: "display:none", look: (*scan).hiddenStyle},
		{text: "display: none", look: (*scan).hiddenStyle},
		{text: "visibility:hidden", look: (*scan).hiddenStyle},
		{text: "visibility: hidden", look: (*scan).hiddenStyle},
		{text: "font-size:0", look: (*scan).hiddenStyle},
		{text: "font-size: 0", look: (*scan).hiddenStyle},
		{text: "font-size:1px", look: (*scan).hiddenStyle},
		{text: "font-size: 1px", look: (*scan).hiddenStyle},
		{text: "opacity:0", look: (*scan).hiddenStyle},
		{text: "opacity: 0", look: (*scan).hiddenStyle},
		{text: "color:white", look: (*scan).hiddenStyle},
		{text: "color: white", look: (*scan).hiddenStyle},
		{text: "color:#fff", look: (*scan).hiddenStyle},
		{text: "color: #fff", look: (*scan).hiddenStyle},
		{text: "aria-hidden=\"true\"", look: (*scan).hiddenStyle},
		{text: "alt=\"", look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+5, "\"") }},
		{text: "alt='", look: func(sc *scan, at int) { sc.hiddenMarkup(at, at+5, "'") }},
	}
}

// hiddenWindow bounds how much of a hidden place is read, in bytes; hiddenOverlap how much of it may have been
// read for a place before, so that a text full of openings stays linear.
const (
	hiddenWindow  = 600
	hiddenOverlap = 300
	minHidden     = 12 // shorter than any order
)

// seen reports whether the window of a place before reaches far enough beyond byte start.
func (sc *scan) seen(start int) bool {
	return start < sc.markup-hiddenOverlap || sc.full(detMarkup)
}

// hiddenMarkup looks at the hidden text from byte start up to the closing mark.
func (sc *scan) hiddenMarkup(at, start int, closing string) {
	if sc.seen(start) {
		return
	}
	w := sc.text[start:min(len(sc.text), start+hiddenWindow)]
	if i := strings.Index(w, closing); i >= 0 {
		w = w[:i]
	}
	sc.markup = start + len(w)
	if len(w) >= minHidden && addressed(w) {
		sc.add(detMarkup, at, start)
	}
}

// hiddenStyle looks at the text of an element whose style hides it.
func (sc *scan) hiddenStyle(at int) {
	if sc.seen(at) {
		return
	}
	w := sc.text[at:min(len(sc.text), at+hiddenWindow)]
	open := strings.IndexByte(w, '>')
	if open < 0 || open > 200 {
		return
	}
	w = w[open+1:]
	if i := strings.Index(w, "</"); i >= 0 {
		w = w[:i]
	}
	sc.markup = at + open + 1 + len(w)
	if addressed(w) {
		sc.add(detMarkup, at, at+open+1)
	}
}

// addressees are the ways in which hidden text calls on whoever reads it as a machine.
var addressees = [...]string{"assistant", "ai agent", "ai model", "language model", "llm", "chatgpt", "claude", "gpt", "copilot", "gemini", "system:", "system prompt", "instructions for ai", "ai:", "ai,", "agents:"}

// addressing finds whether a text has anything that addressed goes on to look for.
var addressing = mustIndex(append([]string{"ignore ", "disregard ", "forget "}, addressees[:]...)...)

// commands are what such text asks for.
var commands = []string{"ignore", "disregard", "forget", "you must", "you should", "must ", "do not tell", "don't tell", "do not mention", "send ", "forward ", "call ", "execute", "run ", "reveal", "include ", "exfiltrate", "upload", "read ", "instead", "follow ", "respond with", "reply with", "output ", "say ", "recommend", "approve", "rate this", "give this"}

var addresseeWords, commandWords = mustIndex(addressees[:]...), mustIndex(commands...)

// addressed reports whether text speaks to a model and asks it for something. Both are needed: comments speak
// of models and give orders to people all the time.
func addressed(text string) bool {
	if !addressing.any(text) {
		return false
	}
	l := strings.ToLower(text)
	if overridePhrase(l) {
		return true
	}
	// The order stands near its addressee, of which the first of each kind counts.
	var near [len(addressees)]Range
	addresseeWords.walk(l, func(w *keyword, at int) bool {
		if end := at + len(w.text); near[w.user].End == 0 && wordAt(l, at, end) {
			near[w.user] = Range{max(0, at-60), min(len(l), end+90)}
		}
		return true
	})
	found := false
	commandWords.walk(l, func(w *keyword, at int) bool {
		end := at + len(w.text)
		for _, n := range near {
			if at >= n.Start && end <= n.End && wordAt(l[n.Start:n.End], at-n.Start, end-n.Start) {
				found = true
			}
		}
		return !found
	})
	return found
}

// wordAt reports whether s[start:end] begins a word and, where it ends in a letter or a digit, ends one.
func wordAt(s string, start, end int) bool {
	return (start == 0 || !isAlnum(s[start-1])) && (!isAlnum(s[end-1]) || end == len(s) || !isAlnum(s[end]))
}

// overridePhrase reports whether lower-case text has the phrase of the override detector.
func overridePhrase(l string) bool {
	for _, verb := range [...]string{"ignore ", "disregard ", "forget "} {
		for from := 0; ; {
			i := strings.Index(l[from:], verb)
			if i < 0 {
				break
			}
			i += from
			if p := overridden(l, i+len(verb)); p.whole() {
				return true
			}
			from = i + len(verb)
		}
	}
	return false
}
