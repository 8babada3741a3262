package messages

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// PinHash is the SHA-256 of a canonical tool definition, or of one of its members.
// As text it is 64 hex digits.
type PinHash [32]byte

// MarshalText returns the hex digits.
func (h PinHash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads the hex digits.
func (h *PinHash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("pin hash: %d digits instead of %d", len(text), hex.EncodedLen(len(h)))
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return fmt.Errorf("pin hash: %w", err)
	}
	return nil
}

// ToolPin is one tool definition of a list as it was received now.
type ToolPin struct {
	// Index is the tool's place in tools[].
	Index int
	Name  string
	// Hash is over the whole canonical definition.
	Hash PinHash
	// Fields are the hashes of the definition's top-level members, by name. They
	// tell what changed without keeping any text.
	Fields map[string]PinHash
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
	// PinUnpinned is a tool that could not be pinned: the book has no room for it, or it is beyond the bounds of a pin.
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
