package sallyport

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

// closing is a wordModel that counts how often it is closed.
type closing struct {
	*wordModel
	closed *atomic.Int32
}

func (m closing) Close() error {
	m.closed.Add(1)
	return nil
}

// TestRS02RuleReloadsLeaveTheModelAlone: a thousand reloads of the rules, each with another pack, load no model and close
// none; the last pack decides, and the model still reads.
func TestRS02RuleReloadsLeaveTheModelAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pack.yaml")
	write := func(n int) {
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "version: 1\nname: p\nrules:\n  - {name: r, call: {tool: tool-%d}}\n", n), 0o600))
	}
	var loads, closed atomic.Int32
	write(0)
	cfg := DefaultConfig()
	cfg.Drain, cfg.RulesPath, cfg.Model = 0, path, &inference.Source{}
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute // a busy machine is not what is tested
	e, err := New(cfg)
	require.NoError(t, err)
	e.load = func(context.Context) (actors.Classifier, error) {
		loads.Add(1)
		return closing{&wordModel{}, &closed}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	require.NoError(t, e.Start(ctx))
	require.Equal(t, messages.Serving, e.AwaitServing(ctx))
	const reloads = 1000
	for n := range reloads {
		write(n + 1)
		require.NoError(t, e.Reload(ctx, cfg.Policy))
	}
	denied := func(n int) bool {
		return e.CheckRequest(ctx, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: fmt.Appendf(nil, `{"name":"tool-%d"}`, n)}).Denied()
	}
	require.True(t, denied(reloads))
	require.False(t, denied(reloads-1))
	v := e.CheckResponse(ctx, result(malicious))
	require.Equal(t, "model:classifier", v.Cause)
	require.EqualValues(t, 1, loads.Load())
	require.Zero(t, closed.Load())
	require.NoError(t, e.Shutdown(ctx))
	require.EqualValues(t, 1, closed.Load(), "the end gives it back, once")
}

// TestProfilesMoveTheThresholds: a profile's own thresholds stand in the place of the calibrated ones, each alone.
func TestProfilesMoveTheThresholds(t *testing.T) {
	for name, tc := range map[string]struct {
		text          string
		block, review float64
		want          decision.Outcome
	}{
		"calibrated, bad":              {malicious, 0, 0, decision.Deny},
		"calibrated, good":             {harmless, 0, 0, decision.Allow},
		"a higher line for blocking":   {malicious, 0.99, 0, decision.Flagged},
		"no line that it reaches":      {malicious, 0.99, 0.985, decision.Allow},
		"a lower line for reviews":     {harmless, 0, 0.01, decision.Flagged},
		"a lower line for both":        {harmless, 0.015, 0.01, decision.Deny},
		"a lower line, not low enough": {harmless, 0.04, 0.03, decision.Allow},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.Default.BlockAt, c.Default.ReviewAt = tc.block, tc.review })
			v := e.CheckResponse(t.Context(), result(tc.text))
			require.Equal(t, tc.want, v.Outcome, v.Cause)
		})
	}
}

// TestABodyThatWasNotKeptIsTooLarge: a server that drops what is over the limit says so, and the answer is that of a
// payload which is too large, not of one that is empty.
func TestABodyThatWasNotKeptIsTooLarge(t *testing.T) {
	e, trail := engineWith(t, &wordModel{}, nil)
	for _, phase := range []decision.Phase{decision.Request, decision.Response} {
		v, line := ask(t, e, trail, phase, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte{}, Dropped: 20 << 20})
		require.Equal(t, decision.Invalid, v.Outcome)
		require.Equal(t, decision.Size, v.Category)
		require.Equal(t, 20<<20, line.Bytes, "and the trail knows how much it was")
		require.Equal(t, "malformed_too_large", line.Findings[0].Detector)
	}
}
