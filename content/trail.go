package content

import (
	"encoding/binary"
	"iter"
	"slices"
	"strings"
)

// trail tells where the bytes of a text come from in the text that it was made from, piece by piece.
type trail struct {
	folded string    // what a folded text was made from, which tells its pieces
	same   []stretch // of both, where it is a folded text
	pieces []byte    // those of others
	ways   []waypoint
	// The pieces that the last look began and ended in: looks come in rising order, which makes them linear together.
	first, last piece
	known       bool // whether there was one
}

// piece is a stretch of both texts: stay bytes are the same in both, then n bytes of the one became m of the other. These
// three numbers are what is written down of it, nearly always in three bytes.
type piece struct {
	in, out    int // where it begins
	stay, n, m int
	next       int // where the next one is written
	final      bool
}

// stretch is what folding leaves as it is: where it begins in the text that another was made from and in that one, and its length.
type stretch struct{ in, out, size uint32 }

// minStretch is the shortest that is worth telling, in bytes.
const minStretch = 16

// waypoint is where a piece begins: in the text that another was made from, in that one, and where it is written. Looks
// that are far apart begin at one.
type waypoint struct{ in, out, at uint32 }

// wayLength is how far apart waypoints are, in bytes of the text that was made, at least.
const wayLength = 128

// read makes p the piece that is written at byte at and begins at these places.
func (t *trail) read(p *piece, at, in, out int) {
	p.in, p.out = in, out
	if t.folded != "" {
		p.stay, p.n, p.m = foldedPiece(t.folded[in:])
		p.final = in+p.stay+p.n == len(t.folded)
		return
	}
	if s := t.pieces[at:]; s[0]|s[1]|s[2] < 0x80 {
		p.stay, p.n, p.m = int(s[0]), int(s[1]), int(s[2])
		at += 3
	} else {
		for _, x := range [...]*int{&p.stay, &p.n, &p.m} {
			v, n := binary.Uvarint(t.pieces[at:])
			*x = int(v)
			at += n
		}
	}
	p.next, p.final = at, at == len(t.pieces)
}

// origin returns the span that start..end of the text was made from. The text is not empty.
func (t *trail) origin(start, end int) (lo, hi int) {
	switch {
	case t.known && start >= t.last.out:
		t.first = t.last
	case !t.known || start < t.first.out:
		t.known = true
		t.read(&t.first, 0, 0, 0)
	}
	t.seek(&t.first, start)
	lo = t.first.in + min(start-t.first.out, t.first.stay)
	t.last = t.first
	t.seek(&t.last, end-1)
	if hi = t.last.in + end - t.last.out; end-t.last.out > t.last.stay {
		hi = t.last.in + t.last.stay + t.last.n
	}
	return lo, hi
}

// seek moves p on to the piece that byte at of the text is in.
func (t *trail) seek(p *piece, at int) {
	if at-p.out > 2*wayLength {
		n, found := slices.BinarySearchFunc(t.ways, at, func(w waypoint, at int) int { return int(w.out) - at })
		if !found {
			n--
		}
		if n >= 0 && int(t.ways[n].out) > p.out {
			t.read(p, int(t.ways[n].at), int(t.ways[n].in), int(t.ways[n].out))
		}
	}
	for at >= p.out+p.stay+p.m && !p.final {
		t.read(p, p.next, p.in+p.stay+p.n, p.out+p.stay+p.m)
	}
}

// all returns the pieces of the trail, the last of which changes nothing. Each is overwritten by the next.
func (t *trail) all() iter.Seq[*piece] {
	return func(yield func(*piece) bool) {
		var p piece
		for t.read(&p, 0, 0, 0); yield(&p) && !p.final; {
			t.read(&p, p.next, p.in+p.stay+p.n, p.out+p.stay+p.m)
		}
	}
}

// trailRoom is the memory that texts are made from others in. Their trails stay in it until it forgets them.
type trailRoom struct {
	text   []byte // the one that is made
	same   []stretch
	pieces []byte
	ways   []waypoint
	trails room[trail]

	ownSame, ownPieces, ownWays int // where the trail of the text begins

	changedTo int  // the end of the last piece in what the text is made from
	abridged  bool // whether something was left out of the text
	reach     int  // how much is kept on both sides of what changed, in bytes; 0 for all
	way       int  // where the next waypoint is due
}

// begin begins a text that is made from one of size bytes.
func (r *trailRoom) begin(size int) {
	r.text = slices.Grow(r.text[:0], size)
	r.changedTo, r.way, r.abridged = 0, wayLength, false
	r.ownSame, r.ownPieces, r.ownWays = len(r.same), len(r.pieces), len(r.ways)
}

// waypoint notes that a piece begins at byte in, and at byte out of the text.
func (r *trailRoom) waypoint(in, out int) {
	r.ways = append(r.ways, waypoint{uint32(in), uint32(out), uint32(len(r.pieces) - r.ownPieces)})
	r.way = out + wayLength
}

// stretch notes that what stands from byte in of the text that is folded to byte end, which is byte out of what it becomes, stays as
// it is.
func (r *trailRoom) stretch(in, end, out int) {
	if size := end - in; size >= minStretch {
		r.same = append(r.same, stretch{uint32(in), uint32(out - size), uint32(size)})
	}
}

// changed notes that the n bytes at byte in became the last m bytes of the text. What stands between them and those that
// changed before is as it was.
func (r *trailRoom) changed(in, n, m int) {
	if stay := in - r.changedTo; stay|n|m < 0x80 {
		r.pieces = append(r.pieces, byte(stay), byte(n), byte(m))
	} else {
		for _, x := range [...]int{stay, n, m} {
			r.pieces = binary.AppendUvarint(r.pieces, uint64(x))
		}
	}
	if r.changedTo = in + n; len(r.text) >= r.way {
		r.waypoint(r.changedTo, len(r.text))
	}
}

// rewrite makes a text of another by steps, and reports whether that changes anything.
func (r *trailRoom) rewrite(src string, step stepFunc) bool {
	i := 0
	for i < len(src) {
		n, to := step(src, i)
		if to != src[i:i+n] {
			break
		}
		i += n
	}
	if i >= len(src) {
		return false
	}
	r.begin(len(src))
	for i < len(src) {
		n, to := step(src, i)
		if len(to) == n && to == src[i:i+n] {
			i += n
			continue
		}
		r.stays(src, i)
		r.text = append(r.text, to...)
		r.changed(i, n, len(to))
		i += n
	}
	r.stays(src, len(src))
	return true
}

// stays adds what stands between the last piece and byte i of src, and is the same in both texts.
func (r *trailRoom) stays(src string, i int) {
	r.text = append(r.text, src[r.changedTo:i]...)
	if r.reach > 0 && i-r.changedTo > 4*r.reach {
		r.abridge(src, i)
	}
}

// abridge leaves whole lines out of the stretch that ends at byte i and is the same in both texts, far from what changed on
// either side: they were read where they came from. It cuts before lines of words alone: what is encoded over many lines, and
// means nothing in part, stays whole.
func (r *trailRoom) abridge(src string, i int) {
	stay := i - r.changedTo
	from := wordedLine(src, r.changedTo+r.reach, r.changedTo+2*r.reach)
	to := lastWordedLine(src, i-2*r.reach, i-r.reach)
	if from < 0 || to < 0 {
		return
	}
	r.abridged = true
	r.text = append(r.text[:len(r.text)-stay+from-r.changedTo], '\n')
	r.changed(from, to-from, 1)
	r.text = append(r.text, src[to:i]...)
}

// wordedLine returns where the first line of words begins behind byte from of src and before byte to, -1 for none.
func wordedLine(src string, from, to int) int {
	for i := from; ; {
		n := strings.IndexByte(src[i:to], '\n')
		if n < 0 {
			return -1
		}
		if i += n + 1; wordsIn(src, i) {
			return i
		}
	}
}

// lastWordedLine is wordedLine for the last such line.
func lastWordedLine(src string, from, to int) int {
	for i := to; ; {
		n := strings.LastIndexByte(src[from:i], '\n')
		if n < 0 {
			return -1
		}
		if i = from + n; wordsIn(src, i+1) {
			return i + 1
		}
	}
}

// wordsIn reports whether the line of src that begins at byte i has two words with a blank between them, the second in lower
// case, as no line of base64 and uuencode has, and is none of a dump of bytes.
func wordsIn(src string, i int) bool {
	for j := i + 1; j+1 < len(src) && j-i < maxDumpLine && src[j] != '\n'; j++ {
		if src[j] == ' ' && isLetter(src[j+1]) && src[j+1] >= 'a' && isAlnum(src[j-1]) {
			var room [dumpLine]byte
			line, _ := dumpedLine(src, i, room[:0])
			return len(line) == 0
		}
	}
	return false
}

// ofSteps returns the trail of the text that steps made of src.
func (r *trailRoom) ofSteps(src string) *trail {
	r.changed(len(src), 0, 0)
	return r.trails.add(trail{pieces: r.pieces[r.ownPieces:], ways: r.ways[r.ownWays:]})
}

// ofFold returns the trail of the text that src was folded to.
func (r *trailRoom) ofFold(src string) *trail {
	return r.trails.add(trail{folded: src, same: r.same[r.ownSame:], ways: r.ways[r.ownWays:]})
}

// forget forgets all trails and keeps the room.
func (r *trailRoom) forget() {
	r.same, r.pieces, r.ways, r.trails.used = r.same[:0], r.pieces[:0], r.ways[:0], 0
}
