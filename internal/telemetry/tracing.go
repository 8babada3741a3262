package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"
)

// Names of the spans of one exchange.
const (
	SpanCheck    = "check"
	SpanParse    = "parse"
	SpanScan     = "scan"
	SpanClassify = "classify"
	SpanRules    = "rules"
	SpanRedact   = "redact"
)

// Attribute keys. No span carries a tool, a principal or payload.
const (
	AttrMethod  = attribute.Key("mcp.method.name") // a known method or Other, see MethodLabel
	AttrPhase   = attribute.Key("sallyport.phase")
	AttrOutcome = attribute.Key("sallyport.outcome")
	AttrBytes   = attribute.Key("sallyport.payload.bytes")
	AttrWindows = attribute.Key("sallyport.model.windows")
	AttrBatch   = attribute.Key("sallyport.model.batch")          // windows in a batch that the exchange had a window in, the mean; 0 when all was remembered
	AttrJudged  = attribute.Key("sallyport.model.windows.judged") // those that the judge read behind a gate
)

// scopeName is the instrumentation scope of our spans.
const scopeName = "github.com/sallyport-mcp/sallyport"

// warnEvery is how often a collector that does not take spans is worth a log line.
const warnEvery = time.Minute

// MethodLabel returns method if it is a known MCP method, else Other.
func MethodLabel(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return Other
}

// Tracing makes spans and sends them to an OTLP collector. Its zero value is not usable; see OpenTracing.
type Tracing struct {
	provider *sdktrace.TracerProvider // nil when off
	exporter *patientExporter
}

// OpenTracing reads the OTEL_* variables. Tracing is off unless OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
// names a collector, and when OTEL_SDK_DISABLED is true or OTEL_TRACES_EXPORTER is none. Connecting happens in the background. It
// owns one goroutine until Shutdown. A setting that cannot be honoured is an error: another exporter than otlp, another protocol than grpc,
// or what checkEnvironment refuses.
func OpenTracing(version string, log *zap.Logger) (*Tracing, error) {
	endpointName, endpoint := firstSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	kind := strings.ToLower(firstEnv("OTEL_TRACES_EXPORTER"))
	if kind == "none" || strings.EqualFold(firstEnv("OTEL_SDK_DISABLED"), "true") {
		return &Tracing{}, nil
	}
	if kind != "" && kind != "otlp" {
		return nil, fmt.Errorf("open tracing: OTEL_TRACES_EXPORTER: %q is not one of otlp, none", kind)
	}
	if endpoint == "" {
		return &Tracing{}, nil
	}
	var faults []error
	if name, p := firstSet("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "grpc" {
		faults = append(faults, fmt.Errorf("%s: %q is not grpc", name, p))
	}
	if err := checkEndpoint(endpoint); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", endpointName, err))
	}
	if err := errors.Join(append(faults, checkEnvironment())...); err != nil {
		return nil, fmt.Errorf("open tracing: %w", err)
	}
	res, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "sallyport"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("open tracing: read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otlp, err := otlptracegrpc.New(context.Background(), endpointOptions(endpoint, log)...)
	if err != nil {
		return nil, fmt.Errorf("open tracing: %w", err)
	}
	return newTracing(otlp, res, log), nil
}

// CheckTracing says what keeps OpenTracing from honouring the OTEL_* variables. It reaches for no collector.
func CheckTracing() error {
	t, err := OpenTracing("", zap.NewNop())
	if err != nil {
		return err
	}
	return t.Shutdown(context.Background()) // of nothing: no span was made
}

func newTracing(e sdktrace.SpanExporter, res *resource.Resource, log *zap.Logger) *Tracing {
	ctx, abandon := context.WithCancel(context.Background())
	p := &patientExporter{next: e, alive: ctx, abandon: abandon, log: log}
	return &Tracing{
		exporter: p,
		provider: sdktrace.NewTracerProvider(sdktrace.WithBatcher(p), sdktrace.WithResource(res)),
	}
}

// checkEndpoint refuses what the exporter would take and then never reach.
func checkEndpoint(endpoint string) error {
	text := endpoint
	if !strings.Contains(text, "://") {
		text = "http://" + text
		if _, _, err := net.SplitHostPort(endpoint); err != nil {
			return fmt.Errorf("%q is neither host:port nor a URL", endpoint)
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("%q is neither host:port nor a URL", endpoint)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q has the scheme %q, want http or https", endpoint, u.Scheme)
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return fmt.Errorf("%q has no port from 0 to 65535", endpoint)
		}
	}
	return nil
}

// endpointOptions handles what the exporter leaves open: an endpoint without a scheme is a plain host and port, in clear on
// loopback and with TLS anywhere else. With a scheme the exporter follows it.
func endpointOptions(endpoint string, log *zap.Logger) []otlptracegrpc.Option {
	scheme, rest, ok := strings.Cut(endpoint, "://")
	if !ok {
		opts := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(endpoint)}
		insecure := firstEnv("OTEL_EXPORTER_OTLP_TRACES_INSECURE", "OTEL_EXPORTER_OTLP_INSECURE")
		if insecure == "" && loopback(endpoint) {
			opts = append(opts, otlptracegrpc.WithInsecure())
		}
		return opts
	}
	if strings.EqualFold(scheme, "http") && !loopback(strings.SplitN(rest, "/", 2)[0]) {
		log.Warn(MsgTracesInClear, zap.String(KeyEndpoint, endpoint))
	}
	return nil
}

func loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// firstEnv is the first variable that is not blank, without the blanks around it.
func firstEnv(names ...string) string {
	_, value := firstSet(names...)
	return value
}

// firstSet is firstEnv with the name of the variable.
func firstSet(names ...string) (name, value string) {
	for _, n := range names {
		if v := strings.TrimSpace(os.Getenv(n)); v != "" {
			return n, v
		}
	}
	return "", ""
}

// Enabled reports whether spans are recorded.
func (t *Tracing) Enabled() bool { return t.provider != nil }

// Tracer returns the tracer of our own spans; one that does nothing when tracing is off.
func (t *Tracing) Tracer() trace.Tracer {
	if t.provider == nil {
		return noop.NewTracerProvider().Tracer(scopeName)
	}
	return t.provider.Tracer(scopeName)
}

// ServerOptions returns what makes a gRPC server continue the caller's traceparent with a span for every call but health
// checks; nothing when tracing is off.
func (t *Tracing) ServerOptions() []grpc.ServerOption {
	if t.provider == nil {
		return nil
	}
	return []grpc.ServerOption{grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(t.provider),
		otelgrpc.WithPropagators(propagation.TraceContext{}),
		otelgrpc.WithMeterProvider(metricnoop.NewMeterProvider()),
		otelgrpc.WithFilter(func(i *stats.RPCTagInfo) bool { return !strings.HasPrefix(i.FullMethodName, "/grpc.health.") }),
	))}
}

// Shutdown sends what is queued, at most until ctx ends: then exports in flight are cancelled, the rest is dropped, and the
// error says so. A collector that does not answer therefore costs no more than ctx allows.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if t.provider == nil {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- t.provider.Shutdown(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.exporter.abandon()
	if err != nil {
		return fmt.Errorf("flush traces: %w", err)
	}
	return nil
}

// patientExporter keeps a failing collector from mattering: errors become at most one log line a minute instead of reaching
// the SDK's global handler, and abandon cancels exports in flight.
type patientExporter struct {
	next    sdktrace.SpanExporter
	alive   context.Context //nolint:containedctx // it is the life of the exporter, not of a call
	abandon context.CancelFunc
	log     *zap.Logger
	warned  atomic.Int64 // UnixNano of the last warning
}

// ExportSpans never returns an error.
func (e *patientExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(e.alive, cancel)
	defer stop()
	if err := e.next.ExportSpans(ctx, spans); err != nil {
		e.warn(err, len(spans))
	}
	return nil
}

// Shutdown closes the connection to the collector.
func (e *patientExporter) Shutdown(ctx context.Context) error {
	if err := e.next.Shutdown(ctx); err != nil {
		e.warn(err, 0)
	}
	return nil
}

func (e *patientExporter) warn(err error, spans int) {
	now, last := time.Now().UnixNano(), e.warned.Load()
	// A clock that was set back does not silence it for the time it has lost.
	if since := now - last; last != 0 && 0 <= since && since < int64(warnEvery) || !e.warned.CompareAndSwap(last, now) {
		return
	}
	e.log.Warn(MsgTraceExportFailed, zap.Int(KeyCount, spans), zap.Error(err))
}
