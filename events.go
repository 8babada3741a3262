package sallyport

import (
	"sync"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// append hands a record to the audit trail.
func (e *Engine) append(r *audit.Record) error {
	if e.tree() == nil && e.early.hold(r) {
		return nil
	}
	return e.tree().Audit.Append(r)
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

// nameRules gives every rule in force its series.
func (e *Engine) nameRules(t *messages.Tuple, report messages.ReloadReport) {
	infos := t.Rules.Pack().Rules()
	names := make([]string, len(infos))
	for i := range infos {
		names[i] = infos[i].Name
	}
	e.metrics.RulesLoaded(t.Version, names, report.At)
}

// earlyEvents keeps the audit lines of a start until its trail is there. It has a
// lock and is not an actor because the actors are what is being started.
type earlyEvents struct {
	mu   sync.Mutex
	held []*audit.Record
	over bool
}

// maxEarly bounds what is kept; a start writes a handful of lines.
const maxEarly = 64

// hold keeps r, and reports false when the trail is there already.
func (q *earlyEvents) hold(r *audit.Record) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.over && len(q.held) < maxEarly {
		q.held = append(q.held, r)
	}
	return !q.over
}

// release hands everything that was kept to write, in order. The trail must be
// there already.
func (q *earlyEvents) release(write func(*audit.Record) error) {
	q.mu.Lock()
	held := q.held
	q.held, q.over = nil, true
	q.mu.Unlock()
	for _, r := range held {
		_ = write(r) // counted by the trail itself
	}
}
