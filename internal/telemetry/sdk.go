package telemetry

import (
	"github.com/go-logr/logr/funcr"
	"go.opentelemetry.io/otel"
	"go.uber.org/zap"
)

// RouteSDK sends what the OpenTelemetry SDK has to say about itself to log instead of plain text on standard error. It changes
// the process: a program calls it once, before OpenTracing; a library must not.
func RouteSDK(log *zap.Logger) {
	say := func(_, args string) { log.Debug(MsgTracingNote, Text(KeyReason, args)) }
	otel.SetLogger(funcr.New(say, funcr.Options{}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn(MsgTracingNote, Text(KeyReason, err.Error())) }))
}
