package actors

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
)

// Bounds of one pin. A tool beyond them is reported as not pinned.
const (
	maxPinName   = 512 // bytes of a tool's name
	maxPinFields = 64  // top-level members of a definition
)

// pinShares is how many services it takes at least to fill the book.
const pinShares = 8

// Pin is the definition a tool is held to.
type Pin struct {
	Service string `json:"service"`
	Tool    string `json:"tool"`
	// Hash and Fields are those of messages.ToolPin.
	Hash   messages.PinHash            `json:"hash"`
	Fields map[string]messages.PinHash `json:"fields,omitempty"`
	// FirstSeen is when this definition was first seen, or approved.
	FirstSeen time.Time `json:"first_seen"`
	// Approved is whether a person accepted this definition; else it was merely the
	// first.
	Approved bool `json:"approved,omitempty"`
	// Seen is the latest definition that differs, for a person to approve.
	Seen *SeenPin `json:"seen,omitempty"`
}

// SeenPin is a definition that drifted from its pin.
type SeenPin struct {
	Hash   messages.PinHash            `json:"hash"`
	Fields map[string]messages.PinHash `json:"fields,omitempty"`
	At     time.Time                   `json:"at"`
}

// Changed names the members in which two definitions differ, in order.
func Changed(pinned, seen map[string]messages.PinHash) []string {
	var names []string
	for name, hash := range pinned {
		if other, ok := seen[name]; !ok || other != hash {
			names = append(names, name)
		}
	}
	for name := range seen {
		if _, ok := pinned[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

type toolKey struct{ service, tool string }

// pinBook is all pins with their two reverse look-ups. It is not safe for
// concurrent use.
type pinBook struct {
	limit    int
	skeleton func(string) string
	pins     map[toolKey]*Pin
	held     map[string]int     // how many of them each service has
	byName   map[string]string  // tool name -> the service that used it first
	byLook   map[string]toolKey // skeleton -> who used it first
}

func newPinBook(limit int, skeleton func(string) string) *pinBook {
	return &pinBook{limit: limit, skeleton: skeleton, pins: map[toolKey]*Pin{}, held: map[string]int{}, byName: map[string]string{}, byLook: map[string]toolKey{}}
}

// observe compares one list with the book, pins what is new, and reports whether
// the book changed.
func (b *pinBook) observe(service string, tools []messages.ToolPin, at time.Time) (found []messages.PinFinding, changed bool) {
	listed := make(map[string]messages.ToolPin, len(tools)) // by name, within this list
	for _, t := range tools {
		remark := func(f messages.PinFinding) {
			f.Index, f.Tool = t.Index, t.Name
			found = append(found, f)
		}
		if first, twice := listed[t.Name]; twice && first.Hash != t.Hash {
			// Whichever the client takes, one of the two is not what was approved.
			remark(messages.PinFinding{Kind: messages.PinDrift, Changed: Changed(first.Fields, t.Fields)})
			continue
		}
		listed[t.Name] = t
		key := toolKey{service, t.Name}
		if pin := b.pins[key]; pin != nil {
			drift, newly := pin.compare(t, at)
			changed = changed || newly
			if drift {
				remark(messages.PinFinding{Kind: messages.PinDrift, Changed: Changed(pin.Fields, t.Fields)})
			}
		} else if b.full(service) || len(t.Name) > maxPinName || len(t.Fields) > maxPinFields {
			remark(messages.PinFinding{Kind: messages.PinUnpinned})
		} else {
			b.add(&Pin{Service: service, Tool: t.Name, Hash: t.Hash, Fields: maps.Clone(t.Fields), FirstSeen: at})
			changed = true
		}
		if owner, ok := b.byName[t.Name]; ok && owner != service {
			remark(messages.PinFinding{Kind: messages.PinShadowed, Other: owner})
		}
		if first, ok := b.byLook[b.skeleton(t.Name)]; ok && first.tool != t.Name {
			remark(messages.PinFinding{Kind: messages.PinConfusable, Other: first.service + "/" + first.tool})
		}
	}
	return found, changed
}

// full reports whether a service gets no more pins: one that lists tools without end must leave the others theirs.
func (b *pinBook) full(service string) bool {
	return len(b.pins) >= b.limit || b.held[service] >= max(1, b.limit/pinShares)
}

// compare reports whether t differs from the pin, and whether that was news.
func (p *Pin) compare(t messages.ToolPin, at time.Time) (drift, newly bool) {
	if p.Hash == t.Hash {
		return false, false
	}
	newly = p.Seen == nil || p.Seen.Hash != t.Hash
	if newly {
		p.Seen = &SeenPin{Hash: t.Hash, Fields: maps.Clone(t.Fields), At: at}
		if len(t.Fields) > maxPinFields {
			p.Seen.Fields = nil
		}
	}
	return true, newly
}

func (b *pinBook) add(p *Pin) {
	key := toolKey{p.Service, p.Tool}
	b.pins[key] = p
	b.held[p.Service]++
	if _, ok := b.byName[p.Tool]; !ok {
		b.byName[p.Tool] = p.Service
	}
	if look := b.skeleton(p.Tool); b.byLook[look] == (toolKey{}) {
		b.byLook[look] = key
	}
}

// learn takes over what a store holds: all of it into an empty book, and what a
// person approved into any book. It returns how many pins changed.
func (b *pinBook) learn(stored []Pin) int {
	n := 0
	for _, s := range stored {
		have := b.pins[toolKey{s.Service, s.Tool}]
		switch {
		case have == nil && len(b.pins) < b.limit:
			p := s
			b.add(&p)
			n++
		case have != nil && s.Approved && (have.Hash != s.Hash || !have.Approved):
			have.Hash, have.Fields, have.FirstSeen, have.Approved = s.Hash, s.Fields, s.FirstSeen, true
			if have.Seen != nil && have.Seen.Hash == s.Hash {
				have.Seen = nil
			}
			n++
		}
	}
	return n
}

// list returns copies of all pins, in the order of service and tool.
func (b *pinBook) list() []Pin {
	all := make([]Pin, 0, len(b.pins))
	for _, p := range b.pins {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(x, y Pin) int {
		if c := strings.Compare(x.Service, y.Service); c != 0 {
			return c
		}
		return strings.Compare(x.Tool, y.Tool)
	})
	return all
}

// look is the default skeleton: names that differ only in case, separators or the
// classic ASCII look-alikes share it.
func look(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ', '/':
			return -1
		case '0':
			return 'o'
		case '1', 'i', '|':
			return 'l'
		}
		return r
	}, strings.ToLower(name))
}
