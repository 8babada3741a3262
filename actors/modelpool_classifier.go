package actors

import (
	"context"

	"github.com/sallyport-mcp/sallyport/inference"
)

// Classifier is one loaded model as the pool uses it; *inference.Classifier is
// one. All methods are safe for concurrent use.
type Classifier interface {
	// Info never changes.
	Info() inference.Info
	// Plan appends the windows of text to dst and says what it left out.
	Plan(dst []inference.Window, text string, o inference.PlanOptions) ([]inference.Window, inference.Report)
	// Run returns P(malicious) of every window, in order; it returns early with
	// inference.ErrTerminated when the control is terminated. The batch is the pool's
	// again once it has returned.
	Run(control inference.RunControl, batch []inference.Window) ([]float32, error)
	// Close frees the model once the last run has returned, without waiting for it.
	Close() error
}

var _ Classifier = (*inference.Classifier)(nil)

// LoadModel opens and proves a model. It may take seconds and runs off every
// actor's turn.
type LoadModel func(ctx context.Context) (Classifier, error)
