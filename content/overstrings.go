package content

import "slices"

// An order may begin in one string of a document and go on in the next: what a reader sees is one sentence.

// beginsOrder notes that a verb of an order to set something aside is among the last words of a string, or all of it.
func (sc *scan) beginsOrder() {
	if s := &sc.d.strings[sc.str]; sc.v.up == nil && sc.v.label == ViewRaw && s.container >= 0 && len(s.Text) <= maxBegun && (len(sc.begun) == 0 || sc.begun[len(sc.begun)-1] != sc.str) {
		sc.begun = append(sc.begun, sc.str)
	}
}

// Bounds of orders over strings: the longest that begins one and how much is read behind it, in bytes, and how many strings, names
// included.
const (
	maxBegun     = 64
	maxOrderText = 192
	maxOrderOver = 64
)

// Ways to read on from a string.
const (
	overValues = iota // of the same list or object
	overColumn        // of the same name in any object
	overNames         // of members, and their values, of the same object
	overWays
)

// ordersOverStrings reads on, in every way, from the strings that begin an order. Those that begin close to each other are read
// together, so that many cost no more than one text of their length.
func (sc *scan) ordersOverStrings() {
	before := len(sc.rep.Findings)
	for way := range overWays {
		for begun := sc.begun; len(begun) > 0; {
			begun = sc.readOn(begun, way)
			if len(sc.glued) > sc.budget {
				sc.cut++
				return
			}
			sc.budget -= len(sc.glued)
			if len(sc.parts) > 1 {
				sc.orderOver(string(sc.glued), before)
			}
		}
	}
}

// readOn puts together what stands behind the first of the strings that begin an order, and notes the parts. It returns those behind
// all of it.
func (sc *scan) readOn(begun []int, way int) []int {
	text, own, last := sc.glued[:0], 0, begun[0] // of the string that began an order last: where it stands in text, and which it is
	sc.parts = sc.parts[:0]
	for i := last; i < len(sc.d.strings) && i-last < maxOrderOver && len(text)-own < maxOrderText; i++ {
		s, first := &sc.d.strings[i], &sc.d.strings[last]
		between := byte(' ')
		switch {
		case s.Host != first.Host:
			return begun
		case len(begun) > 0 && begun[0] == i:
			between, own, last, begun = '\n', len(text), i, begun[1:]
		case s.Key && way != overNames, way == overColumn && (!sc.d.sameName(s, first) || sc.isBlockText(s)), way != overColumn && s.container != first.container:
			continue
		case len(s.Text) > maxBegun:
			return begun
		}
		text = append(text, between)
		sc.parts = append(sc.parts, part{str: i, at: len(text)})
		text = append(text, s.Text...)
		sc.glued = text
	}
	return begun
}

// sameName reports whether two strings are the values of members of one name.
func (d *Document) sameName(a, b *String) bool {
	return a.name >= 0 && b.name >= 0 && d.strings[a.name].Text == d.strings[b.name].Text
}

// part is where a string begins in a text that several were put together to.
type part struct{ str, at int }

// orderOver looks for an order that goes over the end of a string of the text, and is none of the findings from before on.
func (sc *scan) orderOver(text string, before int) {
	at := func(i int) int { // the string that byte i is in, or behind
		n, _ := slices.BinarySearchFunc(sc.parts, i+1, func(p part, end int) int { return p.at - end })
		return sc.parts[max(n-1, 0)].str
	}
	sc.str, sc.path, sc.spans = sc.parts[0].str, "", sc.spans[:0]
	sc.role = sc.d.strings[sc.str].Role
	sc.raw = view{text: text, label: ViewJoined}
	sc.begin(&sc.raw)
	sc.s.index.run(sc, text)
	clear(sc.opened)
	for _, h := range sc.hits {
		i := at(h.start)
		if h.det != detOverride || sc.judged(&h) != Block || i == at(h.end-1) || slices.ContainsFunc(sc.rep.Findings[before:], func(f Finding) bool { return f.String == i }) {
			continue
		}
		if sc.str, sc.path = i, ""; !sc.s.allowed(h.det, text[h.start:h.end], sc.pointer()) {
			sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: Block, String: i,
				Tool: sc.d.toolIndex(i), Path: sc.pointer(), View: ViewJoined, Start: -1, End: -1, Length: h.end - h.start})
		}
	}
}
