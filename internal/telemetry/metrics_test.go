package telemetry

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the metric table of docs/metrics.md")

func newMetrics(t *testing.T) (*Metrics, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	m, err := New(reg, WithBuild("v1.2.3", "0123abcd", "go1.27"))
	require.NoError(t, err)
	return m, reg
}

func gather(t *testing.T, reg prometheus.Gatherer) map[string]*dto.MetricFamily {
	t.Helper()
	list, err := reg.Gather()
	require.NoError(t, err)
	out := map[string]*dto.MetricFamily{}
	for _, f := range list {
		out[f.GetName()] = f
	}
	return out
}

// value returns the one series of name with these "label=value" pairs: a counter, a gauge, or a histogram's count.
func value(t *testing.T, reg prometheus.Gatherer, name string, labels ...string) float64 {
	t.Helper()
	for _, m := range gather(t, reg)[name].GetMetric() {
		var got []string
		for _, l := range m.GetLabel() {
			got = append(got, l.GetName()+"="+l.GetValue())
		}
		if strings.Join(got, ",") != strings.Join(labels, ",") {
			continue
		}
		switch {
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		default:
			return float64(m.Histogram.GetSampleCount())
		}
	}
	t.Fatalf("no series %s%v", name, labels)
	return 0
}

// specified are the names that operators rely on.
var specified = []string{
	"decisions_total", "decision_duration_seconds", "undecided_total", "scanner_results_total", "scanner_duration_seconds", "findings_total", "redactions_total",
	"invariant_hits_total", "rules_reload_total", "rules_version", "rules_last_reload_successful", "rules_last_reload_timestamp_seconds",
	"health_transitions_total", "serving", "inflight", "inflight_bytes", "shed_total", "model_queue_windows", "model_batch_windows",
	"model_batch_tokens", "model_padding_ratio", "model_batch_wait_seconds", "model_infer_seconds", "model_cache_total", "model_workers",
	"model_workers_abandoned_total", "actor_restarts_total", "mailbox_depth", "trace_keys", "trace_evictions_total", "exchange_tokens_total",
	"audit_lines_total", "audit_dropped_total", "coverage_partial_total", "rule_errors_total", "shared_key_exchanges_total", "transport_refused_total", "tls_reload_total", "tls_certificate_expiry_timestamp_seconds", "build_info",
}

func TestEverySeriesIsAtZeroFromTheStart(t *testing.T) {
	m, reg := newMetrics(t)
	families := gather(t, reg)
	require.Len(t, families, len(specified))
	require.Len(t, m.Catalogue(), len(specified))
	for _, name := range specified {
		f := families[Prefix+name]
		require.NotNil(t, f, "%s has no series", name)
		for _, s := range f.GetMetric() {
			if name == "build_info" {
				require.InDelta(t, 1, s.Gauge.GetValue(), 0)
				continue
			}
			require.Zero(t, s.GetCounter().GetValue()+s.GetGauge().GetValue()+float64(s.GetHistogram().GetSampleCount()), name)
		}
	}
	series := len(decision.Outcomes()) * 2 * (len(methods) + 1)
	require.Len(t, families[NameDecisions].GetMetric(), series)
}

func TestNamesPassTheLinter(t *testing.T) {
	_, reg := newMetrics(t)
	problems, err := testutil.GatherAndLint(reg)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestTwoEnginesInOneProcess(t *testing.T) {
	a, regA := newMetrics(t)
	_, regB := newMetrics(t)
	a.CoveragePartial()
	require.InDelta(t, 1, value(t, regA, NameCoveragePartial), 0)
	require.InDelta(t, 0, value(t, regB, NameCoveragePartial), 0)

	shared := prometheus.NewRegistry()
	for _, name := range []string{"one", "two"} {
		_, err := New(prometheus.WrapRegistererWith(prometheus.Labels{"engine": name}, shared))
		require.NoError(t, err)
	}
	_, err := New(regA)
	require.ErrorContains(t, err, "another engine")
	require.InDelta(t, 1, value(t, regA, NameCoveragePartial), 0, "the failed attempt must leave the first engine's metrics alone")

	unregistered, err := New(nil)
	require.NoError(t, err)
	unregistered.CoveragePartial()
}

func TestFailedRegistrationLeavesNothing(t *testing.T) {
	reg := prometheus.NewRegistry()
	require.NoError(t, reg.Register(prometheus.NewGauge(prometheus.GaugeOpts{Name: NameTraceKeys, Help: "taken"})))
	_, err := New(reg)
	require.Error(t, err)
	require.Len(t, gather(t, reg), 1)
}

func TestEveryMethodReachesItsSeries(t *testing.T) {
	m, reg := newMetrics(t)
	m.Decision(decision.Response, decision.Deny, "tools/call", time.Millisecond)
	m.Scanner(decision.ScannerModel, ScanTimeout, time.Second)
	m.Finding(decision.Secret, decision.Block)
	m.Redactions(3)
	m.Redactions(-1)
	m.RulesLoaded("abc123", []string{"no_exfil"}, time.UnixMilli(1_700_000_000_500))
	m.Rule("no_exfil", decision.ActionBlock)
	m.Rule("unheard_of", decision.ActionShadow)
	m.RulesReload(ReloadOK)
	m.HealthTransition("serving")
	m.Serving(true)
	m.Inflight.Set(1)
	m.InflightBytes.Set(4096)
	m.Shed(ShedBytes)
	m.ModelQueueWindows.Source(func() float64 { return 17 })
	m.Batch(Batch{Windows: 4, Tokens: 300, Padding: .1, Wait: time.Millisecond, Infer: 20 * time.Millisecond})
	m.Cache(CacheHit, 5)
	m.Workers(1, 2, 3, 4)
	m.WorkerAbandoned()
	m.ActorRestarted("trace-3")
	m.ActorRestarted("stranger")
	m.Mailbox("modelpool").Set(8)
	m.Mailbox("stranger").Set(1)
	m.TraceKeys.Set(12)
	m.TraceEvictions(6)
	m.Token(TokenExpired)
	m.AuditLines(9)
	m.AuditDropped(1)

	for _, tc := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{1, NameDecisions, []string{"method=tools/call", "outcome=deny", "phase=response"}},
		{1, NameDecisionDuration, []string{"outcome=deny", "phase=response"}},
		{1, NameScannerResults, []string{"outcome=timeout", "scanner=model"}},
		{1, NameScannerDuration, []string{"scanner=model"}},
		{1, NameFindings, []string{"category=secret", "severity=block"}},
		{3, NameRedactions, nil},
		{1, NameRulesVersion, []string{"version=abc123"}},
		{1_700_000_000.5, NameRulesLastReloadAt, nil},
		{1, NameInvariantHits, []string{"action=block", "rule=no_exfil"}},
		{1, NameInvariantHits, []string{"action=shadow", "rule=other"}},
		{1, NameRulesReload, []string{"result=success"}},
		{1, NameRulesLastReloadOK, nil},
		{1, NameHealthTransitions, []string{"to=serving"}},
		{1, NameServing, nil},
		{1, NameInflight, nil},
		{4096, NameInflightBytes, nil},
		{1, NameShed, []string{"reason=bytes"}},
		{17, NameModelQueueWindows, nil},
		{1, NameModelBatchWindows, nil},
		{1, NameModelBatchTokens, nil},
		{1, NameModelPaddingRatio, nil},
		{1, NameModelBatchWait, nil},
		{1, NameModelInfer, nil},
		{5, NameModelCache, []string{"result=hit"}},
		{4, NameModelWorkers, []string{"state=abandoned"}},
		{3, NameModelWorkers, []string{"state=down"}},
		{1, NameModelAbandoned, nil},
		{1, NameActorRestarts, []string{"actor=trace"}},
		{1, NameActorRestarts, []string{"actor=other"}},
		{8, NameMailboxDepth, []string{"actor=modelpool"}},
		{1, NameMailboxDepth, []string{"actor=other"}},
		{12, NameTraceKeys, nil},
		{6, NameTraceEvictions, nil},
		{1, NameTokens, []string{"result=expired"}},
		{9, NameAuditLines, nil},
		{1, NameAuditDropped, nil},
	} {
		require.InDelta(t, tc.want, value(t, reg, tc.name, tc.labels...), 1e-6, "%s%v", tc.name, tc.labels)
	}
	m.RulesReload(ReloadFailed)
	m.Serving(false)
	require.Zero(t, value(t, reg, NameRulesLastReloadOK))
	require.Zero(t, value(t, reg, NameServing))
}

// Odd and numberless methods, rules and versions neither panic nor add series.
func TestCaseRS07LabelValues(t *testing.T) {
	m, reg := newMetrics(t)
	before := len(gather(t, reg)[NameDecisions].GetMetric())
	for i := range 100_000 {
		m.Decision(decision.Request, decision.Allow, fmt.Sprintf("tools/\xc0\xaf%d", i), 0)
	}
	m.Decision(decision.Request, decision.Allow, "Tools/Call", 0)
	require.InDelta(t, 100_001, value(t, reg, NameDecisions, "method=other", "outcome=allow", "phase=request"), 0)
	require.Len(t, gather(t, reg)[NameDecisions].GetMetric(), before)

	m.Rule("\xff", decision.ActionBlock)
	m.Rule("x", decision.Action(77))
	m.Decision(decision.Request, decision.Outcome(77), "ping", 0)
	m.Finding("\xff", decision.Block)
	m.Scanner("\xff", "\xff", 0)
	m.Shed("\xff")
	m.HealthTransition("\xff")
	m.RulesLoaded("v\x00\xff", []string{"a\nb", "\xc0\xaf", strings.Repeat("r", maxLabelText+1), "other", "ok", "ok"}, time.Unix(1, 0))
	require.Len(t, gather(t, reg)[NameInvariantHits].GetMetric(), 2*len(actions))
	require.InDelta(t, 1, value(t, reg, NameRulesVersion, "version=other"), 0)

	many := make([]string, 10*maxRuleSeries)
	for i := range many {
		many[i] = fmt.Sprint("rule_", i)
	}
	m.RulesLoaded("v2", many, time.Unix(2, 0))
	require.Len(t, gather(t, reg)[NameInvariantHits].GetMetric(), (maxRuleSeries+1)*len(actions))
	m.Rule(many[len(many)-1], decision.ActionBlock)
	require.InDelta(t, 2, value(t, reg, NameInvariantHits, "action=block", "rule=other"), 0)
}

func TestRulesOfAnOldPackLeave(t *testing.T) {
	m, reg := newMetrics(t)
	m.RulesLoaded("v1", []string{"a", "b"}, time.Unix(1, 0))
	m.Rule("b", decision.ActionReview)
	m.RulesLoaded("v2", []string{"b", "c"}, time.Unix(2, 0))
	require.InDelta(t, 1, value(t, reg, NameInvariantHits, "action=review", "rule=b"), 0, "a rule that stays keeps its count")
	require.Len(t, gather(t, reg)[NameInvariantHits].GetMetric(), 3*len(actions))
	require.Len(t, gather(t, reg)[NameRulesVersion].GetMetric(), 1)
	m.Rule("a", decision.ActionReview)
	require.InDelta(t, 1, value(t, reg, NameInvariantHits, "action=review", "rule=other"), 0)
}

func TestConcurrentUse(t *testing.T) {
	m, reg := newMetrics(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				m.Redactions(1)
				m.Rule("a", decision.ActionBlock)
				if i%100 == 0 {
					_, _ = reg.Gather()
				}
			}
		})
	}
	for i := range 100 {
		m.RulesLoaded(fmt.Sprint(i), []string{"a"}, time.Unix(1, 0))
	}
	wg.Wait()
	require.InDelta(t, 4000, value(t, reg, NameRedactions), 0)
	total := value(t, reg, NameInvariantHits, "action=block", "rule=a") + value(t, reg, NameInvariantHits, "action=block", "rule=other")
	require.InDelta(t, 4000, total, 0)
}

const docPath = "../../docs/metrics.md"

// The table in the documentation is the catalogue; run with -rewrite to bring it up to date.
func TestDocumentationIsTrue(t *testing.T) {
	m, _ := newMetrics(t)
	var b strings.Builder
	b.WriteString("| name | type | labels | meaning |\n|---|---|---|---|\n")
	for _, d := range m.Catalogue() {
		labels := make([]string, len(d.Labels))
		for i, l := range d.Labels {
			labels[i] = "`" + l + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Name, d.Type, strings.Join(labels, ", "), d.Help)
	}
	const begin, end = "<!-- metrics begin -->\n", "<!-- metrics end -->\n"
	doc, err := os.ReadFile(docPath)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(doc), begin)
	require.True(t, ok, "%s has no %q", docPath, begin)
	table, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", docPath, end)
	if *rewrite {
		require.NoError(t, os.WriteFile(docPath, []byte(before+begin+b.String()+end+after), 0o600))
		return
	}
	require.Equal(t, b.String(), table, "run go test ./internal/telemetry -run TestDocumentationIsTrue -rewrite")
	for _, word := range append(append([]string{}, methods...), actorNames...) {
		require.Contains(t, before+after, "`"+word+"`", "the label value is not documented")
	}
}

func BenchmarkDecision(b *testing.B) {
	m, err := New(prometheus.NewRegistry())
	require.NoError(b, err)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			m.Decision(decision.Request, decision.Allow, "tools/call", time.Millisecond)
		}
	})
}
