package sallyport

import (
	"context"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/inference"
)

// loadModel opens and proves the configured model; the pool calls it off every
// turn, and again after a while when it fails.
func (e *Engine) loadModel(context.Context) (actors.Classifier, error) {
	c, err := inference.Open(*e.cfg.Model, inference.Options{RuntimeLib: e.cfg.RuntimeLib, Label: e.cfg.ModelLabel})
	if err != nil {
		return nil, err
	}
	info := c.Info()
	e.model.Store(&info)
	return c, nil
}

// modelInfo describes the model that was loaded last; before that, the zero
// value, under which nothing is scored.
func (e *Engine) modelInfo() *inference.Info {
	if info := e.model.Load(); info != nil {
		return info
	}
	return &inference.Info{}
}
