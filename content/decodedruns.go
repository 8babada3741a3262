package content

// decodedRuns remembers what short runs of the current string were decoded to: they stand in the views of it too.
type decodedRuns struct {
	runs  []decodedRun
	plain []byte // what they were decoded to
	round uint32 // of the current string
	used  bool   // since they were cleared
}

// decodedRun is a run that was decoded with nothing left undone, and what came of it.
type decodedRun struct {
	text    string
	round   uint32
	read    bool // whether it stands for plain[lo:hi], or for nothing that is read
	lo, hi  int
	layer   int // the deepest at which that came of it, which holds for those above
	deeper  int // how many more were undone
	charged int // what that took of the budget of views
}

// How many runs are remembered, and the longest of them and of what they stand for, in bytes.
const (
	runBits        = 9
	maxDecodedRuns = 1 << runBits
	maxDecodedRun  = 256
)

// next forgets the runs of the string before.
func (d *decodedRuns) next() {
	d.plain = d.plain[:0]
	if d.round++; d.round == 0 {
		clear(d.runs)
	}
}

// place returns where a run of a text is remembered, nil where it is not: it is long, or the lines behind it may be part of it.
func (d *decodedRuns) place(text string, r run) *decodedRun {
	if r.end-r.start > maxDecodedRun || r.end < len(text) && (text[r.end] == '\n' || text[r.end] == '\r') {
		return nil
	}
	if d.runs == nil {
		d.runs = make([]decodedRun, maxDecodedRuns)
	}
	d.used = true
	return &d.runs[slotOf(text[r.start:r.end], runBits)]
}

// decodedBefore takes what a run of v stands for from where it is remembered. It reports false where it is not, and where the
// depth or the budget may leave something undone now.
func (sc *scan) decodedBefore(known *decodedRun, v *view, r run) bool {
	text := v.text[r.start:r.end]
	if known.round != sc.decoded.round || v.layer > known.layer || max(known.charged, len(text)) > sc.budget || known.text != text {
		return false
	}
	sc.budget -= known.charged
	if known.read {
		sc.plain = append(sc.plain, sc.decoded.plain[known.lo:known.hi]...)
		sc.folds = append(sc.folds, folded{lo: r.start, hi: r.end, end: len(sc.plain), layer: v.layer + known.deeper})
	}
	return true
}

// remember remembers what became of a run of v: budget is what there was of it before, and plain where the texts of the runs
// before end.
func (sc *scan) remember(known *decodedRun, v *view, r run, budget, plain int) {
	text := sc.plain[plain:]
	if len(text) > maxDecodedRun {
		return
	}
	d := &sc.decoded
	*known = decodedRun{text: v.text[r.start:r.end], round: d.round, layer: v.layer, charged: budget - sc.budget}
	if len(text) > 0 {
		known.read, known.lo, known.deeper = true, len(d.plain), sc.folds[len(sc.folds)-1].layer-v.layer
		d.plain = append(d.plain, text...)
		known.hi = len(d.plain)
	}
}

// clear forgets all runs and keeps the room.
func (d *decodedRuns) clear() {
	if d.used {
		d.used = false
		clear(d.runs)
		d.plain = d.plain[:0]
	}
}
