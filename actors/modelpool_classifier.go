package actors

import (
	"context"

	"github.com/sallyport-mcp/sallyport/messages"
)

// ModelInfo describes a loaded model.
type ModelInfo struct {
	// Name is for people, ID the short hash of the files.
	Name, ID string
	// MaxTokens is the longest window, special ids included.
	MaxTokens int
	// BatchInvariant is false for a model whose score depends on its batch mates;
	// its windows then run alone and unpadded.
	BatchInvariant bool
}

// Classifier is one loaded model, as the pool uses it. All methods are safe for
// concurrent use.
type Classifier interface {
	// Info never changes.
	Info() ModelInfo
	// Windows appends at most budget windows of text to dst and says how many more
	// there would have been.
	Windows(dst []messages.Window, text string, budget int) (w []messages.Window, dropped int)
	// NewRun prepares one forward pass that can be ended from outside.
	NewRun() (ModelRun, error)
	// Close frees the model once the last run has returned, without waiting for it.
	Close() error
}

// ModelRun is one forward pass. Score is called once; Terminate may be called
// from another goroutine at any time before Close and makes Score return early.
type ModelRun interface {
	// Score returns P(malicious) of every window, in order.
	Score(batch []messages.Window) ([]float32, error)
	Terminate()
	Close()
}

// LoadModel opens and proves a model. It may take seconds and runs off every
// actor's turn.
type LoadModel func(ctx context.Context) (Classifier, error)
