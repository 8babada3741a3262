package sallyport

import (
	"context"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// loadModel opens and proves the configured model; the pool calls it off every
// turn, and again after a while when it fails.
func (e *Engine) loadModel(context.Context) (actors.Classifier, error) {
	c, err := inference.Open(*e.cfg.Model, inference.Options{RuntimeLib: e.cfg.RuntimeLib, Label: e.cfg.ModelLabel})
	before := e.ModelError()
	e.modelErr.Store(&err)
	if err != nil {
		if before == nil || before.Error() != err.Error() { // it is tried again and again
			e.log.Error("model cannot be loaded", zap.Error(err))
			e.event(&audit.Record{Event: audit.EventUnready, Reason: "model: " + err.Error()})
		}
		return nil, err // not wrapped: it names the file and what was expected of it
	}
	return c, nil
}

// ModelError is why the model could not be loaded when it was last tried; nil
// before the first attempt has ended, after a good one, and without a model.
func (e *Engine) ModelError() error {
	if err := e.modelErr.Load(); err != nil {
		return *err
	}
	return nil
}
