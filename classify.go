package sallyport

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// classification is a question to the model that is on its way.
type classification struct {
	began    time.Time
	span     trace.Span
	segments []content.Segment
	limits   []inference.Thresholds
	result   actors.ModelResult
	err      error
	done     chan struct{} // closed when result or err is set
}

// classify asks the model about the texts of the exchange, on a goroutine of its
// own: tokenising is work, and the detectors need not wait for it. It returns nil
// when there is nothing to ask. ctx bounds the wait.
func (r *run) classify(ctx context.Context) *classification {
	if r.e.tree().Model == nil {
		return nil
	}
	segments := r.doc.Segments(r.side())
	if len(segments) == 0 {
		return nil
	}
	c := &classification{began: r.e.now(), segments: segments, done: make(chan struct{})}
	ctx, c.span = r.e.span(ctx, telemetry.SpanClassify)
	c.limits = make([]inference.Thresholds, len(segments))
	ask := make([]actors.ModelSegment, len(segments))
	info, _, _ := r.e.tree().Model.Info()
	for i, s := range segments {
		c.limits[i] = r.thresholds(info, s.Surface)
		ask[i] = actors.ModelSegment{Text: s.Text, Surface: s.Surface.String(), BlockAt: c.limits[i].Block}
		if s.Tool >= 0 {
			ask[i].BlockAt = 0 // every tool of a list is judged, not only the first bad one
		}
	}
	go func() {
		defer close(c.done)
		defer func() {
			if recover() != nil {
				c.err = &messages.ModelError{Fault: messages.ModelPanic}
			}
		}()
		c.result, c.err = r.e.tree().Model.Classify(ctx, ask, actors.ModelLimits{})
	}()
	return c
}

// thresholds are the calibrated ones of the surface unless the profile sets its own.
func (r *run) thresholds(info inference.Info, surface content.Surface) inference.Thresholds {
	t := info.Thresholds(surface.String())
	if r.profile.BlockAt > 0 {
		t.Block = r.profile.BlockAt
	}
	if r.profile.ReviewAt > 0 {
		t.Review = r.profile.ReviewAt
	}
	return t
}

// judge waits for the model's scores and turns them into findings.
func (r *run) judge(ctx context.Context, c *classification) {
	if c == nil {
		return
	}
	<-c.done
	defer c.span.End()
	if c.err != nil {
		fault, ok := messages.ModelFaultOf(c.err)
		switch {
		case !ok:
			fault = messages.ModelRuntime
		case (fault == messages.ModelTimeout || fault == messages.ModelLate) && !r.ours(ctx), fault == messages.ModelUnreachable && ctx.Err() != nil && !r.ours(ctx):
			fault = messages.ModelCancelled // the caller's own deadline
		}
		r.fault(decision.ScannerModel, modelFaultKind(fault), fault.String())
		r.e.modelFault(fault, c.began)
		return
	}
	c.span.SetAttributes(telemetry.AttrWindows.Int(c.result.Cached+c.result.Shared+c.result.Computed),
		telemetry.AttrBatch.Float64(c.result.MeanBatch()))
	result := telemetry.ScanClean
	r.read(c)
	r.in.Partial = r.in.Partial || c.result.Dropped > 0
	r.dropped = c.result.Dropped
	for i, s := range c.result.Segments {
		var severity decision.Severity
		detector, score := "classifier", s.Score
		switch {
		case s.GateBlocked && s.Score < c.limits[i].Block:
			severity, detector, score = decision.Block, "gate", s.Gate
		case s.Score >= c.limits[i].Block:
			severity = decision.Block
		case s.Score >= c.limits[i].Review:
			severity = decision.Review
		default:
			continue
		}
		result = telemetry.ScanFound
		segment := c.segments[i]
		r.labels = append(r.labels, label{string(decision.PromptInjection), segment.Tool})
		r.found(decision.Finding{
			Scanner: decision.ScannerModel, Detector: detector, Category: decision.PromptInjection,
			Severity: severity, Path: r.doc.Pointer(segment.String), View: segment.View,
			Length: s.End - s.Start, Score: score,
		}, segment.Tool)
	}
	r.e.scanned(decision.ScannerModel, result, c.began)
}

// read notes which models read the exchange and what they made of it: the gate, where
// there is one, and the judge, unless the gate left it nothing to read. A score that
// was not computed is not written down as a zero.
func (r *run) read(c *classification) {
	r.in.Score, r.modelID = c.result.Score, c.result.Model
	gate, gated := r.e.tree().Model.GateInfo()
	if !gated {
		r.scores = map[string]float64{stageJudge: c.result.Score}
		return
	}
	r.modelID = gate.ID + ">" + c.result.Model
	first, judged := 0.0, false
	for _, s := range c.result.Segments {
		first = max(first, s.Gate)
		judged = judged || s.Judged > 0
		if s.GateBlocked {
			r.in.Score = max(r.in.Score, s.Gate)
		}
	}
	r.scores = map[string]float64{stageGate: first}
	if judged {
		r.scores[stageJudge] = c.result.Score
	}
	c.span.SetAttributes(telemetry.AttrJudged.Int(c.result.Judged))
}

// modelFaultKind is how a model fault counts in the verdict: a model that was
// never proved is not ready whatever the failure mode, everything else is
// something that could not be decided.
func modelFaultKind(f messages.ModelFault) decision.FaultKind {
	switch f {
	case messages.ModelNotReady:
		return decision.FaultNotReady
	case messages.ModelLost:
		return decision.FaultDown
	case messages.ModelQueueFull:
		return decision.FaultQueueFull
	case messages.ModelUnreachable, messages.ModelTimeout, messages.ModelLate, messages.ModelHung:
		return decision.FaultTimeout
	case messages.ModelCancelled:
		return decision.FaultCancelled
	case messages.ModelPanic, messages.ModelRuntime, messages.ModelPoison, messages.ModelBadScore:
		return decision.FaultError
	}
	return decision.FaultError
}
