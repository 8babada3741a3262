package content

import "strings"

// joinReach is how much of each of two adjacent blocks is read together, in bytes: whatever a detector looks
// for is shorter than that, or begins on one side and is told by what stands there.
const joinReach = 512

// shortReach is how much of what stands before a border is read, in bytes, where the block there is shorter and what
// came before it counts as well.
const shortReach = 96

// joined reads the borders between adjacent text blocks of one result, both with nothing and with a line break
// between them, since clients do either. Only what crosses a border is new. What stands before a border may be the
// ends of several blocks, when they are short.
func (sc *scan) joined() {
	prev := -1
	var known map[foundIn]bool
	var before [len(joints)]string
	for i := range sc.d.strings {
		s := &sc.d.strings[i]
		if s.Key || s.Host >= 0 || !sc.isBlockText(s) {
			continue
		}
		for k, between := range joints {
			text := s.Text
			if prev >= 0 {
				if known == nil {
					known = sc.knownFinds()
				}
				joined := sc.join(prev, i, before[k], between, known)
				if len(text) < shortReach {
					text = joined[max(0, len(joined)-shortReach):]
				}
			}
			before[k] = strings.ToValidUTF8(text[max(0, len(text)-joinReach):], "")
		}
		prev = i
	}
}

// joints are what clients put between blocks.
var joints = [...]string{"", "\n"}

// knownFinds lists what was found in each string alone.
func (sc *scan) knownFinds() map[foundIn]bool {
	known := map[foundIn]bool{}
	for i := range sc.rep.Findings {
		known[foundIn{sc.rep.Findings[i].String, sc.rep.Findings[i].Detector}] = true
	}
	return known
}

// foundIn says that a detector found something in a string alone.
type foundIn struct {
	str      int
	detector string
}

// isBlockText reports whether s is the text member of a content block.
func (sc *scan) isBlockText(s *String) bool {
	return s.Role == RoleResultText && s.name >= 0 && s.container >= 0 && sc.d.contexts != nil &&
		sc.d.contexts[s.container] == ctxBlocks && sc.d.strings[s.name].Text == "text" && sc.d.inList(s.container)
}

// inList reports whether a block is an element of a list, or the content of one, as in prompt messages.
func (d *Document) inList(c int32) bool {
	k := &d.containers[c]
	return k.element >= 0 || k.parent >= 0 && d.containers[k.parent].element >= 0
}

// join reads the border between block b and what is left of those before, of which a is the last. It returns the
// text that it read.
func (sc *scan) join(a, b int, left, between string, known map[foundIn]bool) string {
	right := sc.d.strings[b].Text
	right = strings.ToValidUTF8(right[:min(len(right), joinReach)], "")
	border := len(left)
	own := border - min(border, len(sc.d.strings[a].Text)) // where the last of the blocks before begins
	sc.str, sc.role = a, sc.d.strings[a].Role
	sc.spans = sc.spans[:0]
	text := left + between + right
	if len(text) > sc.budget {
		sc.cut = true
		return text
	}
	sc.budget -= len(text)
	sc.raw = view{text: text, label: ViewJoined}
	sc.begin(&sc.raw)
	sc.survey(text)
	sc.s.index.run(sc, text)
	for _, h := range sc.hits {
		crosses := h.start < border && h.end > border+len(between)
		// A match on one side may owe itself to the other: a turn here, its order there.
		alone := known[foundIn{a, h.det.name}] || known[foundIn{b, h.det.name}]
		if at := h.start - border - len(between); at >= 0 && h.det.maskable() && !alone {
			// A value here whose name is there: it can be masked where it is.
			known[foundIn{b, h.det.name}] = true
			sc.str, sc.path = b, ""
			if !sc.s.allowed(h.det, text[h.start:h.end], sc.pointer()) {
				sc.report(h, at, at+h.end-h.start)
			}
			continue
		}
		if !crosses && (alone || h.det.maskable() || h.start < own) || sc.reported(h.det, a) {
			continue
		}
		sev := sc.severity(h.det, false)
		if h.set {
			sev = h.sev
		}
		if h.det.maskable() {
			// It lies in two strings, so no splice can take it out.
			sev = Block
		}
		path := sc.d.Pointer(a)
		if sc.s.allowed(h.det, text[h.start:h.end], path) {
			continue
		}
		sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: sev, String: a,
			Tool: -1, Path: path, View: ViewJoined, Start: -1, End: -1, Length: h.end - h.start, HighEntropy: h.det.highEntropy})
	}
	return text
}

// reported reports whether the border after string a has a finding of this detector already.
func (sc *scan) reported(t *detector, a int) bool {
	for i := len(sc.rep.Findings) - 1; i >= 0; i-- {
		f := &sc.rep.Findings[i]
		if f.View != ViewJoined || f.String != a {
			return false
		}
		if f.Detector == t.name {
			return true
		}
	}
	return false
}
