package content

import "context"

// minUnfolded is the shortest run of base64 that stands for a segment, in bytes.
const minUnfolded = 32

// unfolded appends the texts that strings carry in an encoding, percent and backslash escapes and HTML entities
// included, four layers deep: what reads as language, each once. Pictures, digests, keys and programs do not. Its bounds are those
// of a scan, whose report says what they left out.
func (d *Document) unfolded(out []Segment, side Side) []Segment {
	var u *unfolder
	for i := range d.strings {
		s := &d.strings[i]
		if s.open {
			continue
		}
		own := [1]string{s.Text}
		texts := own[:]
		if s.Role == RoleBlob && !s.Key {
			texts = d.blobTexts(i)
		}
		for _, text := range texts {
			if !encoded(text) {
				continue
			}
			if u == nil {
				u = &unfolder{scan: newScan(context.Background(), Builtin(), d, side), seen: map[string]bool{}, from: len(out)}
			}
			out = u.read(out, i, text)
		}
	}
	if u != nil {
		u.release()
	}
	return out
}

// unfolder decodes what strings carry. It is a scan that looks with no detector.
type unfolder struct {
	*scan
	seen map[string]bool
	from int // where the segments that it makes begin
}

// read appends the texts that string i, which reads as text, carries.
func (u *unfolder) read(out []Segment, i int, text string) []Segment {
	s := &u.d.strings[i]
	u.str, u.role = i, RoleOther
	u.first(text)
	for n := 0; n < len(u.queue); n++ {
		v := u.queue[n]
		u.begin(v)
		f := u.survey(v.text)
		if v.up != nil && !u.seen[v.text] && telling(v) {
			u.seen[v.text] = true
			out = u.take(out, Segment{String: i, Tool: u.d.toolIndex(i), Text: v.text, Surface: surface(s.Role, u.side), View: ViewDecoded})
		}
		if f.has(hasEscapes) {
			u.unescape(v)
		}
		u.decodeRuns(v)
		u.evenViews(v)
	}
	return out
}

// take appends one text, to the one before when both are short and of neighbours.
func (u *unfolder) take(out []Segment, s Segment) []Segment {
	if n := len(out) - 1; n >= u.from && len(s.Text) <= maxJoin && len(out[n].Text)+len(s.Text) < maxJoined && u.neighbours(out[n], s) {
		out[n].Text += "\n" + s.Text
		return out
	}
	return append(out, s)
}

// neighbours reports whether two segments are of one tool, and of one string or of neighbouring ones.
func (u *unfolder) neighbours(a, b Segment) bool {
	return a.Tool == b.Tool && u.d.joinGroup(&u.d.strings[a.String]) == u.d.joinGroup(&u.d.strings[b.String])
}

// encoded reports whether a text may carry another: it has a long run of the base64 alphabet that may stand for one,
// or an escape.
func encoded(text string) bool {
	for i := 0; i < len(text); i++ {
		class := byteClass[text[i]]
		if class&classEscape != 0 && escapeLen(text[i:]) > 0 {
			return true
		}
		if class&classWord == 0 {
			continue
		}
		start := i
		for i < len(text) && byteClass[text[i]]&classWord != 0 {
			i++
		}
		if i-start >= minUnfolded && promising(text[start:i]) {
			return true
		}
		i--
	}
	return false
}

// telling reports whether a decoded view is worth a classifier's time: it reads as language, and is not just what the
// classifier reads anyway with a few escapes undone.
func telling(v *view) bool {
	if v.trail != nil {
		if shrunk := len(v.up.text) - len(v.text); shrunk*8 < len(v.text) && natural(&String{Text: v.up.text}) {
			return false
		}
	}
	return spoken(v.text)
}

// minSpoken is how many words in a row make language of a text.
const minSpoken = 4

// spoken reports whether a text has a stretch of language: words in a row with nothing but spaces and the marks of
// sentences between them, or a stretch of a script that sets no spaces.
func spoken(text string) bool {
	if len(text) < minSegment {
		return false
	}
	words, letters, dense, gaps := 0, 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case isLetter(c), c >= 0xc3 && c < 0xe0, c == '\'':
			letters++
			gaps = 0
		case c >= 0xe0 && c < 0xf0 && c != 0xe2:
			if dense++; dense >= 6 {
				return true
			}
			gaps = 0
		case c >= 0x80:
		case c == ' ', c == ',', c == '.', c == '\n', c == '!', c == '?', c == ';', c == ':', c == '-', c == '"':
			if letters >= 2 {
				if words++; words >= minSpoken {
					return true
				}
			}
			if gaps++; gaps > 3 {
				words = 0
			}
			letters, dense = 0, 0
		default:
			words, letters, dense = 0, 0, 0
		}
	}
	return words+boolInt(letters >= 2) >= minSpoken
}
