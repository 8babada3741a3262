package sallyport

import (
	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// modelObserver tells the metrics what the model pool does.
type modelObserver struct{ m *telemetry.Metrics }

var _ actors.ModelObserver = modelObserver{}

func (o modelObserver) Queue(windows, _ int) { o.m.ModelQueueWindows.Set(float64(windows)) }

func (o modelObserver) Batch(b actors.BatchStats) {
	o.m.Batch(telemetry.Batch{Windows: b.Windows, Tokens: b.Tokens, Padding: b.Padding(), Wait: b.Wait, Infer: b.Run})
}

func (o modelObserver) Cache(_ string, hits, misses int) {
	o.m.Cache(telemetry.CacheHit, hits)
	o.m.Cache(telemetry.CacheMiss, misses)
}

// Fault is counted where the exchange is counted, as a scanner result.
func (o modelObserver) Fault(messages.ModelFault) {}

func (o modelObserver) Workers(idle, busy, down, abandoned int) {
	o.m.Workers(idle, busy, down, abandoned)
}

func (o modelObserver) Abandoned() { o.m.WorkerAbandoned() }

func (o modelObserver) Restarted() { o.m.ActorRestarted("modelworker") }
