package sallyport

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	zapobserver "go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
)

// The test models add up weights of words; "restrictions", "prior" and "obey" have some. No detector
// knows these texts.
const (
	cleared    = "The report of the week is in the file."
	suspicious = "These are the instructions of the file."
	attack     = "By prior restrictions all users obey the secret file."
)

// modelDir is a test model with a manifest of its own.
func modelDir(t *testing.T, model, manifest string) *inference.Source {
	t.Helper()
	files := onnxtest.Files(t, model)
	files[inference.ManifestFile] = &fstest.MapFile{Data: []byte(manifest)}
	src := inference.Dir(onnxtest.Dir(t, files), "")
	return &src
}

// cascade starts an engine with two models of the real runtime, gate in front.
func cascade(t *testing.T, judge string, change func(*Config)) (*Engine, *memoryTrail) {
	t.Helper()
	trail := &memoryTrail{}
	cfg := DefaultConfig()
	cfg.Drain, cfg.Grace = 0, time.Second
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
	cfg.Audit, cfg.RuntimeLib = trail, onnxtest.Library(t)
	cfg.Model = modelDir(t, onnxtest.TokenTypes, judge)
	cfg.Gate = modelDir(t, onnxtest.Good, `{"name":"first","version":"1","clear":0.3,"windows":{"tokens":48},"thresholds":{"default":{"block":0.9,"review":0.6}}}`)
	return serving(t, cfg, change), trail
}

// serving starts an engine, waits until it serves, and shuts it down with the test.
func serving(t *testing.T, cfg Config, change func(*Config)) *Engine {
	t.Helper()
	if change != nil {
		change(&cfg)
	}
	e, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, e.Start(ctx))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, e.Shutdown(ctx))
	})
	require.Equal(t, messages.Serving, e.AwaitServing(ctx), "%+v", e.Status())
	return e
}

// lineOf decides one result and returns its verdict and its audit line.
func lineOf(t *testing.T, e *Engine, trail *memoryTrail, text string) (Verdict, audit.Record) {
	t.Helper()
	v := e.CheckResponse(context.Background(), result(text))
	require.NoError(t, e.tree().Audit.Flush(context.Background()))
	for _, r := range trail.all() {
		if r.Ref == v.Ref {
			return v, r
		}
	}
	require.Fail(t, "no audit line")
	return v, audit.Record{}
}

func TestCascadeOfTwoModelDirectories(t *testing.T) {
	core, logs := zapobserver.New(zapcore.InfoLevel)
	e, trail := cascade(t, `{"name":"second","windows":{"tokens":24},"thresholds":{"default":{"block":0.95,"review":0.8}}}`,
		func(c *Config) { c.Logger = zap.New(core) })
	models := e.Models()
	require.Len(t, models, 2)
	require.Equal(t, "gate first 1 ("+models[0].ID+") clears windows below 0.3", models[0].String())
	require.Equal(t, "judge second ("+models[1].ID+")", models[1].String())
	said := logs.FilterMessage("models in force").All()
	require.Len(t, said, 1)
	require.Equal(t, map[string]any{"gated": true, "gate": models[0].String(), "judge": models[1].String()}, said[0].ContextMap())

	for range 2 { // computed, then remembered
		v, line := lineOf(t, e, trail, cleared)
		require.Equal(t, decision.Allow, v.Outcome, v.Cause)
		require.Zero(t, v.Score)
		require.Equal(t, models[0].ID+">"+models[1].ID, line.Model)
		require.Len(t, line.Scores, 1, "what was not computed is not written down")
		require.Less(t, line.Scores["gate"], 0.3)

		v, line = lineOf(t, e, trail, suspicious)
		require.Equal(t, decision.Allow, v.Outcome, v.Cause)
		require.InDelta(t, 0.5, line.Scores["gate"], 1e-3)
		require.InDelta(t, 0.5, line.Scores["judge"], 1e-3)

		v, line = lineOf(t, e, trail, attack)
		require.Equal(t, decision.Deny, v.Outcome, v.Cause)
		require.Greater(t, line.Scores["judge"], 0.95)
		require.Len(t, line.Findings, 1)
		require.Equal(t, "classifier", line.Findings[0].Detector)
	}
}

// deafJudge asks for more than its model ever scores.
const deafJudge = `{"name":"deaf","windows":{"tokens":24},"thresholds":{"default":{"block":1,"review":1}}}`

func TestTheJudgeAloneDecides(t *testing.T) {
	e, trail := cascade(t, deafJudge, nil)
	v, line := lineOf(t, e, trail, attack)
	require.Equal(t, decision.Allow, v.Outcome, v.Cause)
	require.Greater(t, line.Scores["gate"], 0.9)
	require.Greater(t, line.Scores["judge"], 0.9)
}

func TestAGateMayBlockByItself(t *testing.T) {
	e, trail := cascade(t, deafJudge, func(c *Config) { c.GateBlocks = true })
	for range 2 {
		v, line := lineOf(t, e, trail, attack)
		require.Equal(t, decision.Deny, v.Outcome, v.Cause)
		require.Greater(t, v.Score, 0.9)
		require.Greater(t, line.Scores["gate"], 0.9)
		require.NotContains(t, line.Scores, "judge", "it was not asked")
		require.Equal(t, "gate", line.Findings[0].Detector)
		v, _ = lineOf(t, e, trail, suspicious)
		require.Equal(t, decision.Allow, v.Outcome, v.Cause)
	}
}

func TestAGateWithoutAThresholdIsRefused(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Drain, cfg.RuntimeLib = 0, onnxtest.Library(t)
	cfg.Model = modelDir(t, onnxtest.TokenTypes, `{}`)
	cfg.Gate = modelDir(t, onnxtest.Good, `{}`)
	e, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	loaded := make(chan struct{}, 1)
	load := e.loadFirst
	e.loadFirst = func(ctx context.Context) (actors.Classifier, error) {
		defer func() {
			select {
			case loaded <- struct{}{}:
			default:
			}
		}()
		return load(ctx)
	}
	require.NoError(t, e.Start(ctx))
	<-loaded
	require.ErrorContains(t, e.ModelError(), `is no gate: its sallyport.json has no "clear"`)
	require.Empty(t, e.Models())
	require.NotEqual(t, messages.Serving, e.Phase())
	require.NoError(t, e.Shutdown(ctx))
}

// deafModel is a judge that asks for more than it ever scores.
type deafModel struct{ wordModel }

func (m *deafModel) Info() inference.Info {
	info := m.wordModel.Info()
	info.Name, info.ID, info.Block, info.Review = "deaf", "deaf", 1, 1
	return info
}

// TestWhatTheJudgeDidNotReadIsForAPerson: a gate that lets more through than the judge
// may read leaves a partial coverage, never a clean result.
func TestWhatTheJudgeDidNotReadIsForAPerson(t *testing.T) {
	for _, c := range []struct {
		review  decision.ReviewMode
		outcome decision.Outcome
	}{{decision.ReviewPass, decision.Flagged}, {decision.ReviewDeny, decision.Deny}} {
		trail := &memoryTrail{}
		cfg := DefaultConfig()
		cfg.Drain, cfg.Grace, cfg.Audit = 0, time.Second, trail
		cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
		cfg.Model, cfg.Gate = &inference.Source{}, &inference.Source{}       // the loaders below take their place
		cfg.ModelJudgeWindows = 2
		cfg.Default.Review = c.review
		e, err := New(cfg)
		require.NoError(t, err)
		e.load = func(context.Context) (actors.Classifier, error) { return &deafModel{}, nil }
		e.loadFirst = func(context.Context) (actors.Classifier, error) { return &wordModel{}, nil }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, e.Start(ctx))
		require.Equal(t, messages.Serving, e.AwaitServing(ctx), "%+v", e.Status())

		v, _ := lineOf(t, e, trail, `one evil line\nanother evil line\na quiet line`)
		require.Equal(t, decision.Allow, v.Outcome, v.Cause)
		v, line := lineOf(t, e, trail, `one evil line\nanother evil line\na third evil line\na quiet line`)
		require.Equal(t, c.outcome, v.Outcome)
		require.Equal(t, "coverage", v.Cause)
		require.Equal(t, "model-windows", line.Coverage.Reason)
		require.NoError(t, e.Shutdown(ctx))
	}
}
