package sallyport

import (
	"errors"
	"time"

	"go.uber.org/zap"
)

// timeouts are the deadlines in force.
type timeouts struct{ scanner, exchange time.Duration }

// The terms of timeouts that are not configured.
const (
	minScannerTimeout = 500 * time.Millisecond
	scannerBatches    = 3 // how many batches of the model a scanner can wait for
	exchangeSlack     = 1500 * time.Millisecond
)

// setTimeouts derives what is not configured from the measured cost of one batch.
func (e *Engine) setTimeouts(batch time.Duration) {
	t := timeouts{scanner: e.cfg.ScannerTimeout, exchange: e.cfg.ExchangeTimeout}
	if t.scanner == 0 {
		t.scanner = max(minScannerTimeout, scannerBatches*batch)
	}
	if t.exchange == 0 {
		t.exchange = t.scanner + exchangeSlack
	}
	t.scanner = min(t.scanner, t.exchange)
	e.deadline.Store(&t)
}

// errScannerTimeout is the cause by which our own deadline is told from one that
// the caller brought along.
var errScannerTimeout = errors.New("scanner timeout")

func (e *Engine) timeouts() timeouts { return *e.deadline.Load() }

// ExchangeTimeout is the deadline of one exchange that is in force. It changes
// once, when the model was loaded and its cost is known.
func (e *Engine) ExchangeTimeout() time.Duration { return e.timeouts().exchange }

// ScannerTimeout is the deadline of one scanner that is in force. Like
// [Engine.ExchangeTimeout] it changes once, when the cost of the model is known.
func (e *Engine) ScannerTimeout() time.Duration { return e.timeouts().scanner }

// measureModel derives the deadlines from what a batch costs, once that is known.
func (e *Engine) measureModel() {
	t := e.tree()
	if t == nil || t.Model == nil {
		return
	}
	cost := t.Model.BatchCost()
	if cost <= 0 {
		return
	}
	before := e.timeouts()
	e.setTimeouts(cost)
	if d := e.timeouts(); d != before {
		e.log.Info("deadlines", zap.Duration("model_batch", cost), zap.Duration("scanner", d.scanner), zap.Duration("exchange", d.exchange))
	}
}
