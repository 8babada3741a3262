package content

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Views are bounded together: at most viewFactor times the payload, but small payloads may unfold a little more.
const (
	viewFactor = 4
	viewFloor  = 64 << 10
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
}

// scan is the state of one Scan call.
type scan struct {
	scanRoom

	ctx  context.Context //nolint:containedctx // of the one Scan call that this is the state of
	s    *Scanner
	d    *Document
	side Side
	rep  Report

	budget int // bytes of views that may still be produced
	cut    bool

	str  int
	role Role
	raw  view
	v    *view
	text string

	credential    credential // what the member name credentialKey announces
	credentialKey int
	pair          credential // what the name announces in container pairIn, whose value is another member
	pairIn        int32
	pairs         []int     // values whose name came after them
	idKinds       []*idKind // that the member name idKey announces
	idKey         int
	phones        int // calls of the phone library so far
	ciphers       ciphered
	marked, utf7  bool    // the current view has words that markup cuts; shifts of UTF-7
	uu            []Range // lines of uuencode in the current view

	reached         // in the current view
	dirty    bool   // told or bodies are not empty
	path     string // pointer of the current string, "" until needed
	listedIn int    // the string that listed is about
}

// told counts the hits of a detector in the current view and remembers the last one.
type told struct{ count, last int }

// listed counts the findings of a detector in one string, over all its views.
type listed struct {
	count, last int      // how many, and the index of the last one
	worst       Severity // of them
}

// Scan looks at every string of the document, and at what it hides, with every detector. side must be the
// side that Assign was given. It returns an error only when ctx ends or a detector fails.
func (s *Scanner) Scan(ctx context.Context, d *Document, side Side) (Report, error) {
	sc := newScan(ctx, s, d, side)
	defer sc.release()
	since := 0
	for i := range d.strings {
		// A string is the unit of work between looks at the context; short ones are counted together.
		if since += len(d.strings[i].Text) + 16; since > 32<<10 {
			since = 0
			if err := ctx.Err(); err != nil {
				return Report{}, fmt.Errorf("scan payload: %w", err)
			}
		}
		sc.string(i)
	}
	sc.pairsBefore()
	sc.keysInPieces()
	sc.numbers()
	sc.joined()
	sc.echoes()
	if err := ctx.Err(); err != nil {
		return Report{}, fmt.Errorf("scan payload: %w", err)
	}
	if sc.cut {
		sc.rep.Coverage.Partial = true
		sc.rep.Coverage.Reason = "incomplete-decode"
	}
	return sc.rep, nil
}

// string scans string i in all its views.
func (sc *scan) string(i int) {
	s := &sc.d.strings[i]
	if s.Host < 0 {
		sc.rep.Coverage.TotalBytes += len(s.Text)
	}
	if s.open {
		// Everything in it is in the strings of the embedded document.
		sc.rep.Coverage.ScannedBytes += len(s.Text)
		return
	}
	if len(s.Text) < minFound && sc.nothingIn(s) {
		if s.Host < 0 {
			sc.rep.Coverage.ScannedBytes += len(s.Text)
		}
		return
	}
	sc.str, sc.role = i, s.Role
	sc.spans, sc.path = sc.spans[:0], ""
	sc.raw = view{text: s.Text, label: ViewRaw}
	raw := &sc.raw
	sc.queue = append(sc.queue[:0], raw)
	sc.views.used = 0
	sc.trails.forget()
	sc.barren.next()
	if s.Role == RoleBlob && !s.Key {
		if !sc.blob(raw) {
			return
		}
	}
	if s.Host < 0 {
		sc.rep.Coverage.ScannedBytes += len(s.Text)
	}
	for n := 0; n < len(sc.queue) && !sc.late(len(sc.queue[n].text)); n++ {
		v := sc.queue[n]
		if n > 0 && len(v.text) < minFound && sc.plainShort(v.text) {
			continue
		}
		known, queued := sc.barren.place(v, n), len(sc.queue)
		if known != nil && known.round == sc.barren.round && known.text == v.text {
			continue
		}
		sc.read(v)
		if known != nil && len(sc.hits) == 0 && len(sc.queue) == queued {
			known.text, known.round = v.text, sc.barren.round
		}
		if n == 0 && !s.Key && s.name >= 0 {
			sc.member(s, raw)
		}
	}
}

// minFound is the shortest text that anything but a keyword can be found in, in bytes: a@b.co.
const minFound = 6

// nothingIn reports whether a string shorter than that has nothing in it, which is plain where most bodies are made of
// such strings: printed ASCII, no escape, and no word that a detector looks for.
func (sc *scan) nothingIn(s *String) bool {
	return !(s.Role == RoleBlob && !s.Key) && sc.plainShort(s.Text)
}

// plainShort is nothingIn for the text of any view.
func (sc *scan) plainShort(text string) bool {
	if sc.s.ungated {
		return false
	}
	var seen uint8
	for i := 0; i < len(text); i++ {
		seen |= byteClass[text[i]]
	}
	return seen&(classControl|classHigh|classEscape) == 0 && !sc.s.index.any(text)
}

// begin makes v the current view and forgets what was remembered about the one before.
func (sc *scan) begin(v *view) {
	sc.v, sc.text = v, v.text
	sc.hits, sc.runs, sc.even, sc.evenCards = sc.hits[:0], sc.runs[:0], sc.even[:0], sc.evenCards[:0]
	sc.reached = reached{}
	sc.poison.reset()
	sc.quotes.reset(0)
	sc.near.reset(0)
	sc.hiddenWords.reset(0)
	sc.marked, sc.utf7, sc.uu = false, false, sc.uu[:0]
	if sc.ciphers.count > 0 {
		sc.ciphers = ciphered{}
	}
	if sc.dirty {
		sc.dirty = false
		clear(sc.told)
		clear(sc.bodies)
	}
}

// read runs the detectors over one view and queues the views that it gives rise to.
func (sc *scan) read(v *view) {
	sc.begin(v)
	f := sc.survey(v.text)
	sc.s.index.run(sc, v.text)
	if sc.late(len(v.text)) {
		return
	}
	sc.emails()
	if f.has(hasDigits) {
		sc.digits()
		sc.internationals()
	}
	if f.has(hasControl | hasNonASCII) {
		sc.hidden()
	}
	for i := range sc.s.user {
		if u := &sc.s.user[i]; sc.opened[i] || !u.gated {
			sc.opened[i] = false
			sc.userMatches(u)
		}
	}
	if sc.late(len(v.text)) {
		return
	}
	sc.flush()
	sc.derive(v, f)
}

// lateFrom is the length of a text from which a scan looks at its context within it, in bytes.
const lateFrom = 64 << 10

// late reports whether the context has ended, for a text of n bytes that is long enough to be worth the look. What
// is left of the scan is then given up; Scan returns the context's error.
func (sc *scan) late(n int) bool { return n >= lateFrom && sc.ctx.Err() != nil }

// open marks user detector i as worth running on the current view.
func (sc *scan) open(i int) { sc.opened[i] = true }

func (sc *scan) userMatches(u *userDetector) {
	if u.side == "request" && sc.side != SideRequest || u.side == "response" && sc.side != SideResponse {
		return
	}
	if u.roles != nil && !u.roles[sc.role] || len(u.views) > 0 && !slices.Contains(u.views, sc.v.label) {
		return
	}
	for _, m := range u.re.FindAllStringSubmatchIndex(sc.text, -1) {
		lo, hi := m[2*u.group], m[2*u.group+1]
		if lo < 0 || hi <= lo || u.validate != nil && !u.validate(sc.text[lo:hi]) {
			continue
		}
		sc.add(u.detector, lo, hi)
	}
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
func (sc *scan) full(t *detector) bool {
	f := &sc.told[t.id]
	return f.count > maxTold && sc.judged(&sc.hits[f.last]) == Block || sc.listedEnough(t, Block)
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
	shown := 0 // end of what this view has shown
	for i, h := range sc.hits {
		if h.det.generic && sc.shaped(i) {
			continue
		}
		start, end := sc.v.origin(h.start, h.end)
		if before > 0 && ofOthers.covered(known, h.det, start, end) || start < shown && ofThis.covered(sc.spans[before:], h.det, start, end) {
			continue
		}
		shown = max(shown, end)
		if len(sc.s.allow) > 0 && sc.s.allowed(h.det, sc.text[h.start:h.end], sc.pointer()) {
			continue
		}
		sc.spans = append(sc.spans, span{h.det, start, end})
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
		merged = mergeHits(merged[:0], hits[:ends[k-1]], hits[ends[k-1]:ends[k]])
		copy(hits, merged)
	}
	return merged
}

// mergeHits appends two sorted lists to out, in order.
func mergeHits(out, a, b []hit) []hit {
	for len(a) > 0 && len(b) > 0 {
		if hitOrder(a[0], b[0]) <= 0 {
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
			sc.moved = mergeSpans(sc.moved[:0], s[:before], fresh)
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

// mergeSpans appends two sorted lists to out, in order.
func mergeSpans(out, a, b []span) []span {
	for len(a) > 0 && len(b) > 0 {
		if a[0].start <= b[0].start {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
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
	sev, mask := sc.severity(h.det, s.Key), ""
	if h.set {
		sev = h.sev
	}
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
	sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: h.det.name, Category: h.det.category, Severity: sev,
		String: sc.str, Tool: sc.d.toolIndex(sc.str), Path: sc.pointer(), View: sc.v.label, Start: start, End: end,
		Length: h.end - h.start, Mask: mask, HighEntropy: h.det.highEntropy})
}

// pointer returns the pointer of the current string.
func (sc *scan) pointer() string {
	if sc.path == "" {
		sc.path = sc.d.Pointer(sc.str)
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

// numbers judges the JSON numbers whose member name says that they are personal data. They cannot be masked
// without changing their type, so they block.
func (sc *scan) numbers() {
	for _, n := range sc.d.numbers {
		key := &sc.d.strings[n.name]
		src := sc.d.raw
		if key.Host >= 0 {
			src = sc.d.strings[key.Host].Text
		}
		text := src[n.start:n.end]
		t := numberDetector(key.Text, text)
		if t == nil {
			continue
		}
		path := sc.d.Pointer(int(n.name))
		if sc.s.allowed(t, text, path) {
			continue
		}
		sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: t.name, Category: t.category, Severity: Block,
			String: int(n.name), Tool: sc.d.toolIndex(int(n.name)), Path: path, View: ViewNumber, Start: -1, End: -1, Length: len(text)})
	}
}
