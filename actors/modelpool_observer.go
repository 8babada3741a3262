package actors

import (
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
)

// ModelObserver is told what the model pool does, for metrics. Its methods are
// called on the pool's turn or on a caller's goroutine and must not block.
type ModelObserver interface {
	// Queue is what waits now.
	Queue(windows, tokens int)
	// Batch is one finished run.
	Batch(BatchStats)
	// Cache counts look-ups; level is "segment" or "window".
	Cache(level string, hits, misses int)
	// Fault counts requests that got no score.
	Fault(messages.ModelFault)
	// Workers are the slots by state; abandoned are goroutines that are still stuck
	// in a run that was given up.
	Workers(idle, busy, down, abandoned int)
	// Abandoned counts one run that was given up.
	Abandoned()
	// Restarted counts one worker restart.
	Restarted()
}

// BatchStats describes one run of a worker.
type BatchStats struct {
	// Model is "judge" or "gate".
	Model string
	// Windows, Tokens and Padded are the batch's size, its ids, and its ids with
	// padding.
	Windows, Tokens, Padded int
	// Wait is how long the most urgent window was queued, Run what the worker took.
	Wait, Run time.Duration
	// Failed counts the windows without a score.
	Failed int
}

// Padding is the padded share of the batch, in [0, 1).
func (b BatchStats) Padding() float64 {
	if b.Padded == 0 {
		return 0
	}
	return float64(b.Padded-b.Tokens) / float64(b.Padded)
}

type blindModelObserver struct{}

func (blindModelObserver) Queue(int, int)             {}
func (blindModelObserver) Batch(BatchStats)           {}
func (blindModelObserver) Cache(string, int, int)     {}
func (blindModelObserver) Fault(messages.ModelFault)  {}
func (blindModelObserver) Workers(int, int, int, int) {}
func (blindModelObserver) Abandoned()                 {}
func (blindModelObserver) Restarted()                 {}
