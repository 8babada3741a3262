package sallyport

import (
	"context"
	"errors"
	"time"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/messages"
)

// How a scanner run ended goes two ways: to the metrics, always, and to the
// health actor, when it says something about us. What the input caused and what
// was shed or cancelled is no health sample: a caller must not be able to switch
// readiness off.

// scanned counts a run that gave its answer; a block is an answer.
func (e *Engine) scanned(scanner, result string, began time.Time) {
	e.metrics.Scanner(scanner, result, e.now().Sub(began))
	e.tree().Health.Record(scanner, messages.OutcomeOK)
}

// broken counts a run that failed through a fault of ours.
func (e *Engine) broken(scanner string, began time.Time) {
	e.metrics.Scanner(scanner, telemetry.ScanError, e.now().Sub(began))
	if t := e.tree(); t != nil { // a panic may come before the start
		t.Health.Record(scanner, messages.OutcomeError)
	}
}

// interrupted counts a run whose context ended, and tells a deadline of ours from
// a caller that went away. Such a deadline is a health sample when the scanner was
// stuck: it did nothing for anyone for most of the time that a run may take. What only
// computes (the detectors) never is; what is slow there is the payload, or the load.
func (e *Engine) interrupted(ctx context.Context, scanner string, began time.Time, stuck bool) decision.FaultKind {
	took := e.now().Sub(began)
	if ours(ctx) {
		e.metrics.Scanner(scanner, telemetry.ScanTimeout, took)
		if stuck && took >= e.timeouts().scanner/2 {
			e.tree().Health.Record(scanner, messages.OutcomeTimeout)
		}
		return decision.FaultTimeout
	}
	e.metrics.Scanner(scanner, telemetry.ScanCancelled, took)
	return decision.FaultCancelled
}

// ours reports whether ctx ended by our deadline. A deadline that the caller
// brought along, however short, says nothing about us.
func ours(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errScannerTimeout) }

// ours is [ours] for a context that may not have ended yet: the model pool watches the
// same deadline by a timer of its own, which may be a moment quicker.
func (r *run) ours(ctx context.Context) bool {
	if ctx.Err() == nil {
		return r.patient
	}
	return ours(ctx)
}

// rulesScanned counts an evaluation of the rules. A predicate that failed on this
// input is counted as such and is no health sample.
func (e *Engine) rulesScanned(faulty bool, began time.Time) {
	if faulty {
		e.metrics.Scanner(decision.ScannerRules, telemetry.ScanFault, e.now().Sub(began))
		return
	}
	e.scanned(decision.ScannerRules, telemetry.ScanClean, began)
}

// modelFault counts a classification without a score.
func (e *Engine) modelFault(f messages.ModelFault, began time.Time) {
	var result string
	switch f {
	case messages.ModelQueueFull, messages.ModelUnreachable, messages.ModelLate:
		result = telemetry.ScanShed
	case messages.ModelCancelled:
		result = telemetry.ScanCancelled
	case messages.ModelTimeout, messages.ModelHung:
		result = telemetry.ScanTimeout
	case messages.ModelPoison, messages.ModelBadScore:
		result = telemetry.ScanFault
	case messages.ModelNotReady, messages.ModelLost, messages.ModelPanic, messages.ModelRuntime:
		result = telemetry.ScanError
	}
	e.metrics.Scanner(decision.ScannerModel, result, e.now().Sub(began))
	if !f.Sample() {
		return
	}
	kind := messages.OutcomeError
	if result == telemetry.ScanTimeout {
		kind = messages.OutcomeTimeout
	}
	e.tree().Health.Record(decision.ScannerModel, kind)
}
