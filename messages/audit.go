package messages

import (
	"log/slog"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Append asks the audit actor to write one record.
type Append struct {
	guard.Quiet
	Record *audit.Record
	// Done, when given, is told once what became of the record: nil when it is
	// written. It must not block.
	Done func(error)
}

// Reject tells Done that the record was not written.
func (a *Append) Reject(err error) {
	if a.Done != nil {
		a.Done(err)
	}
}

// String hides the record, which names callers and tools.
func (a *Append) String() string { return "audit append" }

// GoString is String.
func (a *Append) GoString() string { return a.String() }

// LogValue is String.
func (a *Append) LogValue() slog.Value { return slog.StringValue(a.String()) }

// FlushAudit is resolved once everything that was appended before it is written.
type FlushAudit struct{ *guard.Promise[struct{}] }

// ReopenAudit makes the sink open its file anew, after a rotation.
type ReopenAudit struct{ *guard.Promise[struct{}] }
