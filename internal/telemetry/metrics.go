package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sallyport-mcp/sallyport/decision"
)

// Metrics are the counters, gauges and histograms of one engine. All methods are safe for concurrent use, never block and
// allocate nothing; those on the path of an exchange cost a map look-up each.
type Metrics struct {
	// Inflight is how many exchanges are being decided, InflightBytes the sum of their payloads.
	Inflight, InflightBytes *Gauge
	// ModelQueueWindows is how many windows wait for a model worker.
	ModelQueueWindows *Gauge
	// TraceKeys is how many trace keys have a state.
	TraceKeys *Gauge

	decisions        counters
	decisionDuration histograms
	scannerResults   counters
	scannerDuration  histograms
	findings         counters
	redactions       counters
	rules            ruleHits
	reloads          counters
	rulesVersion     *prometheus.GaugeVec
	reloadOK         *Gauge
	reloadAt         *Gauge
	transitions      counters
	serving          *Gauge
	shed             counters
	undecided        counters
	batchWindows     histograms
	batchTokens      histograms
	padding          histograms
	batchWait        histograms
	infer            histograms
	cache            counters
	workers          map[string]*Gauge
	abandoned        counters
	restarts         counters
	mailboxes        map[string]*Gauge
	evictions        counters
	tokens           counters
	auditLines       counters
	auditDropped     counters
	partial          counters
	ruleErrors       counters
	sharedKeys       counters
	transport        counters
	tlsReloads       counters
	tlsExpiry        *Gauge

	catalogue []Metric
}

// Decision counts one verdict and how long it took.
func (m *Metrics) Decision(phase decision.Phase, outcome decision.Outcome, method string, took time.Duration) {
	m.decisions.add(1, phase.String(), outcome.String(), method)
	m.decisionDuration.observe(took.Seconds(), phase.String(), outcome.String())
}

// Scanner counts one run of a scanner (a decision.Scanner constant) with its result (a Scan constant) and how long it took.
func (m *Metrics) Scanner(scanner, result string, took time.Duration) {
	m.scannerResults.add(1, scanner, result)
	m.scannerDuration.observe(took.Seconds(), scanner)
}

// Finding counts one finding.
func (m *Metrics) Finding(category decision.Category, severity decision.Severity) {
	m.findings.add(1, string(category), severity.String())
}

// Redactions counts masked strings and removed tools; n must not be negative.
func (m *Metrics) Redactions(n int) { m.redactions.add(float64(n)) }

// Rule counts one rule that fired. A rule that was not named to RulesLoaded counts as Other.
func (m *Metrics) Rule(rule string, action decision.Action) { m.rules.hit(rule, action) }

// RulesLoaded tells which rule version runs since at, and with which rules: their series exist at zero from now on, and those
// of rules that are gone end. Only the owner of the rules may call it, one call at a time.
func (m *Metrics) RulesLoaded(version string, rules []string, at time.Time) {
	m.rulesVersion.Reset()
	m.rulesVersion.WithLabelValues(labelText(version)).Set(1)
	m.rules.load(rules)
	m.reloadAt.Set(float64(at.UnixMilli()) / 1000)
}

// RulesReload counts one reload with its result, one of the Reload constants.
func (m *Metrics) RulesReload(result string) {
	m.reloads.add(1, result)
	ok := 1.0
	if result == ReloadFailed {
		ok = 0
	}
	m.reloadOK.Set(ok)
}

// HealthTransition counts a change of phase; to is the name of a lifecycle phase.
func (m *Metrics) HealthTransition(to string) { m.transitions.add(1, to) }

// Serving says whether readiness is SERVING.
func (m *Metrics) Serving(yes bool) {
	v := 0.0
	if yes {
		v = 1
	}
	m.serving.Set(v)
}

// Shed counts one exchange that was refused for load; reason is one of the Shed constants.
func (m *Metrics) Shed(reason string) { m.shed.add(1, reason) }

// Batch is one run of a model worker.
type Batch struct {
	Windows int           // texts in it
	Tokens  int           // without padding
	Padding float64       // share of the padded batch that is padding, 0 to 1
	Wait    time.Duration // how long its most urgent window had waited
	Infer   time.Duration // the run itself
}

// Batch counts one run of a model worker.
func (m *Metrics) Batch(b Batch) {
	m.batchWindows.observe(float64(b.Windows))
	m.batchTokens.observe(float64(b.Tokens))
	m.padding.observe(b.Padding)
	m.batchWait.observe(b.Wait.Seconds())
	m.infer.observe(b.Infer.Seconds())
}

// Cache counts n look-ups of a score with the same result, one of the Cache constants.
func (m *Metrics) Cache(result string, n int) { m.cache.add(float64(n), result) }

// Workers says how many model workers are in which state.
func (m *Metrics) Workers(idle, busy, down, abandoned int) {
	m.workers[WorkerIdle].Set(float64(idle))
	m.workers[WorkerBusy].Set(float64(busy))
	m.workers[WorkerDown].Set(float64(down))
	m.workers[WorkerAbandoned].Set(float64(abandoned))
}

// WorkerAbandoned counts one model run that was given up because the native call did not return.
func (m *Metrics) WorkerAbandoned() { m.abandoned.add(1) }

// ActorRestarted counts one restart. Actors of which there are many ("trace-3") count under their common name.
func (m *Metrics) ActorRestarted(actor string) { m.restarts.add(1, actorLabel(actor)) }

// Mailbox returns the gauge of the messages that wait for an actor, or for all actors of that name together.
func (m *Metrics) Mailbox(actor string) *Gauge {
	if g, ok := m.mailboxes[actorLabel(actor)]; ok {
		return g
	}
	return m.mailboxes[Other]
}

// TraceEvictions counts trace keys that were forgotten because there were too many.
func (m *Metrics) TraceEvictions(n int) { m.evictions.add(float64(n)) }

// Token counts one hand-back token by its fate, one of the Token constants.
func (m *Metrics) Token(fate string) { m.tokens.add(1, fate) }

// AuditLines counts written audit records.
func (m *Metrics) AuditLines(n int) { m.auditLines.add(float64(n)) }

// AuditDropped counts audit records that were not written.
func (m *Metrics) AuditDropped(n int) { m.auditDropped.add(float64(n)) }

// TransportRefused counts something that a server refused before the engine saw it; reason is one of the Transport constants.
func (m *Metrics) TransportRefused(reason string) { m.transport.add(1, reason) }

// TLSReload counts one attempt to read certificates again; result is ReloadOK or ReloadFailed.
func (m *Metrics) TLSReload(result string) { m.tlsReloads.add(1, result) }

// TLSExpiry says when the server certificate in force ends.
func (m *Metrics) TLSExpiry(until time.Time) { m.tlsExpiry.Set(float64(until.Unix())) }

// SharedKey counts one call whose trace key is shared by all callers of its service.
func (m *Metrics) SharedKey() { m.sharedKeys.add(1) }

// Undecided counts one exchange whose verdict is what becomes of one that could not be decided, by the fault.
func (m *Metrics) Undecided(f decision.FaultKind) { m.undecided.add(1, f.String()) }

// RuleError counts one rule that could not be evaluated for one exchange.
func (m *Metrics) RuleError() { m.ruleErrors.add(1) }

// CoveragePartial counts one exchange of which not everything was scanned.
func (m *Metrics) CoveragePartial() { m.partial.add(1) }
