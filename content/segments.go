package content

import "strings"

// Surface is the kind of place a segment is in, by which a classifier's thresholds may differ.
type Surface uint8

// The surfaces.
const (
	SurfaceOther Surface = iota
	SurfaceDescription
	SurfaceParams
	SurfaceResult
)

// String returns the stable name of the surface.
func (s Surface) String() string {
	switch s {
	case SurfaceDescription:
		return "description"
	case SurfaceParams:
		return "params"
	case SurfaceResult:
		return "result"
	}
	return "other"
}

// Segment is a text that a classifier should read in one piece.
type Segment struct {
	// String is the index of the string it is, or begins with.
	String int
	// Tool is the position in tools[] of its definition, else -1.
	Tool    int
	Text    string
	Surface Surface
	// View is ViewRaw, or ViewDecoded for a text that the string carries in an encoding.
	View string
}

const (
	// minSegment is the shortest text that is read alone, in bytes.
	minSegment = 24
	// maxJoin is the longest text that is joined with its neighbours, in bytes: longer ones stand alone, and
	// the windows of the classifier cut them.
	maxJoin = 400
	// maxJoined bounds a joined segment, in bytes.
	maxJoined = 2000
)

// Segments returns what a classifier reads: the texts in natural language, the neighbouring short ones of one
// object and adjacent text blocks joined by line feeds, machine tokens left out. The texts are as received; those
// that strings carry in an encoding follow, decoded. Look-alikes are the detectors' work.
func (d *Document) Segments(side Side) []Segment {
	var out []Segment
	open := -1 // index in out of the segment that the next neighbour may join
	var group int32
	var joined []byte // its text, once one did
	end := func() {
		if len(joined) > 0 {
			out[open].Text = string(joined)
			joined = joined[:0]
		}
		open = -1
	}
	for i := range d.strings {
		s := &d.strings[i]
		if s.open {
			continue
		}
		tool := d.toolIndex(i)
		if s.Role == RoleBlob && !s.Key {
			for _, text := range d.blobTexts(i) {
				if text != s.Text || natural(s) {
					end()
					out = append(out, Segment{String: i, Tool: tool, Text: text, Surface: surface(s.Role, side), View: ViewRaw})
				}
			}
			continue
		}
		if !natural(s) {
			continue
		}
		g := d.joinGroup(s)
		if open >= 0 && group == g && out[open].Tool == tool && len(s.Text) <= maxJoin && max(len(out[open].Text), len(joined))+len(s.Text) < maxJoined {
			if len(joined) == 0 {
				joined = append(joined, out[open].Text...)
			}
			joined = append(append(joined, '\n'), s.Text...)
			continue
		}
		end()
		out = append(out, Segment{String: i, Tool: tool, Text: s.Text, Surface: surface(s.Role, side), View: ViewRaw})
		if open, group = len(out)-1, g; len(s.Text) > maxJoin {
			open = -1
		}
	}
	end()
	kept := out[:0]
	for _, s := range out {
		if len(s.Text) >= minSegment || strings.IndexByte(s.Text, ' ') >= 0 {
			kept = append(kept, s)
		}
	}
	return d.unfolded(kept, side)
}

// joinGroup returns what the texts of s's neighbourhood have in common: the array that the objects of a
// content list are elements of, or the object itself.
func (d *Document) joinGroup(s *String) int32 {
	c := s.container
	if c < 0 {
		return -1 - int32(s.Host)
	}
	if k := &d.containers[c]; k.element >= 0 && k.parent >= 0 {
		return k.parent
	}
	return c
}

func surface(r Role, side Side) Surface {
	switch {
	case side == SideRequest:
		return SurfaceParams
	case r == RoleDescription, r == RoleSchema, r == RoleInstruction, r == RoleToolName:
		return SurfaceDescription
	case r == RoleResultText, r == RoleStructured, r == RoleBlob, r == RoleOther, r == RoleURI:
		return SurfaceResult
	}
	return SurfaceOther
}

// natural reports whether a string may hold language: more than one word, or a script that sets no spaces.
// Names of members do when they are sentences.
func natural(s *String) bool {
	t := s.Text
	if len(t) < 4 {
		return false
	}
	letters, gaps, dense := 0, 0, 0
	for i := 0; i < len(t) && i < 4096; i++ {
		switch c := t[i]; {
		case isLetter(c):
			letters++
		case c == ' ' || c == '\n' || c == '\t':
			gaps++
		case c >= 0xe3:
			dense++
		case c >= 0xc3:
			letters++
		}
	}
	if s.Key {
		return gaps >= 2 && letters >= 8 || dense >= 4
	}
	if dense >= 3 {
		return true
	}
	if letters >= 3 && gaps >= 1 {
		return true
	}
	// Words joined by other marks than spaces read as a sentence too: Ignore_all_previous_instructions.
	return len(t) >= minSegment && letters*10 >= len(t)*7 && strings.Count(t, "_")+strings.Count(t, "-")+strings.Count(t, ".")+strings.Count(t, "+") >= 3
}
