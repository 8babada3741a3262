package telemetry

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sallyport-mcp/sallyport/decision"
)

// Metric describes one metric name.
type Metric struct {
	Name    string
	Type    string // "counter", "gauge" or "histogram"
	Labels  []string
	Help    string
	Buckets []float64 // of a histogram, upper bounds
}

// Option changes what New makes.
type Option func(*options)

type options struct{ version, revision, goVersion string }

// WithBuild sets the labels of the build_info metric.
func WithBuild(version, revision, goVersion string) Option {
	return func(o *options) { o.version, o.revision, o.goVersion = version, revision, goVersion }
}

// New makes the metrics of one engine, every series at zero, and registers them with reg; a nil reg keeps them unregistered. It
// fails when reg has metrics of these names already: a second engine in the same process needs a registry of its own, or
// one wrapped with prometheus.WrapRegistererWith.
func New(reg prometheus.Registerer, opts ...Option) (*Metrics, error) {
	o := options{goVersion: runtime.Version()}
	for _, opt := range opts {
		opt(&o)
	}
	b := builder{m: &Metrics{}}
	b.build(o)
	if reg != nil {
		if err := register(reg, b.collectors); err != nil {
			return nil, err
		}
	}
	return b.m, nil
}

// register adds all collectors or none.
func register(reg prometheus.Registerer, list []prometheus.Collector) error {
	for i, c := range list {
		if err := reg.Register(c); err != nil {
			for _, done := range list[:i] {
				reg.Unregister(done)
			}
			if twice := (prometheus.AlreadyRegisteredError{}); errors.As(err, &twice) {
				return errors.New("register metrics: the registry has the metrics of another engine; give each engine its own")
			}
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}

// Catalogue returns every metric in the order of the documentation.
func (m *Metrics) Catalogue() []Metric { return m.catalogue }

var (
	secondsBuckets = []float64{.0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10}
	windowsBuckets = []float64{1, 2, 4, 8, 16, 32, 64, 128}
	tokensBuckets  = []float64{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}
	ratioBuckets   = []float64{0, .05, .1, .2, .3, .4, .5, .6, .8}
)

// builder makes collectors and takes note of what it made.
type builder struct {
	m          *Metrics
	collectors []prometheus.Collector
}

func (b *builder) build(o options) {
	m := b.m
	phase := closed(LabelPhase, decision.Request.String(), decision.Response.String())
	outcome := closed(LabelOutcome, outcomes()...)
	scanner := open(LabelScanner, decision.ScannerContent, decision.ScannerModel, decision.ScannerRules, decision.ScannerPins)

	m.decisions = b.counter(NameDecisions, "Verdicts by phase, outcome and MCP method.", phase, outcome, open(LabelMethod, methods...))
	m.decisionDuration = b.histogram(NameDecisionDuration, "Time from the arrival of an exchange to its verdict.", secondsBuckets, phase, outcome)
	m.undecided = b.counter(NameUndecided, "Exchanges that could not be decided, by the fault that kept them from it; refused or, under failOpen, passed for review.",
		closed(LabelReason, faults()...))
	m.scannerResults = b.counter(NameScannerResults, "Scanner runs by result. Only error, and timeout of a scanner that stood still, count against health.",
		scanner, closed(LabelOutcome, ScanClean, ScanFound, ScanError, ScanTimeout, ScanShed, ScanCancelled, ScanFault))
	m.scannerDuration = b.histogram(NameScannerDuration, "Time that one scanner took for one exchange.", secondsBuckets, scanner)
	m.findings = b.counter(NameFindings, "Findings of all scanners.", closed(LabelCategory, categories()...),
		closed(LabelSeverity, decision.Note.String(), decision.Review.String(), decision.Block.String()))
	m.redactions = b.counter(NameRedactions, "Places masked and tools removed.")
	m.rules = newRuleHits(b.counterVec(NameInvariantHits, "Rules that fired. Rules are those of the loaded pack, at most 500, and other.", LabelRule, LabelAction))
	m.reloads = b.counter(NameRulesReload, "Attempts to load the rules, the first at the start.", closed(LabelResult, ReloadOK, ReloadFailed, ReloadUnchanged))
	m.rulesVersion = b.gaugeVec(NameRulesVersion, "1 for the rule version that runs, a hash of its content; 0 for none.", LabelVersion)
	m.rulesVersion.WithLabelValues(labelText("")).Set(0)
	m.reloadOK = b.gauge(NameRulesLastReloadOK, "1 when the last attempt to load the rules succeeded.")
	m.reloadAt = b.gauge(NameRulesLastReloadAt, "When the running rules were loaded, in seconds since 1970.")
	m.transitions = b.counter(NameHealthTransitions, "Changes of the lifecycle phase.",
		closed(LabelTo, "starting", "warming", "serving", "degraded", "draining", "stopping", "stopped"))
	m.serving = b.gauge(NameServing, "1 while readiness is SERVING.")
	m.Inflight = b.gauge(NameInflight, "Exchanges that are being decided.")
	m.InflightBytes = b.gauge(NameInflightBytes, "Payload bytes of the exchanges that are being decided.")
	m.shed = b.counter(NameShed, "Exchanges refused for load.", open(LabelReason, ShedInflight, ShedBytes))
	b.model()
	m.restarts = b.counter(NameActorRestarts, "Restarts of an actor after a panic.", open(LabelActor, actorNames...))
	m.mailboxes = b.gauges(NameMailboxDepth, "Messages that wait for an actor.", open(LabelActor, actorNames...))
	m.TraceKeys = b.gauge(NameTraceKeys, "Trace keys that have a state.")
	m.evictions = b.counter(NameTraceEvictions, "Trace keys forgotten because there were too many.")
	m.tokens = b.counter(NameTokens, "Hand-back tokens of responses by their fate.",
		closed(LabelResult, TokenValid, TokenMissing, TokenUnknown, TokenExpired, TokenInvalid, TokenRepeated))
	m.auditLines = b.counter(NameAuditLines, "Audit records written.")
	m.auditDropped = b.counter(NameAuditDropped, "Audit records that could not be written.")
	m.transport = b.counter(NameTransportRefused, "Messages, calls and connections that the server refused by itself.",
		closed(LabelReason, TransportOversize, TransportUndecodable, TransportOverdue, TransportPanic, TransportConns, TransportClient, TransportHandshake))
	m.tlsReloads = b.counter(NameTLSReload, "Attempts to read the certificates again.", closed(LabelResult, ReloadOK, ReloadFailed))
	m.tlsExpiry = b.gauge(NameTLSExpiry, "When the server certificate in force ends, in seconds since 1970; 0 without TLS.")
	m.sharedKeys = b.counter(NameSharedKeys, "Calls whose trace key is shared by all callers of the service, so that limits do not fire.")
	m.ruleErrors = b.counter(NameRuleErrors, "Rules that could not be evaluated for an exchange.")
	m.partial = b.counter(NameCoveragePartial, "Exchanges of which not everything was scanned.")
	b.gaugeVec(NameBuildInfo, "1, labelled with the build that runs.", LabelVersion, LabelRevision, LabelGo).
		WithLabelValues(labelText(o.version), labelText(o.revision), labelText(o.goVersion)).Set(1)
}

func (b *builder) model() {
	m := b.m
	m.ModelQueueWindows = b.gauge(NameModelQueueWindows, "Windows that wait for a model worker.")
	m.batchWindows = b.histogram(NameModelBatchWindows, "Windows in one batch.", windowsBuckets)
	m.batchTokens = b.histogram(NameModelBatchTokens, "Tokens in one batch, without padding.", tokensBuckets)
	m.padding = b.histogram(NameModelPaddingRatio, "Share of a batch that is padding.", ratioBuckets)
	m.batchWait = b.histogram(NameModelBatchWait, "Time that the most urgent window of a batch had waited.", secondsBuckets)
	m.infer = b.histogram(NameModelInfer, "Time of one run of the model.", secondsBuckets)
	m.cache = b.counter(NameModelCache, "Look-ups of remembered scores.", closed(LabelResult, CacheHit, CacheMiss))
	m.workers = b.gauges(NameModelWorkers, "Model workers by state.", closed(LabelState, WorkerIdle, WorkerBusy, WorkerDown, WorkerAbandoned))
	m.abandoned = b.counter(NameModelAbandoned, "Model runs given up because the native call did not return.")
}

func (b *builder) note(c prometheus.Collector, m Metric) {
	b.collectors = append(b.collectors, c)
	b.m.catalogue = append(b.m.catalogue, m)
}

func (b *builder) counterVec(name, help string, labels ...string) *prometheus.CounterVec {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	b.note(vec, Metric{Name: name, Type: "counter", Labels: labels, Help: help})
	return vec
}

func (b *builder) counter(name, help string, sets ...set) counters {
	vec := b.counterVec(name, help, labelNames(sets)...)
	return counters{newFamily(sets, func(v ...string) prometheus.Counter { return vec.WithLabelValues(v...) })}
}

func (b *builder) histogram(name, help string, buckets []float64, sets ...set) histograms {
	labels := labelNames(sets)
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	b.note(vec, Metric{Name: name, Type: "histogram", Labels: labels, Help: help, Buckets: buckets})
	return histograms{newFamily(sets, func(v ...string) prometheus.Observer { return vec.WithLabelValues(v...) })}
}

func (b *builder) gaugeVec(name, help string, labels ...string) *prometheus.GaugeVec {
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	b.note(vec, Metric{Name: name, Type: "gauge", Labels: labels, Help: help})
	return vec
}

func (b *builder) gauge(name, help string) *Gauge {
	g := &Gauge{}
	b.note(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, g.Value), Metric{Name: name, Type: "gauge", Help: help})
	return g
}

// gauges makes one Gauge for every value of one label.
func (b *builder) gauges(name, help string, s set) map[string]*Gauge {
	out := map[string]*Gauge{}
	for i, v := range s.all() {
		g := &Gauge{}
		out[v] = g
		c := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: prometheus.Labels{s.label: v}}, g.Value)
		if i == 0 {
			b.note(c, Metric{Name: name, Type: "gauge", Labels: []string{s.label}, Help: help})
			continue
		}
		b.collectors = append(b.collectors, c)
	}
	return out
}

func outcomes() []string {
	var out []string
	for _, o := range decision.Outcomes() {
		out = append(out, o.String())
	}
	return out
}

func faults() []string {
	var out []string
	for _, f := range decision.FaultKinds() {
		out = append(out, f.String())
	}
	return out
}

func categories() []string {
	var out []string
	for _, c := range decision.Categories() {
		out = append(out, string(c))
	}
	return out
}
