package telemetry

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
)

func TestMain(m *testing.M) {
	RouteSDK(zap.NewNop()) // once for the process, before any goroutine of the SDK could read it
	goleak.VerifyTestMain(m)
}

// cleanEnv makes the tests independent of the machine's own OTEL variables.
func cleanEnv(t *testing.T) {
	t.Helper()
	for _, n := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_INSECURE",
		"OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME",
		"OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
		"OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
	} {
		t.Setenv(n, "")
	}
}

func TestTracingIsOff(t *testing.T) {
	for name, env := range map[string][2]string{
		"without an endpoint": {"OTEL_SERVICE_NAME", "x"},
		"exporter none":       {"OTEL_TRACES_EXPORTER", "None"},
		"disabled":            {"OTEL_SDK_DISABLED", "TRUE"},
	} {
		t.Run(name, func(t *testing.T) {
			cleanEnv(t)
			if name != "without an endpoint" {
				t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
			}
			t.Setenv(env[0], env[1])
			tr, err := OpenTracing("v1", zap.NewNop())
			require.NoError(t, err)
			require.False(t, tr.Enabled())
			require.Empty(t, tr.ServerOptions())
			_, span := tr.Tracer().Start(context.Background(), SpanCheck)
			require.False(t, span.IsRecording())
			require.NoError(t, tr.Shutdown(context.Background()))
		})
	}
}

func TestTracingRefusesWhatItCannotDo(t *testing.T) {
	for name, want := range map[string]string{"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"} {
		t.Run(name, func(t *testing.T) {
			cleanEnv(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
			t.Setenv(name, want)
			_, err := OpenTracing("v1", zap.NewNop())
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, want)
		})
	}
}

// Whoever mends one variable is not told of the next one afterwards.
func TestTracingNamesAllThatIsWrong(t *testing.T) {
	cleanEnv(t)
	wrong := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://collector", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_TRACES_SAMPLER": "sometimes", "OTEL_BSP_MAX_QUEUE_SIZE": "many",
	}
	for name, value := range wrong {
		t.Setenv(name, value)
	}
	err := CheckTracing()
	for name := range wrong {
		require.ErrorContains(t, err, name)
	}
}

// An endpoint that could never be reached is an error at the start and not spans
// that are dropped for ever.
func TestTracingRefusesEndpoints(t *testing.T) {
	for _, bad := range []string{"collector", "ftp://collector:4317", "http://", "http://[::1", "http:/collector:4317"} {
		require.Error(t, checkEndpoint(bad), bad)
	}
	for _, good := range []string{"collector:4317", "127.0.0.1:4317", "[::1]:4317", "http://collector:4317", "https://collector", "https://collector:4317/"} {
		require.NoError(t, checkEndpoint(good), good)
	}
	quiet := zap.NewNop()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector:4317")
	_, err := OpenTracing("v1", quiet)
	require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_ENDPOINT")
	t.Setenv("OTEL_SDK_DISABLED", "true")
	_, err = OpenTracing("v1", quiet)
	require.NoError(t, err)
}

func TestCaseLC06BlackholeCollector(t *testing.T) {
	cleanEnv(t)
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	accepted := make(chan net.Conn, 16)
	go func() {
		for {
			c, err := hole.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hole.Addr().String())
	core, logs := observer.New(zapcore.DebugLevel)
	tr, err := OpenTracing("v1", zap.New(core))
	require.NoError(t, err)
	require.True(t, tr.Enabled())
	for range 2000 { // more than one batch
		_, span := tr.Tracer().Start(context.Background(), SpanCheck)
		span.End()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, tr.Shutdown(ctx), context.DeadlineExceeded)
	require.NoError(t, hole.Close())
	for c := range accepted {
		_ = c.Close()
	}
	require.NoError(t, goleak.Find(), "exports in flight must end with the shutdown")
	require.LessOrEqual(t, logs.Len(), 1)
}

func TestUnreachableCollector(t *testing.T) {
	cleanEnv(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:1")
	tr, err := OpenTracing("v1", zap.NewNop())
	require.NoError(t, err)
	_, span := tr.Tracer().Start(context.Background(), SpanCheck)
	span.End()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_ = tr.Shutdown(ctx) // it returns; whether the refused connection was noticed before the bound is a race
}

// memory records exported spans.
func memory(t *testing.T) (*Tracing, *tracetest.InMemoryExporter) {
	t.Helper()
	cleanEnv(t)
	e := tracetest.NewInMemoryExporter()
	return newTracing(keep{e}, resource.Empty(), zap.NewNop()), e
}

// keep lets the spans be read after a shutdown, which empties the exporter.
type keep struct{ *tracetest.InMemoryExporter }

func (keep) Shutdown(context.Context) error { return nil }

func TestServerContinuesTheGatewaysTrace(t *testing.T) {
	tr, spans := memory(t)
	srv := grpc.NewServer(tr.ServerOptions()...)
	healthpb.RegisterHealthServer(srv, health.NewServer())
	reflection.Register(srv)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(lis) }()
	conn, err := grpc.NewClient(lis.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)

	const traceID = "0af7651916cd43dd8448eb211c80319c"
	ctx := metadata.AppendToOutgoingContext(context.Background(), "traceparent", "00-"+traceID+"-b7ad6b7169203331-01")
	_, err = healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	require.NoError(t, err)
	stream, err := reflectpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.CloseSend())
	_, err = stream.Recv()
	require.Error(t, err)

	require.NoError(t, conn.Close())
	srv.GracefulStop()
	require.NoError(t, <-served)
	require.NoError(t, tr.Shutdown(context.Background()))
	got := spans.GetSpans()
	require.Len(t, got, 1, "health checks make no spans")
	require.Equal(t, traceID, got[0].SpanContext.TraceID().String())
	require.Equal(t, trace.SpanKindServer, got[0].SpanKind)
}

func TestFailingExporterIsPatient(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	e := &patientExporter{next: failing{}, alive: context.Background(), log: zap.New(core)}
	for range 10 {
		require.NoError(t, e.ExportSpans(context.Background(), nil))
	}
	require.NoError(t, e.Shutdown(context.Background()))
	require.Equal(t, 1, logs.FilterMessage(MsgTraceExportFailed).Len())
}

type failing struct{}

func (failing) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return context.DeadlineExceeded
}
func (failing) Shutdown(context.Context) error { return context.Canceled }

func TestEndpointSecurity(t *testing.T) {
	for _, tc := range []struct {
		endpoint string
		options  int // set by us
		warns    bool
	}{
		{"127.0.0.1:4317", 2, false},
		{"localhost:4317", 2, false},
		{"[::1]:4317", 2, false},
		{"collector:4317", 1, false},
		{"http://127.0.0.1:4317", 0, false},
		{"http://collector:4317", 0, true},
		{"https://collector:4317", 0, false},
	} {
		t.Run(tc.endpoint, func(t *testing.T) {
			cleanEnv(t)
			core, logs := observer.New(zapcore.DebugLevel)
			require.Len(t, endpointOptions(tc.endpoint, zap.New(core)), tc.options)
			require.Equal(t, tc.warns, logs.Len() == 1)
		})
	}
	t.Setenv("OTEL_EXPORTER_OTLP_INSECURE", "false")
	require.Len(t, endpointOptions("127.0.0.1:4317", zap.NewNop()), 1, "an explicit setting is left to the exporter")
}

func TestSDKSpeaksThroughTheLogger(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	RouteSDK(zap.New(core))
	t.Cleanup(func() { RouteSDK(zap.NewNop()) })
	otel.Handle(errors.New("line one\nline two"))
	require.Equal(t, 1, logs.FilterMessage(MsgTracingNote).FilterLevelExact(zapcore.WarnLevel).Len())
	require.Equal(t, "line one\ufffdline two", logs.All()[0].ContextMap()[KeyReason])
	cleanEnv(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4317") // the exporter complains that it is no URL, though it is allowed
	tr, err := OpenTracing("v1", zap.NewNop())
	require.NoError(t, err)
	require.NoError(t, tr.Shutdown(context.Background()))
	require.NotZero(t, logs.FilterLevelExact(zapcore.DebugLevel).Len())
}

func TestMethodLabel(t *testing.T) {
	require.Equal(t, "tools/call", MethodLabel("tools/call"))
	require.Equal(t, Other, MethodLabel("tools/\xc0\xaf"))
	require.Equal(t, attribute.Key("mcp.method.name"), AttrMethod)
}
