package content

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json/jsontext"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mutation is what Rewrite takes out of a document.
type Mutation struct {
	// Mask are findings of this document whose match is replaced. Those without a Mask are ignored.
	Mask []Finding
	// RemoveTools are positions in tools[] of definitions to leave out of the list.
	RemoveTools []int
}

// Rewritten is the outcome of Rewrite.
type Rewritten struct {
	// Bytes is the new body; when nothing changed it is the received one.
	Bytes []byte
	// Masked counts replaced spans after overlapping ones were merged, Removed the tools left out.
	Masked, Removed int
	// Changed is false when Bytes equal what was received: the answer is then a pass.
	Changed bool
}

// edit replaces the bytes lo..hi of some text.
type edit struct {
	lo, hi int
	to     string
	mask   bool
}

// Rewrite splices masks into the received bytes and cuts tools out of the list. Every byte outside a masked
// character or a removed tool is what was received. The result is parsed again. An error means that the
// exchange must be denied: a finding cannot be masked where it is, or the result does not parse.
func Rewrite(d *Document, m Mutation) (Rewritten, error) {
	out := Rewritten{Bytes: d.body}
	edits := make([]stringEdit, 0, len(m.Mask))
	for i := range m.Mask {
		f := &m.Mask[i]
		if f.Mask == "" {
			continue
		}
		if f.String < 0 || f.String >= len(d.strings) || f.Start < 0 || f.End > len(d.strings[f.String].Text) || f.Start >= f.End {
			return Rewritten{}, fmt.Errorf("rewrite payload: finding %d of %s cannot be located", i, f.Detector)
		}
		s := &d.strings[f.String]
		if s.Key {
			return Rewritten{}, fmt.Errorf("rewrite payload: finding %d of %s is in a member name", i, f.Detector)
		}
		to := "[REDACTED:" + maskType(f.Mask) + "]"
		if s.Role == RoleBlob && f.View == ViewDecoded && f.Start == 0 && f.End == len(s.Text) {
			// The reader decodes a blob before anything else.
			to = base64.StdEncoding.EncodeToString([]byte(to))
		}
		edits = append(edits, stringEdit{f.String, edit{f.Start, f.End, to, true}})
		for _, r := range f.Also {
			if r.Start < 0 || r.End > len(s.Text) || r.Start >= r.End {
				return Rewritten{}, fmt.Errorf("rewrite payload: finding %d of %s cannot be located", i, f.Detector)
			}
			edits = append(edits, stringEdit{f.String, edit{r.Start, r.End, to, true}})
		}
	}
	body, masked := d.lift(edits)
	out.Masked = masked
	removed, cuts, err := d.cutTools(m.RemoveTools)
	if err != nil {
		return Rewritten{}, err
	}
	out.Removed = removed
	if len(body)+len(cuts) == 0 {
		return out, nil
	}
	out.Bytes = []byte(splice(d.raw, dropInside(body, cuts)))
	out.Changed = !bytes.Equal(out.Bytes, d.body)
	lim := d.limits
	lim.MaxBytes = 2*lim.MaxBytes + len(out.Bytes)
	if err := valid(out.Bytes, lim); err != nil {
		return Rewritten{}, fmt.Errorf("rewrite payload: result: %w", err)
	}
	return out, nil
}

// maskType keeps what a type may be made of, so that a rule pack cannot break out of the brackets.
func maskType(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, s)
}

// stringEdit is an edit of the decoded text of a string.
type stringEdit struct {
	str int
	edit
}

// lift turns edits of decoded strings into edits of the body: through the document that a string is embedded
// in, if any, up to the received bytes. It returns how many masks were left after merging.
func (d *Document) lift(edits []stringEdit) (body []edit, masked int) {
	slices.SortStableFunc(edits, func(a, b stringEdit) int { return a.str - b.str })
	hosted := map[int][]edit{} // edits of hosts that come from the strings inside them
	own := make([]edit, 0, 8)
	// Hosts come before the strings inside them, so from the end every string is complete when it is met.
	for i := len(d.strings) - 1; i >= 0 && len(edits)+len(hosted) > 0; i-- {
		s := &d.strings[i]
		own = own[:0]
		if s.open {
			own = append(own, hosted[i]...)
			delete(hosted, i)
		}
		for n := len(edits); n > 0 && edits[n-1].str == i; n-- {
			own = append(own, edits[n-1].edit)
			edits = edits[:n-1]
		}
		if len(own) == 0 {
			continue
		}
		src := d.raw
		if s.Host >= 0 {
			src = d.strings[s.Host].Text
		}
		merged := merge(own)
		for _, e := range merged {
			if e.mask {
				masked++
			}
		}
		up := tokenEdits(src[s.Start:s.End], s.Start, s.Text, merged)
		if s.Host < 0 {
			body = append(body, up...)
			continue
		}
		hosted[s.Host] = append(hosted[s.Host], up...)
	}
	slices.SortFunc(body, func(a, b edit) int { return cmp.Compare(a.lo, b.lo) })
	return body, masked
}

// merge sorts edits and joins those that overlap. The longest mask names the type of the whole.
func merge(edits []edit) []edit {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(b.hi, a.hi)) })
	out := edits[:0:0]
	longest := 0
	for _, e := range edits {
		n := len(out)
		if n == 0 || e.lo >= out[n-1].hi {
			out = append(out, e)
			longest = e.hi - e.lo
			continue
		}
		o := &out[n-1]
		switch {
		case e.mask && !o.mask, e.mask == o.mask && e.hi-e.lo > longest:
			o.to, o.mask = e.to, e.mask
			longest = e.hi - e.lo
		}
		o.hi = max(o.hi, e.hi)
	}
	return out
}

// tokenEdits translates edits of decoded text into edits of the bytes around it. token is the JSON string with
// its quotes and starts at byte base. A character that is cut by a span is replaced whole.
func tokenEdits(token string, base int, text string, edits []edit) []edit {
	out := make([]edit, 0, len(edits))
	raw, dec := 1, 0 // positions in the token and in the text
	next := func() (int, int) {
		if token[raw] != '\\' {
			_, n := utf8.DecodeRuneInString(token[raw:])
			return n, n
		}
		r, n := escaped(token[raw:])
		return n, utf8.RuneLen(r)
	}
	for _, e := range edits {
		for dec < len(text) {
			if token[raw] != '\\' {
				// Plain bytes map one to one: hop to the next escape or to the character that holds the edit.
				// No further than the edit, or many edits would read the rest of the token many times.
				limit := min(len(token)-1, raw+max(e.lo-dec, 0))
				n := strings.IndexByte(token[raw:limit], '\\')
				if n < 0 {
					n = limit - raw
				}
				for n > 0 && !utf8.RuneStart(token[raw+n]) {
					n--
				}
				if n > 0 {
					raw, dec = raw+n, dec+n
					continue
				}
			}
			r, w := next()
			if dec+w > e.lo {
				break
			}
			raw, dec = raw+r, dec+w
		}
		lo := raw
		for dec < e.hi && dec < len(text) {
			r, w := next()
			raw, dec = raw+r, dec+w
		}
		if n := len(out); n > 0 && base+lo < out[n-1].hi {
			lo = out[n-1].hi - base
		}
		if raw > lo {
			out = append(out, edit{base + lo, base + raw, escape(e.to), false})
		}
	}
	return out
}

// escape returns s as it is written inside a JSON string.
func escape(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		// s is made of our own placeholder and of text that was parsed.
		panic("escape: " + err.Error())
	}
	return string(b[1 : len(b)-1])
}

// splice applies sorted edits that do not overlap.
func splice(src string, edits []edit) string {
	var b strings.Builder
	b.Grow(len(src) + 16*len(edits))
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.lo])
		b.WriteString(e.to)
		at = e.hi
	}
	b.WriteString(src[at:])
	return b.String()
}

// dropInside merges masks and cuts, leaving out the masks of what is cut anyway.
func dropInside(masks, cuts []edit) []edit {
	if len(cuts) == 0 {
		return masks
	}
	out := slices.Clone(cuts)
	next := 0 // both are sorted
	for _, m := range masks {
		for next < len(cuts) && cuts[next].hi <= m.lo {
			next++
		}
		if next == len(cuts) || m.hi <= cuts[next].lo {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b edit) int { return cmp.Compare(a.lo, b.lo) })
	return out
}

// cutTools returns the edits that remove definitions from the list, with the comma that goes with each.
func (d *Document) cutTools(remove []int) (n int, cuts []edit, err error) {
	if len(remove) == 0 {
		return 0, nil, nil
	}
	gone := map[int]bool{}
	for _, i := range remove {
		gone[i] = true
	}
	if len(d.tools) == 0 {
		return 0, nil, fmt.Errorf("rewrite payload: remove tools: no list of tools")
	}
	array := d.containers[d.tools[0].array]
	dec := jsontext.NewDecoder(bytes.NewBuffer(d.body[array.start:array.end]))
	if _, err := dec.ReadToken(); err != nil {
		return 0, nil, fmt.Errorf("rewrite payload: remove tools: %w", err)
	}
	var spans []group
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return 0, nil, fmt.Errorf("rewrite payload: remove tools: %w", err)
		}
		end := array.start + int(dec.InputOffset())
		spans = append(spans, group{end - len(v), end})
	}
	for i := range gone {
		if i < 0 || i >= len(spans) {
			return 0, nil, fmt.Errorf("rewrite payload: remove tools: no tool %d", i)
		}
	}
	for i := 0; i < len(spans); i++ {
		if !gone[i] {
			continue
		}
		j := i
		for j+1 < len(spans) && gone[j+1] {
			j++
		}
		switch {
		case j+1 < len(spans):
			cuts = append(cuts, edit{lo: spans[i].start, hi: spans[j+1].start})
		case i > 0:
			cuts = append(cuts, edit{lo: spans[i-1].end, hi: spans[j].end})
		default:
			cuts = append(cuts, edit{lo: spans[i].start, hi: spans[j].end})
		}
		n += j - i + 1
		i = j
	}
	return n, cuts, nil
}
