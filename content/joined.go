package content

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// joinReach is how much of each of two adjacent blocks is read together, in bytes: whatever a detector looks
// for is shorter than that, or begins on one side and is told by what stands there.
const joinReach = 512

// shortReach is how much of what stands before a border is read, in bytes, where the block there is shorter and what
// came before it counts as well.
const shortReach = 96

// joined reads the borders between adjacent text blocks of one result, both with nothing and with a line break
// between them, since clients do either. Only what crosses a border is new. Blocks are read together in groups, so that
// many short ones cost no more than one text of their length; what stands before a group is read with it. Where clients show a
// model only some of the blocks, those are read once more without the others.
func (sc *scan) joined() {
	blocks := sc.shownBlocks()
	g := blockGroup{}
	sc.join(&g, blocks)
	for _, left := range [...]audience{shownToNobody, shownToUser} {
		all := len(blocks)
		if blocks = slices.DeleteFunc(blocks, func(b shownBlock) bool { return b.to == left }); len(blocks) < all {
			sc.join(&g, blocks)
		}
	}
}

// join reads the borders between blocks. What is told of them already is not told again.
func (sc *scan) join(g *blockGroup, blocks []shownBlock) {
	if len(blocks) < 2 {
		return
	}
	g.begin(blocks[0].str, sc.d.strings[blocks[0].str].Text)
	for _, b := range blocks[1:] {
		text := sc.d.strings[b.str].Text
		g.blocks = append(g.blocks, b.str)
		if g.size += len(text) + 1; g.size >= groupReach || len(text) > maxWhole {
			sc.borders(g)
		}
	}
	if len(g.blocks) > 0 {
		sc.borders(g)
	}
}

const (
	groupReach = 1024          // how long blocks are together that are read in one text, in bytes, but for the last of them
	maxWhole   = 2 * joinReach // the longest block that is read whole: of others, the ends are
)

// blockGroup is adjacent blocks whose borders are read together.
type blockGroup struct {
	before int                 // the block before them
	left   [len(joints)]string // what stands before them, by what is put between blocks
	blocks []int
	size   int       // of them, in bytes, nearly
	starts []int     // where each of them begins in the text that is read
	found  []foundAt // the keywords in it
	known  map[foundIn]bool
	told   map[foundIn]Severity // the worst finding over each border, by the block before
	over   []overBorder
}

// overBorder is a finding that lies over a border, or is there because of it, and the block before.
type overBorder struct {
	block, length int
	det           *detector
	sev           Severity
	path          string
}

// begin makes string i the block before the next.
func (g *blockGroup) begin(i int, text string) {
	g.before, g.blocks, g.size, g.over = i, g.blocks[:0], 0, g.over[:0]
	for k := range joints {
		g.left[k] = blockTail(text)
	}
}

// string returns the string of block n of a group, of which the one before the group is -1.
func (g *blockGroup) string(n int) int {
	if n < 0 {
		return g.before
	}
	return g.blocks[n]
}

// at returns the block that byte i of the text is in; what stands between two belongs to the first.
func (g *blockGroup) at(i int) int {
	n, found := slices.BinarySearch(g.starts, i)
	if found {
		return n
	}
	return n - 1
}

// blockTail returns the end of a text, as much of it as is read together with the next block.
func blockTail(text string) string {
	return strings.ToValidUTF8(text[max(0, len(text)-joinReach):], "")
}

// blockHead returns the beginning of a text, as much of it as is read together with the block before.
func blockHead(text string) string {
	if len(text) <= maxWhole {
		return text
	}
	return strings.ToValidUTF8(text[:joinReach], "")
}

// borders reads a group, where there is anything to find in it, and makes its last block the one before the next.
func (sc *scan) borders(g *blockGroup) {
	last := g.blocks[len(g.blocks)-1]
	tail := blockTail(sc.d.strings[last].Text)
	var left [len(joints)]string
	for k, between := range joints {
		text := sc.groupText(g, k, between)
		if sc.s.index.any(text) || numbered(text) {
			sc.group(g, text, len(g.left[k]), len(between))
		}
		if left[k] = tail; len(tail) < shortReach {
			left[k] = shortTail(text)
		}
	}
	// A finding is the same with either between the blocks, and in every reading of them, unless it is worse.
	slices.SortStableFunc(g.over, func(a, b overBorder) int { return a.block - b.block })
	for _, o := range g.over {
		a := g.string(o.block)
		if sev, told := g.told[foundIn{a, o.det.name}]; !told || sev < o.sev {
			if g.told == nil {
				g.told = map[foundIn]Severity{}
			}
			g.told[foundIn{a, o.det.name}] = o.sev
			sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: o.det.name, Category: o.det.category, Severity: o.sev, String: a,
				Tool: -1, Path: o.path, View: ViewJoined, Start: -1, End: -1, Length: o.length, HighEntropy: o.det.highEntropy})
		}
	}
	g.before, g.left, g.blocks, g.size, g.over = last, left, g.blocks[:0], 0, g.over[:0]
}

// groupText puts a group together behind what stands before it, and notes where its blocks begin.
func (sc *scan) groupText(g *blockGroup, k int, between string) string {
	all := append(sc.long[:0], g.left[k]...)
	g.starts = g.starts[:0]
	for _, i := range g.blocks {
		all = append(all, between...)
		g.starts = append(g.starts, len(all))
		all = append(all, blockHead(sc.d.strings[i].Text)...)
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

// inList reports whether a block is an element of a list, or the content of one, as in prompt messages, or a resource in either.
func (d *Document) inList(c int32) bool {
	for range 3 {
		if c < 0 || d.containers[c].element >= 0 {
			break
		}
		c = d.containers[c].parent
	}
	return c >= 0 && d.containers[c].element >= 0
}

// group reads the text of a group, in which left bytes stand before it and gap bytes between two blocks.
func (sc *scan) group(g *blockGroup, text string, left, gap int) {
	if len(text) > sc.budget {
		sc.cut++
		return
	}
	sc.budget -= len(text)
	sc.str, sc.role = g.before, sc.d.strings[g.before].Role
	sc.spans = sc.spans[:0]
	sc.raw = view{text: text, label: ViewJoined}
	sc.begin(&sc.raw)
	sc.survey(text)
	g.found = g.found[:0]
	sc.s.index.walk(text, func(w *keyword, at int) bool {
		if w.user == 0 {
			g.found = append(g.found, foundAt{w, at})
			w.look(sc, at)
		}
		return true
	})
	sc.overBorders(g, text, left, 0, -1)
	if gap > 0 {
		return
	}
	// Where the next block goes on in the same word, what ends with a block is read without it.
	first := 0
	for n := range len(g.blocks) - 1 {
		lo, hi := max(0, g.starts[n]-shortReach), g.starts[n+1]
		if g.starts[n] == hi || hi == len(text) || !glue[text[hi-1]] || !glue[text[hi]] {
			// A block of nothing, or with nothing behind it, or no word goes on.
			continue
		}
		if before := g.starts[max(0, n-1)]; n > 0 && g.starts[n]-before >= shortReach {
			lo = before
		}
		for !utf8.RuneStart(text[lo]) {
			lo++
		}
		part := text[lo:hi]
		if len(part) > sc.budget {
			sc.cut++
			return
		}
		sc.budget -= len(part)
		sc.raw = view{text: part, label: ViewJoined}
		sc.begin(&sc.raw)
		if numbered(part) {
			sc.survey(part)
		}
		for first < len(g.found) && g.found[first].at < lo {
			first++
		}
		for _, f := range g.found[first:] {
			if f.at >= hi {
				break
			}
			if f.at+len(f.word.text) <= hi {
				f.word.look(sc, f.at-lo)
			}
		}
		sc.overBorders(g, text, left, lo, n-1)
	}
}

// foundAt is a keyword and where it stands.
type foundAt struct {
	word *keyword
	at   int
}

// glue are the bytes that words and tokens are made of.
var glue = func() *charset {
	set := *newCharset(lowerLetters + upperLetters + digitChars + "_-+/=.@%")
	for c := utf8.RuneSelf; c < len(set); c++ {
		set[c] = true
	}
	return &set
}()

// overBorders judges the hits of a part of a group's text that begins at byte lo. Those inside a block before the first were
// judged before.
func (sc *scan) overBorders(g *blockGroup, text string, left, lo, first int) {
	if len(sc.hits) == 0 {
		return
	}
	if g.known == nil {
		g.known = sc.knownFinds()
	}
	own := left - min(left, len(sc.d.strings[g.before].Text)) // where the block before begins
	for _, h := range sc.hits {
		h.start, h.end = h.start+lo, h.end+lo
		from, to := g.at(h.start), g.at(h.end-1)
		end := left
		if from >= 0 {
			end = g.starts[from] + len(blockHead(sc.d.strings[g.blocks[from]].Text))
		}
		block := to - 1 // before the border that the hit lies over
		if from == to || h.start >= end {
			// In one block, owing itself to another: a turn here, its order there.
			if from < first || h.start < own {
				continue
			}
			var masked bool
			if block, masked = sc.inBlock(g, &h, text, from); masked || block < -1 {
				continue
			}
		}
		sev := sc.severity(h.det, false)
		if h.set {
			sev = h.sev
		}
		if h.det.maskable() {
			// It lies in two strings, so no splice can take it out.
			sev = Block
		}
		path := sc.pointers.of(sc.d, g.string(block))
		if !sc.s.allowed(h.det, text[h.start:h.end], path) {
			g.over = append(g.over, overBorder{block, h.end - h.start, h.det, sev, path})
		}
	}
}

// inBlock judges a hit in block n, which only the text of a group has. It masks a value whose name stands in a block before;
// otherwise it returns the block before the border that the hit is there for, less than -1 for none.
func (sc *scan) inBlock(g *blockGroup, h *hit, text string, n int) (block int, masked bool) {
	known := func(n int) bool { return n >= len(g.blocks) || g.known[foundIn{g.string(n), h.det.name}] }
	before := n < 0 || known(n-1)
	switch {
	case known(n):
		return -2, false
	case h.det.maskable():
		if before {
			return -2, false
		}
		i := g.blocks[n]
		g.known[foundIn{i, h.det.name}] = true
		str := sc.str
		sc.str, sc.path = i, ""
		if !sc.s.allowed(h.det, text[h.start:h.end], sc.pointer()) {
			sc.report(*h, h.start-g.starts[n], h.end-g.starts[n])
		}
		sc.str = str
		return 0, true
	case !known(n + 1):
		return n, false
	case !before:
		return n - 1, false
	}
	return -2, false
}
