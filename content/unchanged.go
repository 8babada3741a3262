package content

// Most of a view is as it was in the one that steps made it from. What was read there without regard to what stands around it is
// known here, but for what the changes touch.

// Bounds of what is remembered: from which length of a view on, in bytes, and how many bytes it has at least for each of its
// keywords. A text that is made of keywords is walked again as fast.
const (
	keywordsFrom  = 4 << 10
	keywordsShare = 32
)

// fewChanges is how many bytes a view has at least for each of its changes, where it is not read as any text is.
const fewChanges = 64

// changedLittle reports whether v was made by steps that changed little.
func (v *view) changedLittle() bool {
	const pieceBytes = 3 // of a trail
	return v.up != nil && !v.whole && v.trail.folded == "" && len(v.trail.pieces)/pieceBytes <= len(v.text)/fewChanges
}

// known is what is remembered of a view for those that steps make of it: its keywords, and what its survey told.
type known struct {
	keywords []foundAt
	plain    bool // whether there was nothing spelled, cut by markup, or with digits for letters
	angled   bool // as in scan
}

// keywords calls the look of every keyword in v at every occurrence, and marks the user detectors that a keyword opens. It
// remembers the keywords, and what the survey told, for the views that are made of v.
func (sc *scan) keywords(v *view, f features) {
	plain, angled := !f.has(hasSpaced) && !sc.marked && sc.ciphers.count == 0, sc.angled
	from := len(sc.found)
	full := from
	if len(v.text) >= keywordsFrom {
		full += len(v.text) / keywordsShare
	}
	found := func(w *keyword, at int) bool {
		if len(sc.found) < full {
			sc.found = append(sc.found, foundAt{w, at})
		}
		w.tell(sc, at)
		return true
	}
	switch {
	case v.changedLittle() && v.up.known != nil:
		var places []uint32
		if v.up.up == nil {
			places = sc.places
		}
		sc.s.index.walkChanges(v, places, found)
	case v.label == ViewNormalised && v.up.up == nil && len(sc.places) > 0:
		sc.s.index.walkFolded(v, sc.places, found)
	case v.up == nil && sc.surveyed.f.has(hasNonASCII) && len(v.text) >= keywordsFrom:
		sc.s.index.walkNoting(v.text, len(v.text), &sc.places, found)
	default:
		sc.s.index.walk(v.text, found)
	}
	if len(sc.found) < full {
		v.known = &known{sc.found[from:], plain, angled}
	}
}

// walkChanges is walk for a view that steps made from one whose keywords are known. Those that stand in what stayed as it was are
// taken from there. Of those that end behind it, the first bytes are the same too: they may begin at places of the other, where
// these were noted.
func (x *keywordIndex) walkChanges(v *view, places []uint32, found func(w *keyword, at int) bool) {
	known, noted := v.up.known.keywords, len(places) > 0
	at := 0 // what begins before was found
	for p := range v.trail.all() {
		stay, shift := p.out+p.stay, p.in-p.out
		ends := stay - (x.longest - 1) // what begins before it ends in what stayed
		if p.final {
			ends = len(v.text)
		}
		for ; len(known) > 0 && known[0].at < ends+shift; known = known[1:] {
			if k := known[0].at - shift; k >= at {
				found(known[0].word, k)
			}
		}
		at = max(at, ends)
		if last := stay - minKeyword; noted && at < last {
			for ; len(places) > 0 && int(places[0]) < last+shift; places = places[1:] {
				if k := int(places[0]) - shift; k >= at {
					x.begin(v.text, k, foldKey(v.text[k:]), nil, found)
				}
			}
			at = last
		}
		if end := stay + p.m; at < end {
			x.walkPart(v.text, at, end, found)
			at = end
		}
	}
}

// walkFolded is walk for a folded view. In what is the same in both texts a word may begin where one might in the text that was
// folded, at places; the rest is walked.
func (x *keywordIndex) walkFolded(v *view, places []uint32, found func(w *keyword, at int) bool) {
	from := 0
	for _, s := range v.trail.same {
		x.walkPart(v.text, from, int(s.out), found)
		// The last three bytes of the stretch begin a word with what is behind them.
		end := s.in + s.size - minKeyword
		for ; len(places) > 0 && places[0] < end; places = places[1:] {
			if places[0] >= s.in {
				at := int(places[0] - s.in + s.out)
				x.begin(v.text, at, foldKey(v.text[at:]), nil, found)
			}
		}
		from = int(s.out+s.size) - minKeyword
	}
	x.walkPart(v.text, from, len(v.text), found)
}

// surveyReach is how far around a change a folded text is surveyed, in bytes: no number, token or name that the survey tells is as
// long, with what announces it.
const surveyReach = 192

// surveyChanges surveys a folded text around its changes. Of the rest, up told all that is asked of a folded text.
func (sc *scan) surveyChanges(v *view, up *known) {
	s, text := &sc.surveyed, v.text
	sc.angled = up.angled
	end := 0 // of what was surveyed
	for p := range v.trail.all() {
		lo := len(text)
		if !p.final {
			lo = max(end, p.out+p.stay-surveyReach)
			for lo > end && byteClass[text[lo-1]]&(classWord|classHigh) != 0 {
				lo--
			}
		}
		if lo > end {
			sc.evenEnds(s.even)
			*s = surveyed{f: s.f, seen: s.seen, codeEnd: -1}
		}
		if !p.final {
			end = sc.surveyPart(text, lo, min(len(text), p.out+p.stay+p.m+surveyReach))
		}
	}
}
