package content

// Severity is how bad a finding is on its own; what follows from it is policy.
type Severity uint8

// The severities in rising order.
const (
	Note Severity = iota
	Review
	Block
)

// String returns "note", "review" or "block".
func (s Severity) String() string {
	switch s {
	case Block:
		return "block"
	case Review:
		return "review"
	}
	return "note"
}

// The categories of findings; they are the categories that the wire knows.
const (
	CategoryHiddenText      = "hidden_text"
	CategoryPromptInjection = "prompt_injection"
	CategorySecret          = "secret"
	CategoryPersonalData    = "personal_data"
	CategoryExfiltration    = "exfiltration"
	CategoryPolicy          = "policy"
)

// The views in which a string is read. A finding in a view other than raw still points at the received text.
const (
	ViewRaw        = "raw"
	ViewNormalised = "normalised"
	ViewDecoded    = "decoded"
	ViewCollapsed  = "collapsed"
	ViewUnmarked   = "unmarked"
	ViewJoined     = "joined"
	ViewNumber     = "number"
)

// Finding is one thing that a detector found. It carries no text.
type Finding struct {
	// Detector is the stable name of the detector.
	Detector string
	// Category is one of the Category constants.
	Category string
	Severity Severity
	// String is the index into [Document.Strings]; for a JSON number that of its member name.
	String int
	// Tool is the position in tools[] of the definition it is in, else -1.
	Tool int
	// Path is the RFC 6901 pointer of the string, see [Document.Pointer].
	Path string
	// View is the view it was found in.
	View string
	// Start and End span the match in bytes of the decoded text of the string, -1 when a match cannot be
	// located in it (a number, text joined from two blocks).
	Start, End int
	// Length is the length of the match in bytes of the view.
	Length int
	// Mask is the TYPE that redaction writes, "" when the match is not to be masked or cannot be.
	Mask string
	// Also are further matches of the detector in the same string, to be masked like this one: of a flood, the
	// first few are findings of their own.
	Also []Range
	// HighEntropy is true when the match is random enough for a keyed fingerprint of it to be safe to log.
	HighEntropy bool
}

// Range is a span in bytes of the decoded text of a string.
type Range struct{ Start, End int }

// Coverage says how much of the payload was looked at.
type Coverage struct {
	// ScannedBytes and TotalBytes count decoded text. Skipped blobs are the difference, but for those of no known kind ("binary"),
	// which are read as the text they are.
	ScannedBytes, TotalBytes int
	// Partial is true when a budget or a depth left something undecoded, or what follows was of no consequence.
	Partial bool
	// Reason says why, "" when not partial: "incomplete-decode", or "refused", see [Document.RefuseBlocked].
	Reason string
	// Skipped counts what was noted instead of scanned, by kind: "image", "audio", "video", "archive", "binary".
	Skipped map[string]int
}

// Report is the result of a scan.
type Report struct {
	Findings []Finding
	Coverage Coverage
}
