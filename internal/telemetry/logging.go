package telemetry

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Log messages. A message is constant; what varies is in fields. The same message always means the same thing, so an operator
// can count and alert on it.
const (
	MsgStarting          = "starting"
	MsgStartSlow         = "start has not ended; it may wait for a file"
	MsgServing           = "serving"
	MsgStopped           = "stopped"
	MsgSignal            = "signal received"
	MsgReloadDone        = "reload done"
	MsgReloadSlow        = "reload has not ended; it may wait for a file"
	MsgLogLost           = "log lines were dropped: nobody reads them"
	MsgReopened          = "audit file opened again"
	MsgReloaded          = "reloaded"
	MsgReloadFailed      = "reload failed"
	MsgAuditFailing      = "audit lines cannot be written"
	MsgAuditRecovered    = "audit lines are written again"
	MsgAuditUntended     = "audit trail is not in order"
	MsgAuditTended       = "audit trail is in order again"
	MsgListening         = "listening"
	MsgTracesInClear     = "traces are sent without TLS beyond loopback"
	MsgTracingNote       = "tracing library note"
	MsgTraceExportFailed = "traces could not be exported"
)

// Keys of log fields.
const (
	KeyCount    = "count"
	KeyDuration = "duration"
	KeyEndpoint = "endpoint"
	KeyMethod   = "method"
	KeyPart     = "part"
	KeyReason   = "reason"
	KeyRef      = "ref"
	KeySignal   = "signal"
	KeyVersion  = "version"
)

// maxLogText is the most that Text keeps, in bytes.
const maxLogText = 256

// A message is written so often in a second, then every so manieth time: what goes wrong with every call must not fill a
// disk, nor take the time of those calls. Metrics and the audit trail count exactly.
const (
	logBurst = 100
	logEvery = 100
)

// NewLogger returns a logger that writes one JSON object a line to w, at level and above. The level can be changed while it
// runs. The same message is written logBurst times a second, then every logEvery-th time. No global logger is touched.
func NewLogger(w zapcore.WriteSyncer, level zap.AtomicLevel) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.TimeKey = "ts"
	enc.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc.EncodeDuration = zapcore.StringDurationEncoder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(enc), zapcore.Lock(w), level)
	return zap.New(zapcore.NewSamplerWithOptions(core, time.Second, logBurst, logEvery), zap.ErrorOutput(zapcore.Lock(w)))
}

// Text is a log field for text that came from outside: capped, and with everything that a terminal might act on replaced.
// Text of a payload does not belong in a log at all.
func Text(key, s string) zap.Field { return zap.String(key, printable(s)) }

func printable(s string) string {
	rest := 0
	if len(s) > maxLogText {
		cut := maxLogText
		for cut > maxLogText-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s, rest = s[:cut], len(s)-cut
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
	if rest > 0 {
		s += "…+" + strconv.Itoa(rest)
	}
	return s
}
