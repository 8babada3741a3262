package sallyport

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// Policy is the part of the configuration that [Engine.Reload] can replace
// while exchanges are in flight. One exchange is decided wholly by one Policy.
type Policy struct {
	// RulesPath is a rule pack: a file, or a directory whose files are read in
	// name order. Empty is the embedded default pack.
	RulesPath string
	// Default holds the verdict settings where no profile matches.
	// [DefaultPolicy] fills it; its zero value switches redaction off.
	Default decision.Profile
	// Profiles override verdict settings; the first that matches wins.
	Profiles []ScopedProfile
	// AllowTools and DenyTools are globs on "tool" or "service/tool". Deny wins;
	// an empty allow list allows every tool that is not denied.
	AllowTools, DenyTools []string
}

// ScopedProfile is a profile and where it applies.
type ScopedProfile struct {
	decision.Profile
	// Services and Routes are globs; an empty list matches everything. Both
	// must match.
	Services, Routes []string
}

// Config says how an engine is built. The zero value is not usable as it is:
// start from [DefaultConfig], which is safe, and change what you need.
type Config struct {
	Policy

	// Model is the classifier to load, nil for none. The embedded default is in
	// models/default, an import of its own.
	Model *inference.Source
	// ModelWide makes the model read long windows, as a transformer should that
	// reads everything itself. A network that pools maxima does not dilute a
	// sentence in a page and reads the windows it was calibrated on.
	ModelWide bool
	// Gate is a small model that reads everything first, so that Model reads only what
	// it does not clear; nil for none. Its sallyport.json must say below which score it
	// clears ("clear"). It is ignored without a Model.
	Gate *inference.Source
	// GateBlocks lets the gate block by itself, where a window reaches its own block
	// threshold. Without it the score of Model alone decides.
	GateBlocks bool
	// ModelLabel names the malicious label, for a model whose config.json does
	// not use one of the usual names. Empty finds it.
	ModelLabel string
	// RuntimeLib is the path of libonnxruntime (1.24 or newer). Empty takes what
	// ONNXRUNTIME_LIB names in the environment, else looks in lib/ beside the
	// executable, then where the system's loader looks.
	RuntimeLib string
	// ModelWorkers is how many inferences run at once; 0 is the number of CPUs
	// the process may use. Range 0 to 1024.
	ModelWorkers int
	// ModelMaxWindows bounds what is read of one payload, in windows; the rest is
	// partial coverage, which asks for review. For a gate these are windows of 256
	// ids, or as much text in narrower ones. At least 1.
	ModelMaxWindows int
	// ModelJudgeWindows bounds what a judge behind a gate reads. At least 1.
	ModelJudgeWindows int
	// ModelQueueTokens bounds the inference queue, in tokens. Full means that an
	// exchange could not be decided. At least 1 024.
	ModelQueueTokens int
	// ModelCache is the number of window scores remembered; 0 switches caching off.
	ModelCache int

	// MaxPayloadBytes bounds one payload, in bytes; larger ones are refused as
	// malformed. At most 1 GiB.
	MaxPayloadBytes int
	// MaxJSONDepth bounds the nesting of a payload, in levels. Range 1 to 10 000.
	MaxJSONDepth int

	// MaxInflight and MaxInflightBytes bound the exchanges decided at once and
	// the sum of their payloads, in bytes. One more waits up to 50 ms for a place and is
	// then refused; under overload it is refused at once. At least 1 each.
	MaxInflight      int
	MaxInflightBytes int64
	// ScannerTimeout bounds the scanners of one exchange, ExchangeTimeout the
	// whole of it. 0 derives them from the measured cost of the model: the
	// scanner gets max(500 ms, three batches), the exchange 1.5 s more.
	ScannerTimeout, ExchangeTimeout time.Duration

	// TraceKey lists where the key of cross-call rules comes from, in order:
	// "meta.<key>" or "header.<name>". Without any of them the service is the
	// key, shared by all its callers. What differs with every exchange, such as
	// meta.exchange, is refused: nothing would be remembered.
	TraceKey []string
	// RuleHeaders are the headers that rules may read, in lower case; an exchange
	// may carry others, for the audit trail.
	RuleHeaders []string
	// MaxTraces bounds the trace keys remembered, over all shards. At least 1.
	MaxTraces int

	// ExchangeKeys sign and verify the hand-back token: the first signs, all
	// verify. Replicas that share them recognise each other's calls. Empty is a
	// random key for the life of the engine. At least 16 bytes each.
	ExchangeKeys [][]byte
	// ExchangeTokenMaxAge is how long a token is honoured; above 0.
	ExchangeTokenMaxAge time.Duration

	// UnhealthyWindow, UnhealthyMinSamples and UnhealthyErrorRate say when the
	// engine reports itself degraded: with at least MinSamples of the last
	// Window scanner outcomes known, a share of faults above ErrorRate, which is from
	// 0, where no fault is tolerated, to 1, where every one is. MinSamples is from 1 to
	// Window.
	UnhealthyWindow, UnhealthyMinSamples int
	UnhealthyErrorRate                   float64

	// Drain is how long calls are still taken after a shutdown was asked for; 0 suits
	// a program that nobody routes calls to, which would only wait. Grace is how long
	// calls in flight may finish, Cleanup what the rest may take in total. None is
	// negative.
	Drain, Grace, Cleanup time.Duration

	// PinsFile keeps tool-definition pins across restarts; empty is memory only.
	PinsFile string

	// Audit takes one record an exchange; nil writes no audit trail. The engine
	// is its only writer and closes it at the end of Shutdown. [OpenAuditFile] has one.
	Audit AuditSink
	// AuditRequired refuses an exchange whose line the trail cannot take, instead of
	// dropping the line and counting it.
	AuditRequired bool
	// AuditHMACKey keys the fingerprints of high-entropy findings, at least 16 bytes;
	// without it lines tell the length of a match alone.
	AuditHMACKey []byte
	// AuditHeaders are the headers whose values are written to the trail, in
	// lower case.
	AuditHeaders []string

	// System is the host's actor system; nil starts one of our own. The engine's
	// actors live under one root of their own either way.
	System *actor.ActorSystem
	// Logger takes the engine's log; nil is silent.
	Logger *zap.Logger
	// Registerer takes the engine's metrics; nil keeps them unregistered.
	Registerer prometheus.Registerer
	// Tracer makes the spans of an exchange; nil makes none.
	Tracer trace.Tracer
}

// DefaultPolicy returns the policy of a sidecar without configuration: the
// embedded rule pack, fail closed, responses redacted, poisoned tools removed.
func DefaultPolicy() Policy {
	return Policy{Default: decision.Profile{
		RedactResponses: true,
		PoisonedTools:   decision.ListRemove,
		DriftedTools:    decision.ListNote,
	}}
}

// DefaultConfig returns the documented defaults, without a model, an audit
// trail or a front.
func DefaultConfig() Config {
	return Config{
		Policy:              DefaultPolicy(),
		ModelMaxWindows:     256,
		ModelJudgeWindows:   8,
		ModelQueueTokens:    65_536,
		ModelCache:          65_536,
		MaxPayloadBytes:     8 << 20,
		MaxJSONDepth:        128,
		MaxInflight:         256,
		MaxInflightBytes:    256 << 20,
		TraceKey:            []string{"meta.principal", "meta.session", "header.mcp-session-id"},
		MaxTraces:           65_536,
		ExchangeTokenMaxAge: time.Hour,
		UnhealthyWindow:     100,
		UnhealthyMinSamples: 20,
		UnhealthyErrorRate:  0.5,
		Drain:               5 * time.Second,
		Grace:               5 * time.Second,
		Cleanup:             2 * time.Second,
	}
}

// validate returns every problem of the configuration at once.
func (c *Config) validate() error {
	var problems []error
	if c.MaxPayloadBytes == 0 && c.MaxInflight == 0 {
		problems = append(problems, errors.New("this Config was not made by DefaultConfig"))
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	within := func(name string, v, low, high float64) {
		if !(v >= low && v <= high) { // NaN is nowhere
			problems = append(problems, fmt.Errorf("%s is %s, must be from %s to %s", name, number(v), number(low), number(high)))
		}
	}
	within("ModelWorkers", float64(c.ModelWorkers), 0, 1024)
	within("ModelMaxWindows", float64(c.ModelMaxWindows), 1, 1<<20)
	within("ModelJudgeWindows", float64(c.ModelJudgeWindows), 1, 1<<20)
	within("ModelQueueTokens", float64(c.ModelQueueTokens), 1024, 1<<30)
	within("ModelCache", float64(c.ModelCache), 0, 1<<30)
	within("MaxPayloadBytes", float64(c.MaxPayloadBytes), 1, 1<<30)
	within("MaxJSONDepth", float64(c.MaxJSONDepth), 1, 10_000)
	within("MaxInflight", float64(c.MaxInflight), 1, 1<<20)
	within("MaxInflightBytes", float64(c.MaxInflightBytes), 1, 1<<40)
	within("MaxTraces", float64(c.MaxTraces), 1, 1<<30)
	within("UnhealthyWindow", float64(c.UnhealthyWindow), 1, 1<<20)
	within("UnhealthyMinSamples", float64(c.UnhealthyMinSamples), 1, max(1, float64(c.UnhealthyWindow)))
	within("UnhealthyErrorRate", c.UnhealthyErrorRate, 0, 1)
	for name, d := range map[string]time.Duration{
		"ScannerTimeout": c.ScannerTimeout, "ExchangeTimeout": c.ExchangeTimeout,
		"Drain": c.Drain, "Grace": c.Grace, "Cleanup": c.Cleanup,
	} {
		if d < 0 {
			problems = append(problems, fmt.Errorf("%s is %v, must not be negative", name, d))
		}
	}
	if c.ExchangeTokenMaxAge <= 0 {
		problems = append(problems, errors.New("ExchangeTokenMaxAge must be positive"))
	}
	if c.ExchangeTimeout > 0 && c.ScannerTimeout > c.ExchangeTimeout {
		problems = append(problems, errors.New("ScannerTimeout is longer than ExchangeTimeout"))
	}
	for i, k := range c.ExchangeKeys {
		if len(k) < 16 {
			problems = append(problems, fmt.Errorf("ExchangeKeys[%d] has %d bytes, at least 16 are needed", i, len(k)))
		}
	}
	_, keys := newTraceKeys(c.TraceKey, nil)
	_, prints := audit.NewFingerprinter(c.AuditHMACKey)
	problems = append(problems, keys, prints)
	return errors.Join(problems...)
}
