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
// ends of several blocks, when they are short. One look over a few of those tells whether there is anything to read.
func (sc *scan) joined() {
	g := blockGroup{before: -1}
	for i := range sc.d.strings {
		s := &sc.d.strings[i]
		if s.Key || s.Host >= 0 || !sc.isBlockText(s) {
			continue
		}
		if g.before < 0 {
			for k := range joints {
				g.left[k] = blockTail(s.Text)
			}
			g.before = i
			continue
		}
		g.blocks = append(g.blocks, i)
		if g.size += len(s.Text) + 1; g.size >= groupReach {
			sc.borders(&g)
		}
	}
	if len(g.blocks) > 0 {
		sc.borders(&g)
	}
}

// groupReach is how long blocks are together whose borders one look is taken at, in bytes.
const groupReach = 256

// blockGroup is adjacent blocks whose borders are looked at together: one, or short ones.
type blockGroup struct {
	before int                 // the block before them, -1 for none
	left   [len(joints)]string // what stands before them, by what is put between blocks
	blocks []int
	size   int // of them, in bytes, nearly
	known  map[foundIn]bool
}

// blockTail returns the end of a text, as much of it as is read together with the next block.
func blockTail(text string) string {
	return strings.ToValidUTF8(text[max(0, len(text)-joinReach):], "")
}

// blockHead returns the beginning of a text, as much of it as is read together with the block before.
func blockHead(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), joinReach)], "")
}

// borders reads the borders of a group, where there is anything to find, and makes its last block the one before the next.
func (sc *scan) borders(g *blockGroup) {
	var read, words [len(joints)]bool
	for k, between := range joints {
		text := sc.groupText(g, k, between)
		words[k] = sc.s.index.any(text)
		if read[k] = words[k] || numbered(text); read[k] {
			continue
		}
		// Nothing stands here, so nothing stands in any part of it.
		if g.left[k] = blockTail(sc.d.strings[g.blocks[len(g.blocks)-1]].Text); len(g.left[k]) < shortReach {
			g.left[k] = shortTail(text)
		}
	}
	if g.known == nil && (read[0] || read[1]) {
		g.known = sc.knownFinds()
	}
	for _, b := range g.blocks {
		for k, between := range joints {
			if !read[k] {
				continue
			}
			text := sc.join(g.before, b, g.left[k], between, words[k], g.known)
			if g.left[k] = blockTail(sc.d.strings[b].Text); len(g.left[k]) < shortReach {
				g.left[k] = shortTail(text)
			}
		}
		g.before = b
	}
	g.blocks, g.size = g.blocks[:0], 0
}

// groupText puts a group together behind what stands before it.
func (sc *scan) groupText(g *blockGroup, k int, between string) string {
	all := append(sc.long[:0], g.left[k]...)
	for _, i := range g.blocks {
		all = append(append(all, between...), blockHead(sc.d.strings[i].Text)...)
	}
	sc.long = all
	return string(all)
}

// shortTail returns the end of a text that short blocks were put together to.
func shortTail(text string) string {
	return strings.ToValidUTF8(text[max(0, len(text)-shortReach):], "")
}

// numbered reports whether a text has what the survey looks for without a word that opens a look: digits in a row, and what
// control tokens begin with.
func numbered(text string) bool {
	for i := 0; i < len(text); i++ {
		if isDigit(text[i]) || text[i] == '<' {
			return true
		}
	}
	return false
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

// join reads the border between block b and what is left of those before, of which a is the last, for words only where there
// are any. It returns the text that it read.
func (sc *scan) join(a, b int, left, between string, words bool, known map[foundIn]bool) string {
	right := blockHead(sc.d.strings[b].Text)
	border := len(left)
	own := border - min(border, len(sc.d.strings[a].Text)) // where the last of the blocks before begins
	sc.str, sc.role = a, sc.d.strings[a].Role
	sc.spans = sc.spans[:0]
	sc.long = append(append(append(sc.long[:0], left...), between...), right...)
	text := string(sc.long)
	if len(text) > sc.budget {
		sc.cut = true
		return text
	}
	sc.budget -= len(text)
	sc.raw = view{text: text, label: ViewJoined}
	sc.begin(&sc.raw)
	sc.survey(text)
	if words {
		sc.s.index.run(sc, text)
	}
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
