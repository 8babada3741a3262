package content

import (
	"slices"
	"strings"
)

// A text may be taken apart into the elements of a JSON array: the numbers of its bytes, its characters, the words of a
// phrase. No element tells anything alone.

// numberRow is an array of nothing but numbers that may be those of characters.
type numberRow struct {
	name       int32 // the last member name before it, -1 for none
	host       int32
	start, end int // where it stands in the document of its host
}

// characterNumber reports whether the number src[start:end] may be that of a character.
func characterNumber(src string, start, end int) bool {
	switch end - start {
	case 1:
		return src[start] == '9'
	case 2, 3:
		return src[start] != '-' && src[start] != '0' && codesOf(src[start:end])[0] != 0
	}
	return false
}

// elements reads the arrays that spell a text.
func (sc *scan) elements() {
	for _, r := range sc.d.rows {
		src := sc.d.raw
		if r.host >= 0 {
			src = sc.d.strings[r.host].Text
		}
		if r.name >= 0 {
			sc.numberRow(int(r.name), src[r.start:r.end])
		}
	}
	for i := 0; i < len(sc.d.strings); {
		if s := &sc.d.strings[i]; s.element < 0 || len(s.Text) == 0 || len(s.Text) > maxSeedWord {
			i++
			continue
		}
		end := i + 1
		for end < len(sc.d.strings) && sc.d.strings[end].container == sc.d.strings[i].container && sc.d.strings[end].element >= 0 && len(sc.d.strings[end].Text) <= maxSeedWord {
			end++
		}
		if end-i >= minCodes {
			sc.seedElements(i, end)
			sc.characters(i, end)
		}
		i = end
	}
}

// numberRow reads an array of numbers as the characters that they number, if most of them are letters.
func (sc *scan) numberRow(name int, array string) {
	var row numeral
	row.base = 10
	for i := 0; i < len(array); {
		if !isDigit(array[i]) {
			i++
			continue
		}
		end := extent(array, i, maxCode, setDigits)
		row.take(row.code(array[i:end]), i, end)
		i = end
	}
	if 2*row.letters > row.count {
		sc.spelledOut(name, string(row.text))
	}
}

// characters reads strings from..to, the elements of one array, as a text if each is a character or a few letters.
func (sc *scan) characters(from, to int) {
	var b strings.Builder
	for _, s := range sc.d.strings[from:to] {
		if len(s.Text) > 4 {
			return
		}
		b.WriteString(s.Text)
	}
	sc.spelledOut(from, b.String())
}

// spelledOut looks at a text that the elements of an array spell, with the detectors that keywords open. What it finds is a
// finding of string i; it cannot be masked, so what should be blocks.
func (sc *scan) spelledOut(i int, text string) {
	if len(text) > sc.budget {
		sc.cut++
		return
	}
	sc.budget -= len(text)
	sc.str, sc.role, sc.path = i, sc.d.strings[i].Role, ""
	sc.spans = sc.spans[:0]
	sc.raw = view{text: text, label: ViewDecoded}
	sc.begin(&sc.raw)
	sc.survey(text)
	sc.s.index.run(sc, text)
	clear(sc.opened)
	before := len(sc.rep.Findings)
	for _, h := range sc.hits {
		if sc.s.allowed(h.det, text[h.start:h.end], sc.pointer()) {
			continue
		}
		sev := sc.judged(&h)
		if h.det.maskable() {
			sev = Block
		}
		if told := sc.rep.Findings[before:]; slices.ContainsFunc(told, func(f Finding) bool { return f.Detector == h.det.name && f.Severity >= sev }) {
			continue // one of each is enough
		}
		sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: sev, String: i,
			Tool: sc.d.toolIndex(i), Path: sc.pointer(), View: ViewDecoded, Start: -1, End: -1, Length: h.end - h.start, HighEntropy: h.det.highEntropy})
	}
}

// seedElements looks for a phrase of BIP 39 of which strings from..to, the elements of one array, are the words.
func (sc *scan) seedElements(from, to int) {
	run := sc.seedRoom[:0]
	for i := from; i < to && len(run) <= maxSeedRun; i++ {
		key, ok := packWord(sc.d.strings[i].Text)
		number := -1
		if ok {
			number = seedNumbers.number(key)
		}
		if number < 0 {
			break
		}
		run = append(run, seedWord{start: i, number: number})
	}
	sc.seedRoom = run
	if len(run) != to-from || !validSeed(run) {
		return
	}
	for i := from; i < to; i++ {
		s := &sc.d.strings[i]
		sc.str, sc.role, sc.path = i, s.Role, ""
		sc.raw = view{text: s.Text, label: ViewRaw}
		sc.v, sc.text = &sc.raw, s.Text
		if !sc.s.allowed(detSeed, s.Text, sc.pointer()) {
			sc.report(hit{det: detSeed, end: len(s.Text)}, 0, len(s.Text))
		}
	}
}
