package sallyport

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

// TestWhatOneReaderLeftIsNotMadeUpByTheOther: an exchange of which the detectors, or the model, read a part alone was
// read in part, whatever the other one read of it, and is for a person.
func TestWhatOneReaderLeftIsNotMadeUpByTheOther(t *testing.T) {
	reg := prometheus.NewRegistry()
	e, trail := engineWith(t, &wordModel{}, func(c *Config) { c.Registerer, c.ModelMaxWindows = reg, 4 })
	deep := harmless
	for range 7 {
		deep = base64.StdEncoding.EncodeToString([]byte(deep))
	}
	long := strings.Repeat(harmless+"\n", 5)
	partial := 0.0
	for _, tc := range []struct {
		text, reason string
		left         float64
		want         decision.Outcome
		cause        string
	}{
		{harmless, "", 0, decision.Allow, ""},
		{deep, "incomplete-decode", 1, decision.Flagged, "content:incomplete-decode"},
		{harmless + " " + deep, "incomplete-decode", 1, decision.Flagged, "content:incomplete-decode"}, // the model read it all
		{long, "model-windows", 1, decision.Flagged, "coverage"},
		{long + deep, "incomplete-decode", 1, decision.Flagged, "content:incomplete-decode"},
	} {
		v, line := ask(t, e, trail, decision.Response, &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte(inResult(tc.text))})
		require.Equal(t, tc.want, v.Outcome)
		require.Equal(t, tc.cause, v.Cause)
		require.Equal(t, tc.reason, line.Coverage.Reason)
		partial += tc.left
		require.InDelta(t, partial, counterOf(t, reg, telemetry.NameCoveragePartial), 0, tc.reason)
	}
}
