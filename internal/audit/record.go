package audit

import "time"

// Phases of an exchange.
const (
	PhaseRequest  = "request"
	PhaseResponse = "response"
)

// Outcomes of an exchange and phase.
const (
	OutcomeAllow   = "allow"
	OutcomeMutated = "mutated"
	OutcomeReview  = "review"
	OutcomeDeny    = "deny"
	OutcomeInvalid = "invalid"
	OutcomeShed    = "shed"
	OutcomeError   = "error"
)

// Events: lines that tell about the process or the chain and not about one exchange. The last three are written by
// Writer itself.
const (
	EventStart       = "start"
	EventReady       = "ready"
	EventUnready     = "unready" // a part cannot be made ready; Reason says which and why
	EventDegraded    = "degraded"
	EventRecovered   = "recovered"
	EventRulesReload = "rules_reload"
	EventShed        = "shed" // Count exchanges were shed since the last such line without a line of their own
	EventDrain       = "drain"
	EventStop        = "stop"
	EventChainResume = "chain_resume"
	EventGap         = "gap"
	EventCheckpoint  = "checkpoint"
)

// Record is one audit line before it is chained. Empty fields are left out of the line. Writer caps and escapes every
// string, so callers pass names as they came. No field may hold matched text or payload.
type Record struct {
	Time  time.Time // zero means "now" by the writer's clock; written in UTC with milliseconds
	Event string    // one of the Event constants; empty for an exchange

	Phase     string // PhaseRequest or PhaseResponse
	Method    string // MCP method as received
	Service   string // upstream service that the gateway named
	Tool      string
	Route     string
	Principal string
	Headers   map[string]string // the request headers that AUDIT_HEADERS names, by lower-case name

	Exchange string // from the gateway's metadata, else x-request-id, else minted; never from the payload
	Ref      string // what a denied caller sees
	Outcome  string // one of the Outcome constants
	Would    string // the outcome that shadow or dry-run mode held back
	Reason   string // fixed sentence or short cause, never derived from payload

	Findings     []Finding
	MoreFindings int // those that a line has no room for, and are not in Findings
	RulesHit     []string
	Scores       map[string]float64 // classifier scores, 0 to 1, by model stage
	RulesVersion string
	Model        string // identity of the classifier
	Coverage     *Coverage
	Redactions   int           // strings that were masked or tools that were removed
	Bytes        int           // payload size
	Duration     time.Duration // of the whole check; written as whole microseconds

	SharedKey *bool  // the trace key was the service's, shared by all its callers; nil leaves it out
	OK        *bool  // of an event that can fail (rules_reload): whether it did what it was for; nil leaves it out
	Count     int64  // of an event: how many exchanges or lines it stands for
	Version   string // of Sallyport; empty means the writer's own
}

// Finding is what the audit keeps of one finding.
type Finding struct {
	Detector string
	Category string
	Severity string
	Path     string // JSON pointer of the string
	View     string // which reading of the string matched, for example "base64"
	FP       Fingerprint
}

// Coverage says how much of a payload was scanned.
type Coverage struct {
	Scanned int    `json:"scanned"` // bytes
	Total   int    `json:"total"`   // bytes
	Reason  string `json:"reason,omitempty"`
}

// MaxFindings is how many findings a line holds; the number left out is written as findings_dropped.
const MaxFindings = 64

// Bounds of one line. They keep a line below half a MiB whatever a caller sends: an escape takes six bytes.
const (
	maxName    = 256 // bytes of a name, an id or a header value
	maxReason  = 512 // bytes
	maxPath    = 512 // bytes of a JSON pointer
	maxRules   = 64  // per line; the number left out is written as rules_dropped
	maxScores  = 16  // per line
	maxHeaders = 16  // per line
)
