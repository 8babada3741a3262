package sallyport

import (
	"errors"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// append hands a record to the audit trail.
func (e *Engine) append(r *audit.Record) error {
	if e.early.hold(r) {
		return nil
	}
	t := e.tree()
	if t == nil { // too many, or of an engine that never came up
		e.metrics.AuditDropped(1)
		return errTrailClosed
	}
	return t.Audit.Append(r)
}

// event writes an audit line that is not about one exchange.
func (e *Engine) event(r *audit.Record) {
	if e.cfg.Audit == nil {
		return
	}
	if err := e.append(r); err != nil {
		e.log.Warn(telemetry.MsgAuditFailing, zap.String(telemetry.KeyReason, r.Event), zap.Error(err))
	}
}

// sayShed reports whether an exchange that was shed gets an audit line of its own, and
// writes what is owed for earlier ones that did not.
func (e *Engine) sayShed() bool {
	own, owed := e.shedLog.allow(e.now())
	if owed > 0 {
		e.event(&audit.Record{Event: audit.EventShed, Count: owed})
	}
	return own
}

// nameRules gives every rule in force its series.
func (e *Engine) nameRules(t *messages.Tuple) {
	names := []string{ruleAccessList}
	for _, info := range t.Rules.Pack().Rules() {
		names = append(names, info.Name)
	}
	e.metrics.RulesLoaded(t.Version, names, t.LoadedAt)
}

// earlyEvents keeps the audit lines of a start until its trail is there. It has a
// lock and is not an actor because the actors are what is being started.
type earlyEvents struct {
	mu   sync.Mutex
	held []*audit.Record
	over atomic.Bool // everything held was written; set under mu
}

// maxEarly bounds what is kept; a start writes a handful of lines.
const maxEarly = 64

// hold keeps r, if the start is not over and there is room, and says whether it did.
func (q *earlyEvents) hold(r *audit.Record) bool {
	if q.over.Load() {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over.Load() || len(q.held) >= maxEarly {
		return false
	}
	q.held = append(q.held, r)
	return true
}

// release hands everything that was kept to write, in order and before anything that
// comes later. The trail must be there already, and write must not wait for it.
func (q *earlyEvents) release(write func(*audit.Record) error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range q.held {
		_ = write(r) // counted by the trail itself
	}
	q.held = nil
	q.over.Store(true)
}

// auditSink is the configured sink, behind which a start that fails still leaves
// its lines.
func (e *Engine) auditSink() AuditSink {
	if e.cfg.Audit == nil {
		return nil
	}
	if r, ok := e.cfg.Audit.(actors.AuditReopener); ok {
		return struct {
			earlySink
			actors.AuditReopener
		}{earlySink{e.cfg.Audit, e}, r}
	}
	return earlySink{e.cfg.Audit, e}
}

type earlySink struct {
	AuditSink
	e *Engine
}

// Close writes what was held back for a trail that never came. Only the first one does
// something: a start that fails closes the sink, and so does the shutdown after it, which
// is told the same.
func (s earlySink) Close() error {
	s.e.once.sink.Do(func() {
		defer close(s.e.sinkEnd)
		var lost []error // a line that the sink panics on costs neither the others nor the close
		s.e.early.release(func(r *audit.Record) error {
			err := guard.Shield("append audit record", func() error { return s.AuditSink.Append(r) })
			lost = append(lost, err)
			return err
		})
		s.e.sinkErr = errors.Join(append(lost, guard.Shield("close audit sink", s.AuditSink.Close))...)
	})
	return s.e.sinkErr
}
