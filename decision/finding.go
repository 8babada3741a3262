package decision

import "time"

// Severity orders what a finding asks for.
type Severity uint8

const (
	// Note is recorded and changes nothing by itself.
	Note Severity = iota
	// Review asks a person to look; review mode decides what happens meanwhile.
	Review
	// Block denies the exchange.
	Block
)

// String returns "note", "review" or "block".
func (s Severity) String() string {
	switch s {
	case Block:
		return "block"
	case Review:
		return "review"
	default:
		return "note"
	}
}

// Category is the coarse class of a reason, the only thing about it that a
// denied caller learns.
type Category string

// The categories of the wire.
const (
	ToolPolicy      Category = "tool_policy"
	ToolFlow        Category = "tool_flow"
	PromptInjection Category = "prompt_injection"
	HiddenText      Category = "hidden_text"
	Secret          Category = "secret"
	PersonalData    Category = "personal_data"
	Exfiltration    Category = "exfiltration"
	Rate            Category = "rate"
	Size            Category = "size"
	MalformedBody   Category = "malformed"
	Unavailable     Category = "unavailable"
	GeneralPolicy   Category = "policy"
)

// Categories lists every category, for metrics that must exist at zero.
func Categories() []Category {
	return []Category{
		ToolPolicy, ToolFlow, PromptInjection, HiddenText, Secret, PersonalData,
		Exfiltration, Rate, Size, MalformedBody, Unavailable, GeneralPolicy,
	}
}

// The scanners: who produced a finding, a fault or a health sample.
const (
	ScannerContent = "content"
	ScannerModel   = "model"
	ScannerRules   = "rules"
	ScannerPins    = "pins"
	ScannerToken   = "token"
	ScannerEngine  = "engine"
)

// Finding is one thing that a scanner saw in an exchange. It carries where and
// what kind, never the matched text.
type Finding struct {
	// Scanner is one of the Scanner constants.
	Scanner string
	// Detector names the detector, e.g. "github_token"; audit only.
	Detector string
	// Category is the wire category of the finding.
	Category Category
	// Severity is what the finding asks for after configuration was applied.
	Severity Severity
	// Path is the JSON pointer (RFC 6901) of the string it was found in.
	Path string
	// View names the view it was found in: "raw", "normalised", "decoded", ...
	View string
	// Length is the length of the match in bytes of the original.
	Length int
	// HMAC is the keyed fingerprint of a high-entropy match, hex; empty without
	// an audit key.
	HMAC string
	// Score is the classifier's probability in [0,1]; 0 for other scanners.
	Score float64
}

// Action is what a rule asks for when it fires.
type Action uint8

const (
	// ActionShadow is recorded as what would have happened.
	ActionShadow Action = iota
	// ActionReview asks a person to look.
	ActionReview
	// ActionBlock denies.
	ActionBlock
)

// String returns the word used in rule packs.
func (a Action) String() string {
	switch a {
	case ActionBlock:
		return "block"
	case ActionReview:
		return "review"
	default:
		return "shadow"
	}
}

// Hit is one rule that fired.
type Hit struct {
	// Rule is the rule's name; audit only.
	Rule string
	// Kind is "call", "flow", "loop", "rate", "budget" or "acl".
	Kind string
	// Action is what the rule asks for.
	Action Action
	// Category is the wire category.
	Category Category
	// RetryAfter is when a rate or budget would admit the call again; 0 unknown.
	RetryAfter time.Duration
	// SharedKey is set when the rule fired on a key shared by several callers.
	SharedKey bool
}

// Exhausts reports whether the hit is a quota rather than a prohibition, which
// the wire tells apart (RESOURCE_EXHAUSTED instead of PERMISSION_DENIED).
func (h Hit) Exhausts() bool { return h.Kind == "rate" || h.Kind == "budget" }
