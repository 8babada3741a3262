package messages

import (
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// ToolPin is one tool definition of a list as it was received now.
type ToolPin struct {
	// Index is the tool's place in tools[].
	Index int
	Name  string
	// Hash is the hex SHA-256 of the whole canonical definition.
	Hash string
	// Fields are the hex SHA-256 of the definition's top-level members, by name.
	// They tell what changed without keeping any text.
	Fields map[string]string
}

// Observe shows the tools of one list to the pins actor.
type Observe struct {
	*guard.Promise[[]PinFinding]
	Service string
	Tools   []ToolPin
	At      time.Time
}

// PinKind is what is remarkable about a tool.
type PinKind uint8

const (
	// PinDrift is a definition that differs from its pin.
	PinDrift PinKind = iota
	// PinShadowed is a name that another service used first.
	PinShadowed
	// PinConfusable is a name that looks like a different one of another service or
	// of the same list.
	PinConfusable
	// PinUnpinned is a tool that could not be pinned because the book is full.
	PinUnpinned
)

var pinKindNames = [...]string{"drift", "shadowed", "confusable", "unpinned"}

// String is the word used in findings and audit lines.
func (k PinKind) String() string {
	if int(k) < len(pinKindNames) {
		return pinKindNames[k]
	}
	return "unknown"
}

// PinFinding is one remark about one tool.
type PinFinding struct {
	Kind PinKind
	// Index and Tool are those of the ToolPin.
	Index int
	Tool  string
	// Changed are the names of the members that were added, removed or altered, in
	// order; drift only.
	Changed []string
	// Other is the service (shadowed) or service/name (confusable) it collides with.
	Other string
}

// ReloadPins reads the store again, so that approvals made outside take effect.
type ReloadPins struct{ *guard.Promise[int] }

// FlushPins is resolved once everything seen so far is saved.
type FlushPins struct{ *guard.Promise[struct{}] }
