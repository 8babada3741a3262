package sallyport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// The stages of classification, as logs, audit lines and [Engine.Models] name them.
const (
	stageGate  = "gate"
	stageJudge = "judge"
)

// ErrModelHangs is an [Engine.ModelError] after an attempt to load that was given up: a file
// system or the runtime has not answered for minutes. It is tried again, but only the end of
// the process frees what hangs.
var ErrModelHangs = actors.ErrModelHangs

// loadModel opens and proves the configured model; the pool calls it off every
// turn, and again after a while when it fails.
func (e *Engine) loadModel(context.Context) (actors.Classifier, error) {
	defer e.sayWhenSlow(stageJudge, *e.cfg.Model)()
	c, err := inference.Open(*e.cfg.Model, inference.Options{RuntimeLib: e.cfg.RuntimeLib, Label: e.cfg.ModelLabel})
	return e.loadedModel(c, err, e.cfg.Gate == nil)
}

// loadGate opens and proves the gate. One that does not say what it clears is
// refused: it would clear what it was never measured on.
func (e *Engine) loadGate(context.Context) (actors.Classifier, error) {
	defer e.sayWhenSlow(stageGate, *e.cfg.Gate)()
	c, err := inference.Open(*e.cfg.Gate, inference.Options{RuntimeLib: e.cfg.RuntimeLib})
	if err == nil && c.Info().Clear == 0 {
		_ = c.Close() // nothing runs on it
		err = &inference.LoadError{
			File: e.cfg.Gate.String(), Reason: "is no gate: its " + inference.ManifestFile + " has no \"clear\"", Want: "a clearing threshold",
		}
	}
	return e.loadedModel(c, err, true)
}

// slowLoad is when a model that is still being opened is worth a word.
const slowLoad = 30 * time.Second

// sayWhenSlow writes to the log that a model takes its time, unless it is done before.
func (e *Engine) sayWhenSlow(stage string, source inference.Source) (done func()) {
	slow := time.AfterFunc(slowLoad, func() {
		e.log.Warn("model is still being loaded", zap.String("stage", stage), zap.Stringer("source", source), zap.Duration("for", slowLoad))
	})
	return func() { slow.Stop() }
}

// loadedModel notes how an attempt to open one model ended; last is the last of them.
func (e *Engine) loadedModel(c *inference.Classifier, err error, last bool) (actors.Classifier, error) {
	if err == nil {
		if last {
			e.modelErr.Store(&err)
		}
		return c, nil
	}
	e.modelFailed(err)
	return nil, err // not wrapped: it names the file and what was expected of it
}

// modelFailed notes why the models are not there, and tells it when it is not what was
// told last: they are tried again and again.
func (e *Engine) modelFailed(err error) {
	if before := e.ModelError(); before != nil && errors.Is(err, before) {
		return // the pool tells of what loadedModel has told
	}
	e.modelErr.Store(&err)
	said := err.Error()
	if before := e.modelSaid.Swap(&said); before == nil || *before != said {
		e.log.Error("model cannot be loaded", zap.Error(err))
		e.event(&audit.Record{Event: audit.EventUnready, Reason: "model: " + said})
	}
}

// modelReady is told whether the models read.
func (e *Engine) modelReady(ready bool, _ string) {
	if ready {
		var none error
		e.modelErr.Store(&none)
		e.modelSaid.Store(nil)
	}
	e.announceModels()
	e.measureModel()
}

// ModelError is why the models could not be loaded when it was last tried; nil
// before the first attempt has ended, after a good one, and without a model. It is an
// [ErrModelHangs] where the attempt was given up.
func (e *Engine) ModelError() error {
	if err := e.modelErr.Load(); err != nil {
		return *err
	}
	return nil
}

// ModelInForce is one model that reads texts now.
type ModelInForce struct {
	// Stage is "gate" or "judge".
	Stage string `json:"stage"`
	// Name and Version are its own words, ID the beginning of a hash of its files.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	ID      string `json:"id"`
	// Clear is the score below which a gate clears a window; 0 for a judge.
	Clear float64 `json:"clear,omitzero"`
}

// String is one line for people.
func (m ModelInForce) String() string {
	name := m.Name
	if m.Version != "" {
		name += " " + m.Version
	}
	if m.Clear > 0 {
		return fmt.Sprintf("%s %s (%s) clears windows below %v", m.Stage, name, m.ID, m.Clear)
	}
	return fmt.Sprintf("%s %s (%s)", m.Stage, name, m.ID)
}

// Models are the models in force, in the order in which they read: the judge alone,
// or a gate and the judge of what it does not clear. None before they are loaded.
func (e *Engine) Models() []ModelInForce {
	t := e.tree()
	if t == nil || t.Model == nil {
		return nil
	}
	judge, _, _ := t.Model.Info()
	if judge.ID == "" {
		return nil
	}
	var out []ModelInForce
	if gate, gated := t.Model.GateInfo(); gated {
		out = append(out, ModelInForce{Stage: stageGate, Name: gate.Name, Version: gate.Version, ID: gate.ID, Clear: gate.Clear})
	}
	return append(out, ModelInForce{Stage: stageJudge, Name: judge.Name, Version: judge.Version, ID: judge.ID})
}

// announceModels writes to the log which models are in force, once for each change.
func (e *Engine) announceModels() {
	models := e.Models()
	if len(models) == 0 {
		return
	}
	said := fmt.Sprint(models)
	if before := e.announced.Swap(&said); before != nil && *before == said {
		return
	}
	fields := []zap.Field{zap.Bool("gated", len(models) > 1)}
	for _, m := range models {
		fields = append(fields, zap.Stringer(m.Stage, m))
	}
	e.log.Info("models in force", fields...)
}
