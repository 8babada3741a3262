package sallyport

import (
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// What a server in front of the engine tells it. The server refuses and reads its own
// certificates; the engine counts that and records it.

// TransportRefused counts something that a server in front of the engine refused
// before the engine saw it: "oversize", "undecodable", "overdue", "panic",
// "connections", "client_certificate" or "handshake".
func (e *Engine) TransportRefused(reason string) { e.metrics.TransportRefused(reason) }

// ServerRefused records a refusal that a server in front of the engine made by
// itself, with the verdict it answered: its reference is then found like any other.
func (e *Engine) ServerRefused(phase Phase, v Verdict) {
	e.metrics.Decision(phase, v.Outcome, "", 0)
	if v.Category == decision.Unavailable {
		e.metrics.Undecided(decision.FaultError)
	}
	if e.cfg.Audit == nil || v.Outcome == decision.Shed && !e.sayShed() {
		return
	}
	err := e.append(&audit.Record{Phase: phase.String(), Ref: v.Ref, Outcome: v.Outcome.String(), Reason: "server"})
	if err != nil {
		e.log.Warn(telemetry.MsgAuditFailing, zap.Error(err))
	}
}

// SettingsRefused records that new settings were not taken and the old ones stay.
func (e *Engine) SettingsRefused(err error) {
	e.metrics.RulesReload(telemetry.ReloadFailed)
	ok := false
	e.event(&audit.Record{Event: audit.EventRulesReload, OK: &ok, Reason: "settings: " + err.Error()})
}

// CertificatesReloaded counts an attempt of a server in front of the engine to read
// its certificates again; err says why the old ones stay, nil that they do not.
func (e *Engine) CertificatesReloaded(err error) {
	if err != nil {
		e.metrics.TLSReload(telemetry.ReloadFailed)
		return
	}
	e.metrics.TLSReload(telemetry.ReloadOK)
}

// CertificateUntil says when the certificate of a server in front of the engine ends.
func (e *Engine) CertificateUntil(until time.Time) { e.metrics.TLSExpiry(until) }
