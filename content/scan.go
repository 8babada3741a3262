package content

import (
	"context"
	"fmt"
	"slices"
)

// Views are bounded together: at most viewFactor times the payload, but small payloads may unfold a little more.
const (
	viewFactor = 4
	viewFloor  = 64 << 10
	viewReach  = 1 << 10 // of what did not change, a view of a long text has as much on both sides of what did
)

// scan is the state of one Scan call.
type scan struct {
	scanRoom

	ctx  context.Context //nolint:containedctx // of the one Scan call that this is the state of
	s    *Scanner
	d    *Document
	side Side
	rep  Report

	budget int  // bytes of views that may still be produced
	cut    int  // how often something was left undecoded
	inVain int  // bytes of lines that were decoded together and came to nothing
	packed int  // bytes of compressed streams that were read
	blocks bool // the message is refused for a finding in it
	fallen int  // one more than the last tool that is refused for one in it, 0 for none

	str  int
	role Role
	raw  view
	// The current string is a blob whose bytes were made views, so that nothing is left to undo in it as it stands.
	unfolded bool
	v        *view
	text     string

	credential    credential // what the member name credentialKey announces
	credentialKey int
	passwords     int        // one more than the member name that announces passwords, 0 for none
	taking        credential // what the option announces before element takenBy
	takenBy       int
	pair          credential // what the name announces in container pairIn, whose value is another member
	pairIn        int32
	pairs         []int     // values whose name came after them
	idKinds       []*idKind // that the member name idKey announces
	idKey         int
	passportKey   int // one more than the member name that announces the number of a passport
	phones        int // calls of the phone library so far
	ciphers       ciphered
	marked, utf7  bool    // the current view has words that markup cuts; shifts of UTF-7
	angled        bool    // it has a < that a tag may begin with
	uu            []Range // lines of uuencode in the current view
	dumps         []Range // of bytes in hexadecimal, in the current view

	reached  // in the current view
	surveyed surveyed
	dirty    bool   // told or bodies are not empty
	path     string // pointer of the current string, "" until needed
	listedIn int    // the string that listed is about
}

// Scan looks at every string of the document, and at what it hides, with every detector. side must be the
// side that Assign was given. It returns an error only when ctx ends or a detector fails.
func (s *Scanner) Scan(ctx context.Context, d *Document, side Side) (Report, error) {
	sc := newScan(ctx, s, d, side)
	r, err := sc.all()
	sc.release() // not deferred: a scan that panics leaves its room in any state
	return r, err
}

// all scans the document.
func (sc *scan) all() (Report, error) {
	ctx, d := sc.ctx, sc.d
	sc.trails.reach = viewReach
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
	if sc.blocks && sc.refused() {
		sc.rep.Coverage.Partial, sc.rep.Coverage.Reason = true, "refused"
		return sc.result(), nil
	}
	sc.pairsBefore()
	sc.keysInPieces()
	sc.numbers()
	sc.elements()
	sc.joined()
	sc.ordersOverStrings()
	sc.echoes()
	if err := ctx.Err(); err != nil {
		return Report{}, fmt.Errorf("scan payload: %w", err)
	}
	if sc.cut > 0 {
		sc.rep.Coverage.Partial = true
		sc.rep.Coverage.Reason = "incomplete-decode"
	}
	return sc.result(), nil
}

// result returns the report, whose findings are in the room of the scan until then.
func (sc *scan) result() Report {
	r := sc.rep
	r.Findings = append([]Finding(nil), r.Findings...)
	return r
}

// string scans string i in all its views.
func (sc *scan) string(i int) {
	s := &sc.d.strings[i]
	if s.Host < 0 {
		sc.rep.Coverage.TotalBytes += len(s.Text)
	}
	if sc.str = i; sc.refused() {
		return
	}
	if s.open {
		// Everything in it is in the strings of the embedded document.
		sc.rep.Coverage.ScannedBytes += len(s.Text)
		return
	}
	nothing, taken, listed := sc.nothingIn(s), i > 0 && sc.takenBy == i, sc.passwordElement(s)
	if nothing && (len(s.Text) < minFound || s.Key || s.name < 0 && !taken && !listed) {
		if s.Host < 0 {
			sc.rep.Coverage.ScannedBytes += len(s.Text)
		}
		return
	}
	sc.role = s.Role
	sc.spans, sc.path = sc.spans[:0], ""
	raw := sc.first(s.Text)
	sc.barren.next()
	sc.decoded.next()
	if sc.unfolded = false; s.Role == RoleBlob && !s.Key {
		if !sc.blob(raw) {
			return
		}
	}
	if s.Host < 0 {
		sc.rep.Coverage.ScannedBytes += len(s.Text)
	}
	for n := 0; n < len(sc.queue) && !sc.late(len(sc.queue[n].text)) && !sc.refused(); n++ {
		v := sc.queue[n]
		if n > 0 && len(v.text) < minFound && sc.plainShort(v.text) {
			continue
		}
		known, queued, cut := sc.barren.place(v, n), len(sc.queue), sc.cut
		if known != nil && known.round == sc.barren.round && known.text == v.text {
			continue
		}
		if nothing && n == 0 {
			sc.begin(v)
		} else {
			sc.read(v)
		}
		if known != nil && len(sc.hits) == 0 && len(sc.queue) == queued && sc.cut == cut {
			known.text, known.round = v.text, sc.barren.round
		}
		switch {
		case n > 0 || s.Key:
		case s.name >= 0:
			sc.member(s, raw)
		case taken:
			sc.taken(s, raw)
		case listed:
			sc.element(s, raw)
		}
	}
}

// first makes a text the raw view of the current string, and forgets the views of the one before.
func (sc *scan) first(text string) *view {
	sc.raw = view{text: text, label: ViewRaw}
	sc.queue, sc.rewritten = append(sc.queue[:0], &sc.raw), sc.rewritten[:0]
	sc.views.used, sc.found, sc.places = 0, sc.found[:0], sc.places[:0]
	sc.trails.forget()
	sc.tape.next()
	return &sc.raw
}

// minFound is the shortest text that anything but a keyword can be found in, in bytes: a@b.co.
const minFound = 6

// nothingIn reports whether a string has nothing in it, unless its name or the option before it makes something of it. Most
// bodies are made of such strings: of less than the shortest text, of a few words, none of which a detector looks for, and times and
// identifiers.
func (sc *scan) nothingIn(s *String) bool {
	switch {
	case s.Role == RoleBlob && !s.Key:
		return false
	case len(s.Text) < minFound:
		return sc.plainShort(s.Text)
	case len(s.Text) < minRun && sc.plainWords(s.Text):
		return true
	}
	return sc.stamped(s.Text)
}

// plainWords reports whether a text shorter than a run is letters, a few digits and blanks: too few digits for any number, too
// few blanks for letters that are set apart, no digits that stand for letters, and no word that a detector looks for.
func (sc *scan) plainWords(text string) bool {
	blanks, digits, mixed := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isLetter(c):
		case isDigit(c) && digits < minNumber-1:
			digits++
			mixed = mixed || i > 0 && isLetter(text[i-1]) || i+1 < len(text) && isLetter(text[i+1])
		case c == ' ' && blanks < minSpaced-2:
			blanks++
		default:
			return false
		}
	}
	if mixed && (blanks > 0 || leetWord(text) != "") {
		return false
	}
	return !sc.s.ungated && !sc.s.index.any(text)
}

// plainShort reports it of the text of any view that is shorter than minFound: it is printed ASCII, has no escape, and no word
// that a detector looks for.
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
	tape := sc.tape.of(v.text)
	sc.poison.tape, sc.near.tape, sc.hiddenWords.tape = tape, tape, tape
	sc.poison.reset()
	sc.quotes.reset(0)
	sc.near.reset(0)
	sc.hiddenWords.reset(0)
	sc.marked, sc.utf7, sc.angled, sc.uu, sc.dumps = false, false, false, sc.uu[:0], sc.dumps[:0]
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
	sc.keywords(v, f)
	if sc.late(len(v.text)) {
		return
	}
	sc.emails()
	if v.label != ViewCollapsed {
		sc.seeds()
	}
	if f.has(hasDigits) {
		sc.digits()
		sc.internationals()
	}
	if f.has(hasControl | hasUnseen) {
		sc.hidden(f.has(hasControl))
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
	if !sc.refused() {
		sc.derive(v, f)
	}
}

// manyFindings is how many findings are told of a message that is to be refused, or has a tool that is. A line of the trail holds
// no more.
const manyFindings = 64

// refused reports whether the message, or the tool of a list that the current string is in, has been found to be one that nothing
// can make pass, with as many findings as are told. The rest of it is left unread: what stands there cannot change what becomes
// of it.
func (sc *scan) refused() bool {
	return len(sc.rep.Findings) >= manyFindings && (sc.blocks || sc.fallen > 0 && sc.fallen == sc.d.toolIndex(sc.str)+1)
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
		path := sc.pointers.of(sc.d, int(n.name))
		if sc.s.allowed(t, text, path) {
			continue
		}
		sc.rep.Findings = append(sc.rep.Findings, Finding{Detector: t.name, Category: t.category, Severity: Block,
			String: int(n.name), Tool: sc.d.toolIndex(int(n.name)), Path: path, View: ViewNumber, Start: -1, End: -1, Length: len(text)})
	}
}
