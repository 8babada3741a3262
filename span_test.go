package sallyport

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

func TestSpansOfAnExchange(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	e, _ := engineWith(t, &wordModel{}, func(c *Config) { c.Tracer = provider.Tracer("test") })
	exporter.Reset() // canaries of the start

	e.CheckResponse(context.Background(), &Exchange{
		Method: "tools/call", Services: []string{"crm"}, HasBody: true,
		Body: []byte(`{"content":[{"type":"text","text":"The address of the office is kim@example.org for questions."}]}`),
	})
	names := map[string]string{}
	byID := map[string]string{}
	for _, s := range exporter.GetSpans() {
		byID[s.SpanContext.SpanID().String()] = s.Name
	}
	for _, s := range exporter.GetSpans() {
		names[s.Name] = byID[s.Parent.SpanID().String()]
		if s.Name == telemetry.SpanClassify {
			require.Contains(t, s.Attributes, telemetry.AttrWindows.Int(1))
			require.Contains(t, s.Attributes, telemetry.AttrBatch.Float64(1))
		}
		for _, a := range s.Attributes {
			require.NotContains(t, a.Value.String(), "kim")
		}
	}
	require.Equal(t, map[string]string{"check": "", "parse": "check", "scan": "check", "classify": "check", "redact": "check"}, names)
	exporter.Reset()
	e.CheckRequest(context.Background(), &Exchange{Method: "tools/call", Services: []string{"a"}, HasBody: true, Body: []byte(`{"name":"x","arguments":{}}`)})
	var rules bool
	for _, s := range exporter.GetSpans() {
		rules = rules || s.Name == "rules"
	}
	require.True(t, rules)
}
