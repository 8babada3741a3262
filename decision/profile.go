package decision

// ListAction is what happens to a tool definition that must not be offered.
type ListAction uint8

const (
	// ListNote records it and leaves the list alone.
	ListNote ListAction = iota
	// ListRemove takes the definition out of the list; the rest passes.
	ListRemove
	// ListDeny refuses the whole list.
	ListDeny
)

// Profile is the set of verdict settings that may differ by service or route.
// The zero value fails closed and changes no message: nothing is masked, and bad
// definitions in lists are only noted. The engine starts from its configured default
// profile, not from the zero value.
type Profile struct {
	// Name is "" for the default profile.
	Name string
	Policy
	// BlockAt and ReviewAt override the model's calibrated thresholds when they
	// are in (0,1]; 0 keeps the calibrated value of each surface.
	BlockAt, ReviewAt float64
	// RedactResponses and RedactRequests switch masking per gate.
	RedactResponses, RedactRequests bool
	// PoisonedTools and DriftedTools say what happens to a tool definition with
	// a block finding, and to one that changed since it was pinned or cannot be
	// pinned.
	PoisonedTools, DriftedTools ListAction
	// HideDenied removes tools from a list that policy would deny when called.
	HideDenied bool
}
