package sallyport

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// span begins a span of one stage of the exchange; without a tracer it costs
// nothing. No span carries a tool, a principal or anything of the payload.
func (e *Engine) span(ctx context.Context, name string) (context.Context, trace.Span) {
	if e.cfg.Tracer == nil {
		return ctx, noop.Span{}
	}
	return e.cfg.Tracer.Start(ctx, name)
}
