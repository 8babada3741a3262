package sallyport

import (
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// listening is a wordModel that keeps what it was given to read, in which windows are as many as they are sent.
type listening struct {
	*wordModel
	mu      sync.Mutex
	texts   []string
	batches []int
}

func (m *listening) Plan(dst []inference.Window, text string, o inference.PlanOptions) ([]inference.Window, inference.Report) {
	m.mu.Lock()
	m.texts = append(m.texts, text)
	m.mu.Unlock()
	return m.wordModel.Plan(dst, text, o)
}

func (m *listening) Run(control inference.RunControl, batch []inference.Window) ([]float32, error) {
	m.mu.Lock()
	m.batches = append(m.batches, len(batch))
	m.mu.Unlock()
	return m.wordModel.Run(control, batch)
}

// TestML06TheModelReadsWhatWasSent: what is masked in the answer was not masked before the model read it, and the
// verdict is the same with redaction on and off.
func TestML06TheModelReadsWhatWasSent(t *testing.T) {
	const text = "my name is Tomas and my mail is tomas@example.org"
	for redact, want := range map[bool]decision.Outcome{true: decision.Mutated, false: decision.Allow} {
		m := &listening{wordModel: &wordModel{}}
		e, _ := engineOn(t, m, m.wordModel, func(c *Config) { c.Default.RedactResponses = redact })
		v := e.CheckResponse(t.Context(), result(text))
		require.Equal(t, want, v.Outcome, v.Cause)
		require.InDelta(t, 0.02, v.Score, 1e-6)
		require.Contains(t, m.texts, text)
		for _, read := range m.texts {
			require.NotContains(t, read, "REDACTED")
		}
		if redact {
			require.JSONEq(t, `{"content":[{"type":"text","text":"my name is Tomas and my mail is [REDACTED:EMAIL]"}]}`, string(v.Body))
		}
	}
}

// TestML07OneBadItemAmongSixteen: fourteen ordinary exchanges, one with two MiB of text and one whose caller leaves at
// once wait for one worker together. The ordinary ones get their verdicts, the long one its own, the one that left gives
// its place back, and windows shared batches.
func TestML07OneBadItemAmongSixteen(t *testing.T) {
	m, reg := &listening{wordModel: &wordModel{}}, prometheus.NewRegistry()
	e, trail := engineOn(t, m, m.wordModel, func(c *Config) {
		c.ModelWorkers, c.Registerer, c.ScannerTimeout = 1, reg, time.Minute
	})
	hold := make(chan struct{})
	m.set(func(inference.RunControl) error { <-hold; return nil })
	var all sync.WaitGroup
	verdicts := make([]Verdict, 16)
	ask := func(i int, ctx context.Context, text string) {
		all.Go(func() { verdicts[i] = e.CheckResponse(ctx, result(text)) })
	}
	queued := func(n float64) {
		for e.metrics.ModelQueueWindows.Value() < n {
			require.NoError(t, t.Context().Err())
		}
	}
	ask(0, t.Context(), "0: the report of the week is in the file.")
	for m.runs.Load() == 0 {
		require.NoError(t, t.Context().Err())
	}
	for i := 1; i < 14; i++ {
		ask(i, t.Context(), fmt.Sprintf("%d: the report of the week is in the file.", i))
	}
	queued(13)
	gone, leave := context.WithCancel(t.Context())
	ask(14, gone, "14: nobody waits for this report of the week.")
	queued(14)
	leave()
	var long strings.Builder
	for line := 0; long.Len() < 2<<20; line++ {
		fmt.Fprintf(&long, `%d of the lines of the minutes of the meeting of the week.\n`, line)
	}
	ask(15, t.Context(), long.String())
	queued(200)
	close(hold)
	all.Wait()

	for i, v := range verdicts[:14] {
		require.Equal(t, decision.Allow, v.Outcome, "%d: %s", i, v.Cause)
		require.InDelta(t, 0.02, v.Score, 1e-6)
	}
	require.Equal(t, decision.Error, verdicts[14].Outcome)
	require.Equal(t, "model:cancelled", verdicts[14].Cause)
	require.Equal(t, decision.Flagged, verdicts[15].Outcome)
	require.Equal(t, "coverage", verdicts[15].Cause)
	require.Zero(t, e.metrics.Inflight.Value(), "every place was given back")
	require.Zero(t, e.metrics.ModelQueueWindows.Value())
	require.Greater(t, slices.Max(m.batches), 1, "windows of several exchanges ran together")
	require.Positive(t, counterOf(t, reg, telemetry.NameScannerResults, "scanner", decision.ScannerModel, "outcome", telemetry.ScanCancelled))
	require.NoError(t, e.tree().Audit.Flush(context.Background()))
	lines := 0
	for _, r := range trail.all() {
		if r.Event == "" {
			lines++
		}
	}
	require.Equal(t, 16, lines, "a line for each")
}

// TestJS08MutationsKeepTheirMembers: whatever the document is and whatever state the engine is in, an answer is a pass,
// a whole refusal, or a mutation that is a JSON object with the member names of what came in.
func TestJS08MutationsKeepTheirMembers(t *testing.T) {
	m := &wordModel{}
	e, _ := engineWith(t, m, func(c *Config) { c.Default.RedactRequests = true })
	texts := []string{"plain words", "mail kim@example.org", "key " + toyKey + ` "quoted" \ kim@example.org`, "", "\u00e9\u2028" + toyKey, override, "{\"a\":\"kim@example.org\"}"}
	mutated := 0
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"content", "structuredContent", "isError", "_meta", "later", "kim@example.org", "\u00fc"}), 1, 5, rapid.ID[string]).Draw(t, "members")
		body := map[string]any{"name": "tool"}
		for _, name := range members {
			text := rapid.SampledFrom(texts).Draw(t, "text")
			body[name] = rapid.SampledFrom([]any{
				text, []any{map[string]any{"type": "text", "text": text}}, map[string]any{"a": []any{text, 1.5, nil}}, true, nil,
			}).Draw(t, "value")
		}
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		act := rapid.SampledFrom([]func(inference.RunControl) error{
			nil, nil, func(inference.RunControl) error { panic("scanner") }, func(inference.RunControl) error { return errors.New("runtime") },
		}).Draw(t, "model")
		m.set(act)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if rapid.IntRange(0, 4).Draw(t, "cancelled") == 0 {
			cancel()
		}
		x := &Exchange{Method: rapid.SampledFrom([]string{"tools/call", "prompts/get", "other"}).Draw(t, "method"), Services: []string{"a"}, HasBody: true, Body: raw}
		for _, v := range []Verdict{e.CheckRequest(ctx, x), e.CheckResponse(ctx, x)} {
			require.NotEmpty(t, v.Ref)
			if v.Denied() {
				require.NotEmpty(t, v.Category)
				require.True(t, strings.HasSuffix(v.Reason, " (ref "+v.Ref+")"), v.Reason)
				require.Nil(t, v.Body)
				continue
			}
			if v.Outcome == decision.Mutated {
				require.NotNil(t, v.Body)
			}
			if v.Body == nil {
				continue
			}
			mutated++
			var after map[string]any
			require.NoError(t, json.Unmarshal(v.Body, &after))
			require.Equal(t, slices.Sorted(maps.Keys(body)), slices.Sorted(maps.Keys(after)))
			require.NotContains(t, string(v.Body), toyKey)
		}
	})
	require.Positive(t, mutated, "some were masked")
}
