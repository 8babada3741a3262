package content

// An order may begin in one string of a list or an object and go on in the next: what a reader sees is one sentence.

// beginsOrder notes that a verb of an order to set something aside is among the last words of a string, or all of it.
func (sc *scan) beginsOrder() {
	if s := &sc.d.strings[sc.str]; sc.v.up == nil && sc.v.label == ViewRaw && !s.Key && s.container >= 0 && len(s.Text) <= maxBegun && (len(sc.begun) == 0 || sc.begun[len(sc.begun)-1] != sc.str) && len(sc.begun) < maxOrders {
		sc.begun = append(sc.begun, sc.str)
	}
}

// Bounds of orders over the strings of one list or object: the longest that begins one, in bytes, how much is read, and how many are
// looked at in a body.
const (
	maxBegun     = 64
	maxOrderText = 192
	maxOrders    = 64
)

// ordersOverStrings reads on from strings that begin an order, over those of the same list or object.
func (sc *scan) ordersOverStrings() {
	for _, i := range sc.begun {
		first := &sc.d.strings[i]
		b := append(sc.glued[:0], first.Text...)
		for j := i + 1; j < len(sc.d.strings) && len(b) < maxOrderText; j++ {
			s := &sc.d.strings[j]
			if s.container != first.container || s.Host != first.Host {
				break
			}
			if s.Key {
				continue
			}
			if len(s.Text) > maxBegun {
				break
			}
			b = append(append(b, ' '), s.Text...)
		}
		sc.glued = b
		if len(b) > len(first.Text) {
			sc.orderOf(i, string(b))
		}
	}
}

// orderOf looks for an order in what the strings from i on say together.
func (sc *scan) orderOf(i int, text string) {
	sc.str, sc.role, sc.path, sc.spans = i, sc.d.strings[i].Role, "", sc.spans[:0]
	sc.raw = view{text: text, label: ViewJoined}
	sc.begin(&sc.raw)
	sc.s.index.run(sc, text)
	clear(sc.opened)
	for _, h := range sc.hits {
		if h.det == detOverride && sc.judged(&h) == Block && h.start < len(sc.d.strings[i].Text) && h.end > len(sc.d.strings[i].Text) && !sc.s.allowed(h.det, text[h.start:h.end], sc.pointer()) {
			sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: Block, String: i,
				Tool: sc.d.toolIndex(i), Path: sc.pointer(), View: ViewJoined, Start: -1, End: -1, Length: h.end - h.start})
			return
		}
	}
}
