package content

import (
	"bytes"
	"context"
	"sync"
)

// scanRoom is the memory that a scan works in. It is used again by later ones: hostile texts need much of it, for a moment.
type scanRoom struct {
	hits, merged []hit
	spans, moved []span
	opened       []bool
	queue        []*view
	views        room[view] // of the views of the current string
	found        []foundAt  // the keywords of these views
	places       []uint32   // where keywords may begin in the raw text
	rewritten    []*view    // the long ones among them that steps made
	trails       trailRoom  // of these views
	barren       barren
	decoded      decodedRuns
	runs         []run
	wordRows     []run // of words that a phrase of a wallet may be made of, in the current view
	numerous     []run // where enough digits for a number may be, in the current view
	even         []evenWords
	groups       []group
	seedRoom     []seedWord
	evenCards    []group    // numbers of cards among words of one length, in the current view
	rows         [3]numeral // of numbers that may be those of characters
	bodies       []int      // end of the last run of a set in the current view, by its number
	told         []told     // by detector
	listed       []listed   // by detector, of string listedIn
	poison       placed     // the words of poisoned definitions in the current view
	quotes       quoteMemo
	near         nearMemo // the words of overrides in the current view
	around       near     // those of them around a verb
	tape         wordTape // what these three read in it
	hiddenWords  wordMemo // those that tell whether a hidden text is meant for a machine

	findings []Finding // all that are reported
	pointers pointers  // of the strings that they are in
	streams  streams
	head     [sniffRun]byte // the beginning of a run that is decoded
	long     []byte         // a long text while it is made
	begun    []int          // the strings that begin an order
	parts    []part         // the strings that are read together with one of them
	shown    []shownBlock   // the texts of blocks
	facts    []blockFact    // by container
	glued    []byte         // the body of a token that is written in pieces
	plain    []byte         // what the runs of a view were decoded to, and which they are
	folds    []folded
}

// scans keeps the rooms of scans that are over. A pool and no actor: it is memory, and nobody waits for it.
var scans sync.Pool

// newScan returns the state of a look at d.
func newScan(ctx context.Context, s *Scanner, d *Document, side Side) *scan {
	sc, ok := scans.Get().(*scan)
	if !ok {
		sc = &scan{}
	}
	sc.ctx, sc.s, sc.d, sc.side = ctx, s, d, side
	sc.budget = max(viewFactor*len(d.body), viewFloor)
	sc.rep.Findings = sc.findings
	sc.listedIn, sc.dirty = -1, true
	sc.pointers.levels = sc.pointers.levels[:0]
	sc.trails.reach, sc.begun = 0, sc.begun[:0]
	n := len(builtinDetectors) + len(s.user)
	sc.opened = cleared(sc.opened, len(s.user))
	sc.bodies = cleared(sc.bodies, len(tokenSets))
	sc.told = cleared(sc.told, n)
	sc.listed = cleared(sc.listed, n)
	return sc
}

// cleared returns n zero values, in the room of list if they fit.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// maxRoom is the most memory that a scan leaves to the next one, in bytes, nearly.
const maxRoom = 8 << 20

// release keeps the room of a scan that is over, with nothing of the payload in it.
func (sc *scan) release() {
	room := sc.scanRoom
	const hitBytes, spanBytes, viewBytes, trailBytes, wayBytes, foundBytes, runBytes, placeBytes, findingBytes = 32, 24, 120, 232, 12, 16, 16, 4, 176
	size := hitBytes*(cap(room.hits)+cap(room.merged)) + spanBytes*(cap(room.spans)+cap(room.moved)) + viewBytes*chunk*len(room.views.chunks) + trailBytes*chunk*len(room.trails.trails.chunks) + findingBytes*cap(sc.rep.Findings) +
		wayBytes*(cap(room.trails.ways)+cap(room.trails.same)) + foundBytes*cap(room.found) + runBytes*(cap(room.runs)+cap(room.wordRows)+cap(room.numerous)) + placeBytes*cap(room.places) + cap(room.trails.pieces) + cap(room.trails.text) + cap(room.long) + cap(room.plain) + cap(room.decoded.plain)
	if size > maxRoom {
		return
	}
	room.views.clear()
	room.trails.trails.clear()
	clear(sc.rep.Findings)
	room.findings = sc.rep.Findings[:0]
	room.barren.clear()
	room.decoded.clear()
	room.streams.src = bytes.Reader{}
	*sc = scan{scanRoom: room}
	scans.Put(sc)
}
