package sallyport

import (
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision"
)

// observer turns what happens in the tree into metrics and audit events.
type observer struct {
	supervision.NoObserver
	e *Engine
}

func (o observer) ActorRestarted(label string) { o.e.metrics.ActorRestarted(label) }
func (o observer) TraceEvicted()               { o.e.metrics.TraceEvictions(1) }

func (o observer) AuditWritten() {
	o.e.metrics.AuditLines(1)
	if recovered, lost := o.e.losses.written(); recovered {
		o.e.log.Info(telemetry.MsgAuditRecovered, zap.Int64(telemetry.KeyCount, lost))
	}
}

func (o observer) AuditLost(err error) {
	o.e.metrics.AuditDropped(1)
	if lost := o.e.losses.lost(o.e.now()); lost > 0 {
		o.e.log.Warn(telemetry.MsgAuditFailing, zap.Int64(telemetry.KeyCount, lost), zap.Error(err))
	}
}

func (o observer) AuditTended(err error) {
	switch say, recovered := o.e.tended.saved(err, o.e.now()); {
	case say:
		o.e.log.Warn(telemetry.MsgAuditUntended, zap.Error(err))
	case recovered:
		o.e.log.Info(telemetry.MsgAuditTended)
	}
}

func (o observer) PinsSaved(err error) {
	switch say, recovered := o.e.saves.saved(err, o.e.now()); {
	case say:
		o.e.log.Warn("pins cannot be saved", zap.Error(err))
	case recovered:
		o.e.log.Info("pins are saved again")
	}
}

func (o observer) PhaseChanged(c messages.PhaseChange) {
	o.e.metrics.Serving(c.To.Ready())
	o.e.metrics.HealthTransition(c.To.String())
	r := &audit.Record{Reason: c.Reason, Time: c.At}
	switch c.To {
	case messages.Serving:
		r.Event = audit.EventReady
		if c.From == messages.Degraded {
			r.Event = audit.EventRecovered
		}
	case messages.Degraded:
		r.Event = audit.EventDegraded
	case messages.Draining:
		r.Event = audit.EventDrain
	case messages.Stopping:
		if owed := o.e.shedLog.rest(); owed > 0 {
			o.e.event(&audit.Record{Event: audit.EventShed, Count: owed})
		}
		r.Event = audit.EventStop
	case messages.Starting, messages.Warming, messages.Stopped:
		return
	}
	o.e.event(r)
}

func (o observer) Reloaded(report messages.ReloadReport) {
	m, log := o.e.metrics, o.e.log
	switch {
	case report.Err != nil:
		m.RulesReload(telemetry.ReloadFailed)
		log.Error(telemetry.MsgReloadFailed, zap.String(telemetry.KeyReason, report.Reason), zap.String("in_force", report.Version), zap.Error(report.Err))
	case report.Changed:
		m.RulesReload(telemetry.ReloadOK)
	default:
		m.RulesReload(telemetry.ReloadUnchanged)
	}
	if report.Changed {
		log.Info(telemetry.MsgReloaded, zap.String(telemetry.KeyReason, report.Reason), zap.String(telemetry.KeyVersion, report.Version), zap.Duration(telemetry.KeyDuration, report.Took))
		if t := o.e.tree(); t != nil {
			o.e.nameRules(t.Rules.Current())
		}
	}
	ok := report.Err == nil
	r := &audit.Record{Event: audit.EventRulesReload, OK: &ok, RulesVersion: report.Version, Reason: report.Reason, Time: report.At}
	if !ok {
		r.Reason = report.Err.Error()
	}
	o.e.event(r)
}
