package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"time"
)

// maxProblems bounds a report; a file that is not a chain at all would otherwise yield one problem a line.
const maxProblems = 100

// maxUncovered is how many lines in a row may stand without a checkpoint when signatures are checked: twice what the writer
// does, as a disk fault can delay one.
const maxUncovered = 2 * checkpointLines

// VerifyOptions says what Verify demands beyond an unbroken chain.
type VerifyOptions struct {
	// PublicKey, when set, must have signed every checkpoint, and no long run of lines may lack one.
	PublicKey ed25519.PublicKey
	// Anchor, when set, is a line that must be there.
	Anchor *Anchor
	// AllowRestart accepts that a new chain begins in the middle, as in a capture of standard output over several runs of
	// the process. It also accepts that somebody has cut the end of the chain before.
	AllowRestart bool
}

// Position is a place in the sources.
type Position struct {
	File string `json:"file"`
	Line int64  `json:"line"`          // from 1
	Seq  uint64 `json:"seq,omitempty"` // 0 when the line cannot be read
}

// String returns "file:line (seq N)".
func (p Position) String() string {
	s := fmt.Sprintf("%s:%d", p.File, p.Line)
	if p.Seq > 0 {
		s += fmt.Sprintf(" (seq %d)", p.Seq)
	}
	return s
}

// Problem kinds.
const (
	ProblemUnreadable = "unreadable" // not a line of a chain
	ProblemAltered    = "altered"    // the next line recorded another hash
	ProblemMissing    = "missing"    // line numbers are left out
	ProblemOrder      = "order"      // a line number comes again or goes back
	ProblemSignature  = "signature"  // a checkpoint is not signed by the key, or checkpoints are missing
	ProblemAnchor     = "anchor"     // the anchored line is not there or is another one
)

// Problem is one reason why a chain does not verify.
type Problem struct {
	Position
	Kind   string `json:"kind"`
	Detail string `json:"detail"` // one sentence; quotes nothing from the file
}

// Gap is a place where the writer itself has said that lines are lost.
type Gap struct {
	Position
	Time   time.Time `json:"ts"`
	Reason string    `json:"reason"`
	Count  int64     `json:"count"`
}

// VerifyReport is what Verify found.
type VerifyReport struct {
	Files       int       `json:"files"`
	Lines       int64     `json:"lines"` // readable ones
	First       uint64    `json:"first_seq"`
	Head        Anchor    `json:"head"`        // the last line; keep it as the anchor of the next check
	Checkpoints int64     `json:"checkpoints"` // all
	Signed      int64     `json:"signed"`      // checkpoints whose signature was checked and holds
	Uncovered   int64     `json:"uncovered"`   // lines after the last checkpoint
	Resumes     int64     `json:"resumes"`     // restarts and rotations
	Chains      int64     `json:"chains"`
	Gaps        []Gap     `json:"gaps"`
	Lost        int64     `json:"lost"`      // sum of the gaps' counts
	TornTail    bool      `json:"torn_tail"` // the last line is unfinished: the process died, or is writing it now
	Problems    []Problem `json:"problems"`
	More        int64     `json:"more_problems"` // beyond the first hundred
}

// OK reports whether the chain holds. Gaps that the writer has marked do not break it.
func (r *VerifyReport) OK() bool { return len(r.Problems) == 0 }

// Verify reads the sources in the order given (see Files) as one chain. It returns an error only when a source cannot be read
// or ctx ends; what is wrong with the chain is in the report.
func Verify(ctx context.Context, sources []Source, opt VerifyOptions) (*VerifyReport, error) {
	v := &verifier{opt: opt, report: VerifyReport{Files: len(sources)}}
	if err := eachLine(ctx, sources, func(l rawLine) bool { v.line(l); return true }); err != nil {
		return nil, fmt.Errorf("verify audit chain: %w", err)
	}
	v.finish()
	return &v.report, nil
}

// verifier walks one chain. Whether a mismatch between two lines is the first one's fault or the second one's shows only with
// the third, so one suspicion is held back.
type verifier struct {
	opt    VerifyOptions
	report VerifyReport

	last      Position // of the last readable line
	hash      Hash     // of it
	suspect   *Position
	damaged   []Position // unreadable lines since the last readable one
	unended   bool       // the last damaged one has no newline
	uncovered int64
	anchored  bool
}

func (v *verifier) line(raw rawLine) {
	at := Position{File: raw.file, Line: raw.number}
	l, err := ParseLine(raw.text)
	if raw.tooLong || err != nil {
		v.damaged = append(v.damaged, at)
		v.unended = !raw.ended
		if len(v.damaged) > maxProblems {
			v.flushDamaged()
		}
		return
	}
	at.Seq = l.Seq
	v.report.Lines++
	explained := v.explainDamage(l)
	hash := HashLine(raw.text)
	v.link(at, l, explained)
	v.account(at, l, raw.text)
	if a := v.opt.Anchor; a != nil && a.Seq == l.Seq && !v.anchored {
		v.anchored = true
		if a.Hash != hash {
			v.problem(at, ProblemAnchor, "its hash is not the anchored one")
		}
	}
	v.last, v.hash = at, hash
}

// explainDamage settles the unreadable lines before l and reports how many there were.
func (v *verifier) explainDamage(l Line) int {
	n := len(v.damaged)
	if l.Event == EventGap && l.Torn >= int64(n) {
		v.damaged = v.damaged[:0]
		return 0 // the writer has marked them, and they never had a number
	}
	v.flushDamaged()
	return n
}

func (v *verifier) flushDamaged() {
	for _, p := range v.damaged {
		v.problem(p, ProblemUnreadable, "it is not a line of an audit chain, and no gap line accounts for it")
	}
	v.damaged = v.damaged[:0]
}

// link checks that l follows the last line; damage is how many unreadable lines stand between them.
func (v *verifier) link(at Position, l Line, damage int) {
	if v.last.Seq == 0 {
		v.report.First = l.Seq
		v.report.Chains++
		if l.Seq == 1 && !l.Prev.IsZero() {
			v.problem(at, ProblemAltered, "it is the first line of a chain but names one before it")
		}
		return
	}
	next := v.last.Seq + 1
	follows := l.Seq == next && l.Prev == v.hash
	if s := v.suspect; s != nil {
		v.suspect = nil
		if follows || damage > 0 {
			v.problem(*s, ProblemAltered, "its hash is not the one that the next line recorded")
		} else {
			v.problem(v.last, ProblemAltered, "its hash and its link to the line before are both wrong")
			if l.Seq == next {
				return // the same change explains this link
			}
		}
	}
	switch {
	case follows:
	case l.Seq == next:
		last := v.last
		v.suspect = &last
	case l.Seq == 1 && l.Prev.IsZero():
		v.report.Chains++
		if !v.opt.AllowRestart {
			v.problem(at, ProblemOrder, fmt.Sprintf("a new chain begins after seq %d", v.last.Seq))
		}
	case l.Seq > next:
		if missing := l.Seq - next; missing != uint64(damage) {
			v.problem(at, ProblemMissing, missingLines(missing, next, l.Seq-1))
		}
	default:
		v.problem(at, ProblemOrder, fmt.Sprintf("it comes after seq %d", v.last.Seq))
	}
}

// account counts what l is and checks it if it is a checkpoint.
func (v *verifier) account(at Position, l Line, text []byte) {
	v.uncovered++
	switch l.Event {
	case EventGap:
		v.report.Gaps = append(v.report.Gaps, Gap{Position: at, Time: l.Time, Reason: l.Reason, Count: l.Count})
		v.report.Lost += l.Count
	case EventChainResume:
		v.report.Resumes++
	case EventCheckpoint:
		v.uncovered = 0
		v.report.Checkpoints++
		if v.opt.PublicKey != nil {
			v.signature(at, l, text)
		}
	}
	if v.opt.PublicKey != nil && v.uncovered == maxUncovered+1 {
		v.problem(at, ProblemSignature, fmt.Sprintf("no checkpoint in the %d lines before it", maxUncovered))
	}
}

func (v *verifier) signature(at Position, l Line, text []byte) {
	if len(l.Signature) == 0 {
		v.problem(at, ProblemSignature, "the checkpoint is not signed")
		return
	}
	member := []byte(`,"sig":"` + base64.StdEncoding.EncodeToString(l.Signature) + `"}`)
	unsigned, ok := bytes.CutSuffix(text, member)
	if !ok || !ed25519.Verify(v.opt.PublicKey, signed(unsigned), l.Signature) {
		detail := "the signature does not fit the line"
		if l.Key != KeyID(v.opt.PublicKey) {
			detail = "the checkpoint was signed with another key"
		}
		v.problem(at, ProblemSignature, detail)
		return
	}
	v.report.Signed++
}

// finish settles what only the end of the chain decides.
func (v *verifier) finish() {
	if v.suspect != nil {
		v.problem(*v.suspect, ProblemAltered, "its hash is not the one that the next line recorded")
	}
	if len(v.damaged) == 1 && v.unended {
		v.report.TornTail = true
		v.damaged = nil
	}
	v.flushDamaged()
	v.report.Head = Anchor{Seq: v.last.Seq, Hash: v.hash}
	v.report.Uncovered = v.uncovered
	if a := v.opt.Anchor; a != nil && !v.anchored {
		detail := fmt.Sprintf("the chain ends before the anchored seq %d: its tail was cut", a.Seq)
		if v.last.Seq > a.Seq {
			detail = fmt.Sprintf("the anchored seq %d is not in the files given", a.Seq)
		}
		v.problem(v.last, ProblemAnchor, detail)
	}
}

func (v *verifier) problem(at Position, kind, detail string) {
	if len(v.report.Problems) == maxProblems {
		v.report.More++
		return
	}
	v.report.Problems = append(v.report.Problems, Problem{Position: at, Kind: kind, Detail: detail})
}

func missingLines(n, first, last uint64) string {
	if first == last {
		return fmt.Sprintf("seq %d is missing before it", first)
	}
	return fmt.Sprintf("%d lines are missing before it (seq %d to %d)", n, first, last)
}
