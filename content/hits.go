package content

import (
	"cmp"
	"slices"
)

// hit is a match in the text of a view.
type hit struct {
	det        *detector
	start, end int
	set        bool // sev replaces the severity of the detector: the surroundings decided
	sev        Severity
}

// span is a finding of the current string in its raw text.
type span struct {
	det        *detector
	start, end int
	sev        Severity
}

// told counts the hits of a detector in the current view and remembers the last one.
type told struct{ count, last int }

// listed counts the findings of a detector in one string, over all its views.
type listed struct {
	count, last int      // how many, and the index of the last one
	worst       Severity // of them
}

// add records a match in the current view.
func (sc *scan) add(t *detector, start, end int) {
	sc.push(hit{det: t, start: start, end: end})
}

// review records a match whose severity the surroundings decide.
func (sc *scan) review(t *detector, start, end int, sev Severity) {
	sc.push(hit{det: t, start: start, end: end, set: true, sev: sev})
}

// maxTold is how many matches of one detector in one string are told apart. Where none of them is to be masked, the
// last one of a view stands for those that follow and reaches to the end of the text.
const maxTold = 32

// full reports whether no further match of t in this view can change the report: as many as are told apart
// are there, and the last of them is as bad as it gets. Looks that cost ask first, which keeps floods cheap.
func (sc *scan) full(t *detector) bool { return sc.enough(t, Block) }

// enough is full for a look that can find nothing worse than sev.
func (sc *scan) enough(t *detector, sev Severity) bool {
	f := &sc.told[t.id]
	return f.count > maxTold && sc.judged(&sc.hits[f.last]) >= sev || sc.listedEnough(t, sev)
}

// list returns how often a detector was reported in the current string.
func (sc *scan) list(t *detector) *listed {
	if sc.listedIn != sc.str {
		sc.listedIn = sc.str
		clear(sc.listed)
	}
	return &sc.listed[t.id]
}

// listedEnough reports whether one more finding of t, no worse than sev, would add nothing to the report of the
// current string.
func (sc *scan) listedEnough(t *detector, sev Severity) bool {
	l := sc.list(t)
	return l.count >= maxTold && l.worst >= sev
}

func (sc *scan) push(h hit) {
	if !h.det.maskable() {
		sc.dirty = true
		f := &sc.told[h.det.id]
		if f.count++; f.count > maxTold {
			last := &sc.hits[f.last]
			last.sev = max(sc.judged(last), sc.judged(&h))
			last.end, last.set = len(sc.text), true
			return
		}
		f.last = len(sc.hits)
	}
	sc.hits = append(sc.hits, h)
}

// judged returns the severity of a hit that is not to be masked.
func (sc *scan) judged(h *hit) Severity {
	if h.set {
		return h.sev
	}
	return h.det.severity[sc.side]
}

// flush turns the hits of the current view into findings: located in the raw text, once however many views
// show them, and judged by where they are.
func (sc *scan) flush() {
	if len(sc.hits) == 0 {
		return
	}
	sc.merged = inOrder(sc.hits, sc.merged)
	before := len(sc.spans)
	known := sc.spans[:before]
	var ofOthers, ofThis finder
	decoded := sc.v.label == ViewDecoded
	shown := 0 // end of what this view has shown
	for i, h := range sc.hits {
		if h.det.generic && sc.shaped(i) {
			continue
		}
		start, end := sc.v.origin(h.start, h.end)
		sev := sc.judge(&h)
		if before > 0 && ofOthers.covered(known, h.det, start, end) && !(decoded && sev == Block && sc.milder(known, h.det, start, end)) || start < shown && ofThis.covered(sc.spans[before:], h.det, start, end) {
			continue
		}
		shown = max(shown, end)
		if len(sc.s.allow) > 0 && sc.s.allowed(h.det, sc.text[h.start:h.end], sc.pointer()) {
			continue
		}
		sc.spans = append(sc.spans, span{h.det, start, end, sev})
		sc.report(h, start, end)
	}
	sc.order(before)
}

// hitOrder is by place, the longer of two first.
func hitOrder(a, b hit) int {
	if a.start != b.start {
		return a.start - b.start
	}
	return cmp.Or(b.end-a.end, a.det.id-b.det.id)
}

// maxStretches is how many sorted stretches of hits are merged; hits of more are sorted as any list is.
const maxStretches = 12

// inOrder sorts hits. Every family of detectors reads the text from its start, so they are a few sorted stretches, which are
// merged in merged. It returns that, grown.
func inOrder(hits, merged []hit) []hit {
	var ends [maxStretches]int
	n := 0
	for i := 1; i <= len(hits); i++ {
		if i < len(hits) && hitOrder(hits[i-1], hits[i]) <= 0 {
			continue
		}
		if n == len(ends) {
			slices.SortFunc(hits, hitOrder)
			return merged
		}
		ends[n] = i
		n++
	}
	if n <= 1 {
		return merged
	}
	// The first stretches are merged with each other before those that follow, so that one that is short and
	// comes last costs one pass.
	for k := 1; k < n; k++ {
		merged = mergeInOrder(merged[:0], hits[:ends[k-1]], hits[ends[k-1]:ends[k]], hitOrder)
		copy(hits, merged)
	}
	return merged
}

// mergeInOrder appends two sorted lists to out, in order; of equals those of a come first.
func mergeInOrder[T any](out, a, b []T, order func(T, T) int) []T {
	for len(a) > 0 && len(b) > 0 {
		if order(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// order sorts the spans of the current string, of which those up to before are sorted. The new ones mostly are,
// too, and mostly stand behind the others; few that do not are moved to their place.
func (sc *scan) order(before int) {
	s := sc.spans
	late := func(a, b span) int { return a.start - b.start }
	if len(s)-before > fewSpans {
		fresh := s[before:]
		if !slices.IsSortedFunc(fresh, late) {
			slices.SortFunc(fresh, late)
		}
		if before > 0 && s[before-1].start > fresh[0].start {
			sc.moved = mergeInOrder(sc.moved[:0], s[:before], fresh, late)
			copy(s, sc.moved)
		}
		return
	}
	for i := max(before, 1); i < len(s); i++ {
		if x := s[i]; x.start < s[i-1].start {
			j, _ := slices.BinarySearchFunc(s[:i], x.start+1, func(a span, at int) int { return a.start - at })
			copy(s[j+1:i+1], s[j:i])
			s[j] = x
		}
	}
}

// fewSpans is how many spans are moved one by one.
const fewSpans = 8

// shaped reports whether hit i overlaps one of a detector that knows the secret by its shape.
func (sc *scan) shaped(i int) bool {
	h := &sc.hits[i]
	known := func(o *hit) bool {
		return o.det != h.det && o.det.category == CategorySecret && !o.det.generic && o.start < h.end && h.start < o.end
	}
	for j := i + 1; j < len(sc.hits) && sc.hits[j].start < h.end; j++ {
		if known(&sc.hits[j]) {
			return true
		}
	}
	for j := i - 1; j >= 0 && i-j <= coverLook; j-- {
		if known(&sc.hits[j]) {
			return true
		}
	}
	return false
}

// coverLook is how many spans before a match are compared with it: matches of one detector do not nest deeper.
const coverLook = 16

// finder finds what overlaps a match among sorted spans, for matches that come in the order of their places, mostly: it
// goes on from where it was.
type finder struct{ at int }

// fewSteps is how many spans are gone over one by one before they are searched.
const fewSteps = 16

// covered reports whether the detector found something that overlaps start..end already.
func (f *finder) covered(spans []span, t *detector, start, end int) bool {
	i, steps := min(f.at, len(spans)), 0
	for ; i < len(spans) && spans[i].start < end && steps < fewSteps; steps++ {
		i++
	}
	for ; i > 0 && spans[i-1].start >= end && steps < fewSteps; steps++ {
		i--
	}
	if steps == fewSteps {
		i, _ = slices.BinarySearchFunc(spans, end, func(s span, e int) int { return cmp.Compare(s.start, e) })
	}
	f.at = i
	return overlaps(spans[:i], t, start)
}

// judge returns the severity of a hit where it stands.
func (sc *scan) judge(h *hit) Severity {
	if h.set {
		return h.sev
	}
	return sc.severity(h.det, sc.d.strings[sc.str].Key)
}

// milder reports whether all that a detector found in start..end before is a part of it, and less bad than what blocks: beside what
// is written backwards or in a cipher, and points at all of its text, something milder says nothing about it.
func (sc *scan) milder(spans []span, t *detector, start, end int) bool {
	if end-start < len(sc.raw.text)-len(sc.raw.text)/8 {
		return false
	}
	for _, s := range spans[max(0, len(spans)-coverLook):] {
		if s.det == t && s.start < end && s.end > start && (s.sev == Block || s.end-s.start >= (end-start)/2) {
			return false
		}
	}
	return len(spans) <= coverLook
}

// overlaps reports whether one of the last spans is of the detector, or of one that it yields to, and ends behind start.
func overlaps(spans []span, t *detector, start int) bool {
	for i := len(spans) - 1; i >= 0 && i >= len(spans)-coverLook; i-- {
		o := spans[i].det
		if (o == t || t.generic && o.category == CategorySecret) && spans[i].end > start {
			return true
		}
	}
	return false
}

// report appends the finding of a hit, unless the string has as many of its kind as are told apart: what is to be
// masked is then added to the last of them, and what is not, and no worse, tells nothing new.
func (sc *scan) report(h hit, start, end int) {
	s := &sc.d.strings[sc.str]
	sev, mask := sc.judge(&h), ""
	if h.det.maskable() && !s.Key {
		mask = h.det.mask
	}
	l := sc.list(h.det)
	if l.count >= maxTold && sev <= l.worst {
		if mask != "" {
			last := &sc.rep.Findings[l.last]
			last.Also = append(last.Also, Range{start, end})
		}
		return
	}
	l.count++
	l.last, l.worst = len(sc.rep.Findings), max(l.worst, sev)
	tool := sc.d.toolIndex(sc.str)
	switch {
	case sev < Block || mask != "":
	case tool < 0:
		sc.blocks = sc.d.refuses
	case sc.d.refusesTools:
		sc.fallen = tool + 1
	}
	sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: sev,
		String: sc.str, Tool: tool, Path: sc.pointer(), View: sc.v.label, Start: start, End: end,
		Length: h.end - h.start, Mask: mask, HighEntropy: h.det.highEntropy})
}

// pointer returns the pointer of the current string.
func (sc *scan) pointer() string {
	if sc.path == "" {
		sc.path = sc.pointers.of(sc.d, sc.str)
	}
	return sc.path
}

// severity judges a match of t by side and place. What can be masked in a response needs no verdict; what
// cannot, because it is in a key, does.
func (sc *scan) severity(t *detector, key bool) Severity {
	sev := t.severity[sc.side]
	if !t.maskable() {
		return sev
	}
	switch {
	case key && t.keyBlocks:
		return Block
	case key:
		return max(sev, Review)
	case sc.side == SideResponse:
		return Note
	}
	return sev
}
