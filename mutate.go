package sallyport

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// mutate masks what may be masked and takes dropped tools out of the list, by
// splicing the received bytes. A mutation that does not hold its shape refuses
// the exchange: sending the original instead would undo the decision.
func (r *run) mutate(ctx context.Context) {
	m := content.Mutation{}
	if r.redacts() {
		m.Mask = r.masks
	}
	for index := range r.dropping {
		m.RemoveTools = append(m.RemoveTools, index)
	}
	if len(m.Mask) == 0 && len(m.RemoveTools) == 0 {
		return
	}
	_, span := r.e.span(ctx, telemetry.SpanRedact)
	defer span.End()
	out, err := content.Rewrite(r.doc, m)
	if err == nil && out.Changed {
		err = content.CheckShape(r.ex.Method, r.side(), out.Bytes)
	}
	if err != nil {
		r.e.log.Error("mutation did not hold", zap.String(telemetry.KeyRef, r.id.ref), zap.String(telemetry.KeyMethod, telemetry.MethodLabel(r.ex.Method)), zap.Error(err))
		failed := decision.Finding{
			Scanner: decision.ScannerEngine, Detector: "mutation_failed", Category: decision.GeneralPolicy, Severity: decision.Block,
		}
		var shape *content.ShapeError
		if errors.As(err, &shape) {
			failed.Path = shape.Path
		}
		r.in.Findings = append(r.in.Findings, failed)
		return
	}
	if !out.Changed {
		return
	}
	r.in.Mutation, r.in.Redactions, r.in.Removed = out.Bytes, out.Masked, out.Removed
}
