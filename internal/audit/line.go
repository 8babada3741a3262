package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/v2"
	"errors"
	"fmt"
	"time"
)

// Hash is the SHA-256 of one line without its newline. The zero Hash stands before the first line of a chain.
type Hash [sha256.Size]byte

// HashLine returns the hash of line, which must not contain the newline.
func HashLine(line []byte) Hash { return sha256.Sum256(line) }

// ParseHash reads 64 hexadecimal digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 2*len(h) {
		return Hash{}, fmt.Errorf("parse line hash: %d characters, want %d", len(s), 2*len(h))
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, fmt.Errorf("parse line hash: %w", err)
	}
	return h, nil
}

// String returns 64 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h stands before the first line.
func (h Hash) IsZero() bool { return h == Hash{} }

// Line is one parsed audit line.
type Line struct {
	Seq    uint64
	Prev   Hash
	Record // of a chain line (checkpoint, gap, chain_resume) only Time, Event, Reason, Count and Version are set

	FindingsDropped int    // findings that the cap left out
	RulesDropped    int    // rules that the cap left out
	Torn            int64  // gap: how many damaged lines stand directly before this one
	Key             string // checkpoint: KeyID of the signing key, empty when unsigned
	Signature       []byte // checkpoint
}

// wireLine mirrors the members of a line for the decoder. Members of later versions are ignored.
type wireLine struct {
	Seq             uint64             `json:"seq"`
	Prev            string             `json:"prev"`
	TS              string             `json:"ts"`
	Event           string             `json:"event"`
	OK              *bool              `json:"ok"`
	Phase           string             `json:"phase"`
	Method          string             `json:"method"`
	Service         string             `json:"service"`
	Tool            string             `json:"tool"`
	Route           string             `json:"route"`
	Principal       string             `json:"principal"`
	Headers         map[string]string  `json:"headers"`
	SharedKey       *bool              `json:"shared_key"`
	Exchange        string             `json:"exchange"`
	Ref             string             `json:"ref"`
	Outcome         string             `json:"outcome"`
	Would           string             `json:"would"`
	Reason          string             `json:"reason"`
	Findings        []wireFinding      `json:"findings"`
	FindingsDropped int                `json:"findings_dropped"`
	RulesHit        []string           `json:"rules_hit"`
	RulesDropped    int                `json:"rules_dropped"`
	Scores          map[string]float64 `json:"scores"`
	RulesVersion    string             `json:"rules_version"`
	Model           string             `json:"model"`
	Coverage        *Coverage          `json:"coverage"`
	Redactions      int                `json:"redactions"`
	Bytes           int                `json:"bytes"`
	DurationUS      int64              `json:"duration_us"`
	Count           int64              `json:"count"`
	Torn            int64              `json:"torn"`
	Version         string             `json:"version"`
	Key             string             `json:"key"`
	Sig             []byte             `json:"sig"`
}

type wireFinding struct {
	Detector string      `json:"detector"`
	Category string      `json:"category"`
	Severity string      `json:"severity"`
	Path     string      `json:"path"`
	View     string      `json:"view"`
	FP       Fingerprint `json:"fp"`
}

var (
	errNotChainLine = errors.New("no seq and prev: not a line of an audit chain")
	errNoKind       = errors.New("neither an event nor a phase")
)

// ParseLine reads one line, without its newline. It refuses invalid JSON, repeated names, invalid UTF-8, and objects that
// carry no seq and prev, or say neither event nor phase.
func ParseLine(line []byte) (Line, error) {
	var w wireLine
	if err := json.Unmarshal(line, &w); err != nil {
		return Line{}, fmt.Errorf("parse audit line: %w", err)
	}
	if w.Seq == 0 || w.Prev == "" {
		return Line{}, fmt.Errorf("parse audit line: %w", errNotChainLine)
	}
	if w.Event == "" && w.Phase == "" {
		return Line{}, fmt.Errorf("parse audit line %d: %w", w.Seq, errNoKind)
	}
	prev, err := ParseHash(w.Prev)
	if err != nil {
		return Line{}, fmt.Errorf("parse audit line %d: %w", w.Seq, err)
	}
	ts, err := time.Parse(time.RFC3339, w.TS)
	if err != nil {
		return Line{}, fmt.Errorf("parse audit line %d: %w", w.Seq, err)
	}
	var findings []Finding
	for _, f := range w.Findings {
		findings = append(findings, Finding(f))
	}
	return Line{
		Seq: w.Seq, Prev: prev,
		Record: Record{
			Time: ts, Event: w.Event, OK: w.OK, SharedKey: w.SharedKey, Phase: w.Phase, Method: w.Method, Service: w.Service, Tool: w.Tool, Route: w.Route,
			Principal: w.Principal, Headers: w.Headers, Exchange: w.Exchange, Ref: w.Ref, Outcome: w.Outcome, Would: w.Would,
			Reason: w.Reason, Findings: findings, RulesHit: w.RulesHit, Scores: w.Scores, RulesVersion: w.RulesVersion,
			Model: w.Model, Coverage: w.Coverage, Redactions: w.Redactions, Bytes: w.Bytes,
			Duration: time.Duration(w.DurationUS) * time.Microsecond, Count: w.Count, Version: w.Version,
		},
		FindingsDropped: w.FindingsDropped, RulesDropped: w.RulesDropped,
		Torn: w.Torn, Key: w.Key, Signature: w.Sig,
	}, nil
}
