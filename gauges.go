package sallyport

import (
	"time"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// gaugeInterval is how old the gauges of queues and trace keys may be.
const gaugeInterval = time.Second

// moveGauges keeps the gauges current that nobody's work moves, and does what is due
// with time: the audit lines owed for exchanges that were shed, and the readiness of a
// trail that takes no lines.
func (e *Engine) moveGauges() {
	tick := time.NewTicker(gaugeInterval)
	defer tick.Stop()
	t := e.tree()
	defer close(e.gaugesEnd)
	for {
		e.auditReadiness(t)
		if owed := e.shedLog.due(e.now()); owed > 0 {
			e.event(&audit.Record{Event: audit.EventShed, Count: owed})
		}
		e.metrics.TraceKeys.Set(float64(t.Traces.Keys()))
		for label, depth := range t.Depths() {
			e.metrics.Mailbox(label).Set(float64(depth))
		}
		select {
		case <-e.gauges:
			return
		case <-tick.C:
		}
	}
}
