package telemetry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
)

// A value that the SDK would break at, ignore or replace stops the start, by name.
// A negative queue made it panic; a missing authority was silently replaced by the
// system's.
func TestTracingRefusesValuesItCannotHonour(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.pem")
	require.NoError(t, os.WriteFile(junk, []byte("junk"), 0o600))
	for _, tc := range []struct {
		name, value string
		good        bool
	}{
		{"OTEL_BSP_MAX_QUEUE_SIZE", "-1", false},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "0", false},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "9223372036854775807", false},
		{"OTEL_BSP_MAX_QUEUE_SIZE", "many", false},
		{"OTEL_BSP_MAX_QUEUE_SIZE", " 64 ", true},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-1", false},
		{"OTEL_BSP_SCHEDULE_DELAY", "5s", false},
		{"OTEL_BSP_EXPORT_TIMEOUT", "NaN", false},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "-5", false},
		{"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1000", true},
		{"OTEL_TRACES_SAMPLER", "sometimes", false},
		{"OTEL_TRACES_SAMPLER", "ParentBased_Always_Off", true},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE", filepath.Join(dir, "absent.pem"), false},
		{"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", junk, false},
		{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", junk, false},
		{"OTEL_EXPORTER_OTLP_TIMEOUT", "0", true},
		{"OTEL_BSP_EXPORT_TIMEOUT", "0", true},
		{"OTEL_BSP_SCHEDULE_DELAY", "0", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "=my-token", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=my-token%zz", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=my-token%0Ax", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization=my-token,", true},
		{"OTEL_EXPORTER_OTLP_HEADERS", "authorization my-token", false},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=1,,b=my-token", false},
		{"OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20my-token, x-scope=", true},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:99999", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", " http://127.0.0.1:4317 ", true},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:99999", false},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", false},
		{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", false},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", " ", true},
	} {
		t.Run(tc.name+"="+filepath.Base(tc.value), func(t *testing.T) {
			cleanEnv(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
			t.Setenv(tc.name, tc.value)
			tr, err := OpenTracing("v1", zap.NewNop())
			if tc.good {
				require.NoError(t, err)
				require.NoError(t, tr.Shutdown(t.Context()))
				return
			}
			require.ErrorContains(t, err, tc.name+": ")
			require.NotContains(t, err.Error(), "my-token")
		})
	}
	cleanEnv(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
	t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	for arg, good := range map[string]bool{"": true, "0.1": true, "1": true, "1.1": false, "-1": false, "NaN": false, "half": false} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", arg)
		require.Equal(t, good, checkEnvironment() == nil, arg)
	}
}

// An exporter that is not known is refused whether or not there is an endpoint.
func TestTracingRefusesAnExporterWithoutAnEndpoint(t *testing.T) {
	cleanEnv(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "jaeger")
	_, err := OpenTracing("v1", zap.NewNop())
	require.ErrorContains(t, err, "OTEL_TRACES_EXPORTER")
}
