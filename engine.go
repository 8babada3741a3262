package sallyport

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/sync/semaphore"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/content"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/telemetry"
	"github.com/sallyport-mcp/sallyport/internal/token"
	"github.com/sallyport-mcp/sallyport/supervision"
)

// The vocabulary of package decision, under the names an embedder uses.
type (
	// Exchange is one question: may this MCP message go on?
	Exchange = decision.Exchange
	// Verdict is the answer.
	Verdict = decision.Verdict
	// Finding is one thing that a scanner saw.
	Finding = decision.Finding
	// Phase says which of the two gates an exchange is at.
	Phase = decision.Phase
)

// Engine is a running guardrail. Make one with [New], start it, ask it, shut it
// down; each once. Check methods may be called from any goroutine at any time,
// before Start and after Shutdown too: they then refuse.
type Engine struct {
	cfg       Config
	log       *zap.Logger
	metrics   *telemetry.Metrics
	now       func() time.Time
	limits    content.Limits
	admission *admission
	turns     *semaphore.Weighted // of heavy payloads
	ring      *token.Keyring
	keys      traceKeys
	prints    audit.Fingerprinter
	shedLog   shedLog
	losses    lossLog
	saves     saveLog
	tended    saveLog
	canaries  atomic.Uint64

	// load opens the model, loadFirst the gate in front of it.
	load, loadFirst actors.LoadModel
	announced       atomic.Pointer[string] // what the log says about the models
	wanted          atomic.Pointer[Policy] // what the next build compiles
	modelErr        atomic.Pointer[error]
	modelSaid       atomic.Pointer[string] // the last error of the models that was told
	deadline        atomic.Pointer[timeouts]

	front     Front
	host      *hostFront                       // the front of an engine without a server
	running   atomic.Pointer[supervision.Tree] // nil before Start
	early     earlyEvents
	gauges    chan struct{} // closed when the engine shuts down
	gaugesEnd chan struct{} // closed when the gauges are left alone
	sinkErr   error         // of the close of the audit sink, once sinkEnd is closed
	sinkEnd   chan struct{}
	started   atomic.Bool   // Start or Shutdown was called: no other Start does anything
	startEnd  chan struct{} // closed when Start has ended, or will never be called
	once      struct{ shutdown, sink sync.Once }
}

// New checks the configuration and builds an engine that runs nothing yet. Its
// error lists everything that is wrong. Rules are read by [Engine.Start].
func New(cfg Config) (*Engine, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("sallyport: %w", err)
	}
	e := &Engine{
		cfg:    cfg,
		log:    cfg.Logger,
		now:    time.Now,
		turns:  newTurns(),
		limits: content.Limits{MaxBytes: cfg.MaxPayloadBytes, MaxDepth: cfg.MaxJSONDepth},
	}
	if e.log == nil {
		e.log = zap.NewNop()
	}
	var problems [4]error
	keys := make([]string, len(cfg.ExchangeKeys))
	for i, k := range cfg.ExchangeKeys {
		keys[i] = string(k)
	}
	e.ring, problems[0] = token.NewKeyring(keys, token.Options{MaxAge: cfg.ExchangeTokenMaxAge})
	e.keys, problems[1] = newTraceKeys(cfg.TraceKey, e.ring)
	e.prints, problems[2] = audit.NewFingerprinter(cfg.AuditHMACKey)
	reg := cfg.Registerer
	if reg == nil {
		reg = prometheus.NewRegistry()
	}
	info := build.Current()
	e.metrics, problems[3] = telemetry.New(reg, telemetry.WithBuild(info.Version, info.Revision, info.Go))
	if err := errors.Join(problems[:]...); err != nil {
		return nil, fmt.Errorf("sallyport: %w", err)
	}
	e.gauges, e.gaugesEnd, e.startEnd = make(chan struct{}), make(chan struct{}), make(chan struct{})
	e.load, e.sinkEnd = e.loadModel, make(chan struct{})
	e.loadFirst = e.loadGate
	a := newAdmission(cfg.MaxInflight, cfg.MaxInflightBytes, e.now)
	e.admission = a // and no more of the engine is what a registry keeps
	// Read when somebody asks: of two who tell what they have counted, the one who was
	// earlier may be the last to say so.
	e.metrics.Inflight.Source(func() float64 { return float64(a.inflight.Load()) })
	e.metrics.InflightBytes.Source(func() float64 { return float64(a.heldBytes.Load()) })
	policy := cfg.Policy
	e.wanted.Store(&policy)
	e.setTimeouts(0)
	return e, nil
}

// fallbackPolicy is the verdict policy of exchanges that are refused before a
// profile was chosen.
func (e *Engine) fallbackPolicy() decision.Policy { return e.wanted.Load().Default.Policy }

// tree is the running tree; nil before Start.
func (e *Engine) tree() *supervision.Tree { return e.running.Load() }
