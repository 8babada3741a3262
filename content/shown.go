package content

// audience says to whom clients show the text of a block.
type audience uint8

const (
	shownToModel  audience = iota
	shownToUser            // the block is annotated for others than the assistant alone
	shownToNobody          // a text where its kind of block has none: beside a picture, or in a member that nobody knows
)

// shownBlock is a string that is the text of a block.
type shownBlock struct {
	str int
	to  audience
}

// blockFact is what is known of a container that may be a block.
type blockFact uint8

const (
	kindText     blockFact = 1 << iota // its type
	kindResource                       // or this
	forSome                            // it is annotated for an audience
	forAssistant                       // which the assistant is of
)

// shownBlocks returns the texts of blocks in their order, nil where there are no two.
func (sc *scan) shownBlocks() []shownBlock {
	sc.shown = sc.shown[:0]
	for i := range sc.d.strings {
		if s := &sc.d.strings[i]; !s.Key && s.Host < 0 && sc.isBlockText(s) {
			sc.shown = append(sc.shown, shownBlock{str: i})
		}
	}
	if len(sc.shown) < 2 {
		return nil
	}
	sc.facts = sc.d.blockFacts(sc.facts)
	for k := range sc.shown {
		b := &sc.shown[k]
		b.to = sc.d.shownTo(sc.d.strings[b.str].container, sc.facts)
	}
	return sc.shown
}

// blockFacts returns what is known of each container, in room if that suffices.
func (d *Document) blockFacts(room []blockFact) []blockFact {
	facts := cleared(room, len(d.containers))
	for i := range d.strings {
		s := &d.strings[i]
		switch {
		case s.Host >= 0 || s.container < 0:
		case s.Key && s.Text == "audience" && d.called(s.container, "annotations"):
			facts[d.containers[s.container].parent] |= forSome
		case s.element >= 0 && s.Text == "assistant" && d.called(s.container, "audience"):
			if notes := d.containers[s.container].parent; d.called(notes, "annotations") {
				facts[d.containers[notes].parent] |= forAssistant
			}
		case s.name >= 0 && d.strings[s.name].Text == "type" && s.Text == "text":
			facts[s.container] |= kindText
		case s.name >= 0 && d.strings[s.name].Text == "type" && s.Text == "resource":
			facts[s.container] |= kindResource
		}
	}
	return facts
}

// called reports whether a container is the value of a member of this name.
func (d *Document) called(c int32, name string) bool {
	n := d.containers[c].name
	return n >= 0 && d.strings[n].Text == name
}

// shownTo tells to whom the text in container c is shown, which is a block or part of one. In doubt it is to fewer, since texts are
// read together with and without those that are not shown.
func (d *Document) shownTo(c int32, facts []blockFact) audience {
	block, kind := c, kindText
	if d.called(c, "resource") {
		block, kind = d.containers[c].parent, kindResource
	}
	list := d.containers[block].parent
	if list >= 0 && d.called(block, "content") { // of a message
		list = d.containers[list].parent
	} else if d.containers[block].element < 0 {
		return shownToNobody
	}
	if facts[block]&kind == 0 && (list < 0 || !d.called(list, "contents")) {
		return shownToNobody
	}
	for _, f := range [...]blockFact{facts[block], facts[c]} {
		if f&(forSome|forAssistant) == forSome {
			return shownToUser
		}
	}
	return shownToModel
}
