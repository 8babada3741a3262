package messages

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Classify asks the model pool for one score per window.
type Classify struct {
	*guard.Promise[Classification]
	// Windows are what to score, in the order of the answer. Windows with equal keys,
	// of this or of any other request in flight, are computed once.
	Windows []inference.Window
	// Stage is the model: StageJudge or StageGate.
	Stage int
	// Deadline is when the caller stops waiting. Zero means half a minute from the
	// moment the pool sees the message.
	Deadline time.Time
	// BlockAt ends the request early: once a window scores at least this, the others
	// are not computed any more. Zero or less: never.
	BlockAt float64
	// BlockAts, when not nil, is BlockAt per window.
	BlockAts []float64

	started atomic.Bool
}

// The models of a pool, as Classify.Stage names them.
const (
	StageJudge = iota
	StageGate
)

// MarkStarted notes that workers have taken all windows of this request. Like the
// promise it only ever goes one way.
func (c *Classify) MarkStarted() { c.started.Store(true) }

// Started reports whether workers had taken all windows of this request. It tells
// a timeout of work that had started, which is a fault of ours, from one of work
// that still waited in the queue, which is load.
func (c *Classify) Started() bool { return c.started.Load() }

// String shows the shape of the request and nothing of the text.
func (c *Classify) String() string {
	return fmt.Sprintf("classify(windows=%d stage=%d)", len(c.Windows), c.Stage)
}

// GoString is String.
func (c *Classify) GoString() string { return c.String() }

// LogValue is String.
func (c *Classify) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Classification is the answer to Classify.
type Classification struct {
	// Scores are probabilities in [0, 1], one per window; -1 where the request ended
	// early and the window was not computed.
	Scores []float32
	// Cached, Shared and Computed count the windows whose score was known, was
	// already in flight for somebody else, and was computed for this request.
	Cached, Shared, Computed int
	// Together is the sum, over those that were shared or computed, of the windows in
	// the batch that a window ran in: divided by their number, the mean batch.
	Together int
}

// ModelFault says why the model gave no score.
type ModelFault uint8

const (
	// ModelNotReady is a model that has never been proved in this process.
	ModelNotReady ModelFault = iota
	// ModelLost is a model that was ready once and is not now.
	ModelLost
	// ModelQueueFull is work beyond the bound of the queue; refused at once.
	ModelQueueFull
	// ModelUnreachable is a deadline that could not be met at the measured rate;
	// refused at once, or dropped from the queue before it started.
	ModelUnreachable
	// ModelTimeout is a deadline that passed after the work had started, while the model
	// gave no score to anyone.
	ModelTimeout
	// ModelCancelled is a caller that went away.
	ModelCancelled
	// ModelPanic is a panic in a worker or in the pool.
	ModelPanic
	// ModelHung is a run that did not come back in time and was given up.
	ModelHung
	// ModelRuntime is a runtime that fails, on the canary too.
	ModelRuntime
	// ModelPoison is a window on which the runtime fails while the canary works.
	ModelPoison
	// ModelBadScore is a window whose score is not a probability while the canary's
	// is.
	ModelBadScore
	// ModelLate is a deadline that passed after the work had started, while the model
	// gave scores to others: it works, and has too much to do.
	ModelLate
)

var modelFaultNames = [...]string{"not_ready", "lost", "queue_full", "unreachable", "timeout", "cancelled",
	"panic", "hung", "runtime", "poison", "bad_score", "late"}

// ModelFaults lists every fault, for tests that must cover them all.
func ModelFaults() []ModelFault {
	all := make([]ModelFault, len(modelFaultNames))
	for i := range all {
		all[i] = ModelFault(i)
	}
	return all
}

// String is the word used in metrics and audit lines.
func (f ModelFault) String() string {
	if int(f) < len(modelFaultNames) {
		return modelFaultNames[f]
	}
	return "unknown"
}

// Sample reports whether the fault is one of ours and therefore a health sample.
// What a caller can bring about (load, cancellation, an input that alone fails)
// is not: it must not be able to switch readiness off.
func (f ModelFault) Sample() bool {
	switch f {
	case ModelLost, ModelTimeout, ModelPanic, ModelHung, ModelRuntime:
		return true
	}
	return false
}

// ModelError is every error of the model pool. It holds no text of the payload.
type ModelError struct {
	// Fault is the kind.
	Fault ModelFault
	// Err is the cause, nil when the kind says it all.
	Err error
}

// Error names the kind and the cause.
func (e *ModelError) Error() string {
	if e.Err == nil {
		return "classify: " + e.Fault.String()
	}
	return "classify: " + e.Fault.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// ModelFaultOf returns the fault in err and whether there is one.
func ModelFaultOf(err error) (ModelFault, bool) {
	var e *ModelError
	if errors.As(err, &e) {
		return e.Fault, true
	}
	return 0, false
}
