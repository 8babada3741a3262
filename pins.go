package sallyport

import "github.com/sallyport-mcp/sallyport/actors"

// Pins of tool definitions, for programs that show or approve them.
type (
	// Pin is the definition that a tool is held to.
	Pin = actors.Pin
	// PinFile is the path of a pins file; see [Config].PinsFile.
	PinFile = actors.PinFile
)

// ChangedMembers names the members in which a pinned definition and the latest
// one differ, in order; nil when they do not differ.
func ChangedMembers(p Pin) []string {
	if p.Seen == nil {
		return nil
	}
	return actors.Changed(p.Fields, p.Seen.Fields)
}
