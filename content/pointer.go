package content

import (
	"strconv"
	"strings"
)

// maxPointer is how much of a pointer is told, in bytes: a body may have a long name above thousands of strings, each of which is
// found something in. The trail has no room for more.
const maxPointer = 512

// Pointer returns the RFC 6901 pointer of string i: of the member that a name names, of the value otherwise.
// The pointer of a string in an embedded document is that of its host, a '#', and the pointer inside. From the first reference
// token on that makes it longer than 512 bytes, "…" stands for all that follow.
func (d *Document) Pointer(i int) string {
	var p pointers
	return p.of(d, i)
}

// pointers writes the pointers of strings. It remembers the way to the last one, for thousands of strings may lie deep down in
// one container.
type pointers struct {
	pointer
	levels []level // the containers on the way, the outermost first
	way    []int32 // those that are to be added, the innermost first
}

// pointer is one that is being written.
type pointer struct {
	text []byte
	full bool // "…" stands at its end
}

// level is a container, and how much of the text is its pointer.
type level struct {
	container int32
	end       int
	full      bool
}

// of returns the pointer of string i of d, which is the document of all calls.
func (p *pointers) of(d *Document, i int) string {
	if i < 0 || i >= len(d.strings) {
		return ""
	}
	s := &d.strings[i]
	p.enter(d, s.container)
	p.token(d, s)
	return string(p.text)
}

// enter makes the text the pointer of container c.
func (p *pointers) enter(d *Document, c int32) {
	kept := p.levels
	for p.way = p.way[:0]; c >= 0; c = d.around(c) {
		// A container comes after all that are around it.
		for len(kept) > 0 && kept[len(kept)-1].container > c {
			kept = kept[:len(kept)-1]
		}
		if len(kept) > 0 && kept[len(kept)-1].container == c {
			break
		}
		p.way = append(p.way, c)
	}
	p.text, p.full = p.text[:0], false
	if c < 0 {
		kept = kept[:0]
	} else {
		last := kept[len(kept)-1]
		p.text, p.full = p.text[:last.end], last.full
	}
	for i := len(p.way) - 1; i >= 0; i-- {
		switch k := &d.containers[p.way[i]]; {
		case k.name >= 0:
			p.add(d.strings[k.name].Text)
		case k.element >= 0:
			p.add(strconv.Itoa(int(k.element)))
		case k.host >= 0:
			p.token(d, &d.strings[k.host])
			p.text, p.full = append(p.text, '#'), false
		}
		kept = append(kept, level{p.way[i], len(p.text), p.full})
	}
	p.levels = kept
}

// around returns the container that container c is in, that of its host for all of an embedded document; -1 for none.
func (d *Document) around(c int32) int32 {
	switch k := &d.containers[c]; {
	case k.parent >= 0:
		return k.parent
	case k.host >= 0:
		return d.strings[k.host].container
	}
	return -1
}

// token adds what leads to s from the container that it is in.
func (p *pointer) token(d *Document, s *String) {
	switch {
	case s.Key:
		p.add(s.Text)
	case s.name >= 0:
		p.add(d.strings[s.name].Text)
	case s.element >= 0:
		p.add(strconv.Itoa(int(s.element)))
	}
}

// add adds a reference token.
func (p *pointer) add(token string) {
	if p.full {
		return
	}
	p.text = append(p.text, '/')
	if p.full = len(p.text)+len(token) > maxPointer; p.full {
		token = "…"
	}
	p.text = append(p.text, escapePointer(token)...)
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(s string) string {
	if strings.IndexByte(s, '~') < 0 && strings.IndexByte(s, '/') < 0 {
		return s
	}
	return pointerEscaper.Replace(s)
}
