package sallyport

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/supervision"
)

// The audit trail, for programs that keep one of their own.
type (
	// AuditSink is where audit records go; [OpenAuditFile] has one. The engine calls it
	// from one goroutine at a time and closes it. A record that Append returns an error
	// for is not handed over again, not even a gap line: that a line is missing is then
	// the sink's to say, once it can write.
	AuditSink = actors.AuditSink
	// AuditRecord is one line of the trail: an exchange and phase, or, with an Event,
	// something that happened to the engine. It holds names and lengths and no payload.
	// The names are as they came: whoever writes them somewhere else escapes them.
	AuditRecord = audit.Record
	// AuditFinding is what a record keeps of one finding.
	AuditFinding = audit.Finding
	// AuditFingerprint tells of a match without holding it.
	AuditFingerprint = audit.Fingerprint
	// AuditCoverage is how much of a payload was scanned.
	AuditCoverage = audit.Coverage
)

// AuditFile says where a trail is kept.
type AuditFile struct {
	// Path is the file; "-" is standard output, where every engine begins a chain of
	// its own.
	Path string
	// SignKey signs the checkpoints; nil leaves them unsigned.
	SignKey ed25519.PrivateKey
	// NoSync leaves it to the operating system when lines reach the disk; else they are
	// forced there about once a second.
	NoSync bool
}

// OpenAuditFile opens a trail for [Config].Audit: lines of JSON in a hash chain, which
// "sallyport audit verify" checks. A file that holds a trail is continued; one that
// holds something else, or that another process or engine writes, is an error. The
// engine closes it at the end of Shutdown; until one has it, whoever opened it does.
func OpenAuditFile(f AuditFile) (AuditSink, error) {
	if f.Path == "" {
		return nil, errors.New("sallyport: audit file without a path")
	}
	if n := len(f.SignKey); f.SignKey != nil && n != ed25519.PrivateKeySize { // the first checkpoint would panic
		return nil, fmt.Errorf("sallyport: audit file %q: the signing key has %d bytes, must have %d", f.Path, n, ed25519.PrivateKeySize)
	}
	o := audit.Options{Path: f.Path, SignKey: f.SignKey, Version: build.Version()}
	if f.NoSync {
		o.Sync = audit.SyncNever
	}
	w, err := audit.Open(o)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// partAudit is the readiness part of a trail without which nothing may happen.
const partAudit = "audit"

// auditReadiness withdraws readiness while a required trail takes no lines: a
// replica that must refuse everything should not be sent anything.
func (e *Engine) auditReadiness(t *supervision.Tree) {
	if !e.cfg.AuditRequired || t.Audit == nil {
		return
	}
	if err := e.auditFails(); err != nil {
		t.Lifecycle.Unready(partAudit, err.Error())
	} else {
		t.Lifecycle.Ready(partAudit)
	}
}

// auditFails is why a required trail takes no lines; nil while it does, or need not.
func (e *Engine) auditFails() error {
	t := e.tree()
	if !e.cfg.AuditRequired || t == nil || t.Audit == nil {
		return nil
	}
	return t.Audit.Failing()
}
