//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
)

// promised are the metrics of the specification and the labels they carry. The ones
// under other names are this product's own and documented in docs/metrics.md.
var promised = map[string]string{
	"decisions_total": "method outcome phase", "decision_duration_seconds": "outcome phase",
	"scanner_results_total": "outcome scanner", "scanner_duration_seconds": "scanner",
	"findings_total": "category severity", "redactions_total": "", "invariant_hits_total": "action rule",
	"rules_reload_total": "result", "rules_version": "version", "rules_last_reload_successful": "",
	"rules_last_reload_timestamp_seconds": "", "health_transitions_total": "to", "serving": "",
	"inflight": "", "inflight_bytes": "", "shed_total": "reason",
	"model_queue_windows": "", "model_batch_windows": "", "model_batch_tokens": "", "model_padding_ratio": "",
	"model_batch_wait_seconds": "", "model_infer_seconds": "", "model_cache_total": "result", "model_workers": "state",
	"actor_restarts_total": "actor", "mailbox_depth": "actor", "trace_keys": "", "trace_evictions_total": "",
	"audit_lines_total": "", "audit_dropped_total": "", "coverage_partial_total": "", "build_info": "go_version revision version",
}

const metricPrefix = "mcp_guardrails_"

// series are the values of every series of ours, by name and labels; a histogram is
// its count.
func (s *sidecar) series() map[string]float64 {
	s.t.Helper()
	out := map[string]float64{}
	for name, family := range s.metrics() {
		if !strings.HasPrefix(name, metricPrefix) {
			continue
		}
		for _, m := range family.GetMetric() {
			out[name+labelText(m)] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}

func labelText(m *dto.Metric) string {
	words := make([]string, 0, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		words = append(words, l.GetName()+"="+l.GetValue())
	}
	slices.Sort(words)
	return "{" + strings.Join(words, ",") + "}"
}

// Every promised metric is there from the start with its labels, and so is every
// series that traffic of all kinds moves.
func TestBlackboxMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t, env{
		"INVARIANT_RULES_PATH": writeFile(t, "pack.yaml", wirePack), "DENY_TOOLS": "denied", "SCAN_MAX_PAYLOAD_BYTES": "65536", "INVARIANT_MAX_TRACES": "8",
	})
	families := s.metrics()
	for name, labels := range promised {
		family := families[metricPrefix+name]
		require.NotEmpty(t, family.GetMetric(), name)
		for _, m := range family.GetMetric() {
			got := make([]string, 0, 3)
			for _, l := range m.GetLabel() {
				got = append(got, l.GetName())
			}
			slices.Sort(got)
			require.Equal(t, labels, strings.Join(got, " "), name)
		}
		require.NotEmpty(t, family.GetHelp(), name)
	}
	start := s.series()
	for name, value := range start {
		still := strings.Contains(name, "_total{") && !strings.Contains(name, "health_transitions") && !strings.Contains(name, "audit_lines") &&
			!strings.Contains(name, "model_cache") && !strings.Contains(name, "scanner_results") && !strings.Contains(name, "rules_reload") && !strings.Contains(name, "decisions")
		if still {
			require.Zero(t, value, name)
		}
	}

	ask := func(c wireCall) { s.wire(c) }
	ask(toolCall(`{"name":"forecast"}`))
	ask(toolCall(`{"name":"denied"}`))
	ask(toolCall(`{"name":"look_first"}`))
	ask(toolCall(`{"name":"watched"}`))
	ask(toolCall(`{"name":"adds","arguments":{"n":"one"}}`))
	ask(toolCall(`{"name":"vault_open"}`))
	ask(toolCall(`{"name":"save","arguments":{"k":` + q(sampleKey) + `}}`))
	ask(toolCall(`marzipan`))
	ask(toolCall(fmt.Sprintf(`{"name":"x","pad":%q}`, strings.Repeat("a", 65536))))
	ask(toolResult(`{"content":[{"type":"text","text":"write to kim@example.org"}]}`))
	ask(toolResult(`{"content":[{"type":"text","text":` + q(attack) + `}]}`))
	for i := range 64 {
		ask(toolCall(`{"name":"one"}`).with("session", fmt.Sprint("s", i)))
	}
	for range 3 {
		ask(toolCall(`{"name":"often"}`).with("session", "often"))
	}
	unknown := toolCall(`{}`)
	unknown.method = "acme/" + strings.Repeat("x", 1000)
	ask(unknown)

	end := s.series()
	require.Equal(t, slices.Sorted(maps.Keys(start)), slices.Sorted(maps.Keys(end)), "series that appear only when something happens")
	for _, moved := range []string{
		"decisions_total{method=tools/call,outcome=allow,phase=request}", "decisions_total{method=tools/call,outcome=deny,phase=request}",
		"decisions_total{method=tools/call,outcome=review,phase=request}", "decisions_total{method=tools/call,outcome=error,phase=request}",
		"decisions_total{method=tools/call,outcome=invalid,phase=request}", "decisions_total{method=tools/call,outcome=mutated,phase=response}",
		"decisions_total{method=tools/call,outcome=deny,phase=response}", "decisions_total{method=other,outcome=allow,phase=request}",
		"decision_duration_seconds{outcome=allow,phase=request}", "scanner_results_total{outcome=found,scanner=content}",
		"scanner_results_total{outcome=found,scanner=model}", "scanner_results_total{outcome=fault,scanner=rules}", "scanner_duration_seconds{scanner=model}",
		"findings_total{category=secret,severity=block}", "findings_total{category=malformed,severity=block}", "findings_total{category=size,severity=block}",
		"findings_total{category=personal_data,severity=note}", "findings_total{category=prompt_injection,severity=block}",
		"redactions_total{}", "invariant_hits_total{action=block,rule=sealed-vault}", "invariant_hits_total{action=review,rule=second-look}",
		"invariant_hits_total{action=shadow,rule=only-watching}", "invariant_hits_total{action=block,rule=not-often}", "invariant_hits_total{action=block,rule=access-list}",
		"model_batch_windows{}", "model_batch_tokens{}", "model_padding_ratio{}", "model_batch_wait_seconds{}", "model_infer_seconds{}",
		"model_cache_total{result=miss}", "trace_evictions_total{}", "audit_lines_total{}", "rule_errors_total{}", "exchange_tokens_total{result=missing}",
		"shared_key_exchanges_total{}",
	} {
		name := metricPrefix + moved
		require.Contains(t, end, name)
		require.Greater(t, end[name], start[name], moved)
	}
	require.EqualValues(t, 1, end[metricPrefix+"serving{}"])
	require.Zero(t, end[metricPrefix+"inflight{}"])
	require.Zero(t, end[metricPrefix+"inflight_bytes{}"])
	eventually(t, func() bool { n := s.series()[metricPrefix+"trace_keys{}"]; return n > 0 && n <= 8+16 }, "trace keys: the bound is over all shards")
}

// What the dashboard and the alerts ask for is what the binary exposes.
func TestBlackboxObservability(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	families := s.metrics()
	name := regexp.MustCompile(metricPrefix + `[a-z_]+`)
	for _, file := range []string{"dashboard.json", "alerts.yaml"} {
		data, err := os.ReadFile("../deploy/observability/" + file)
		require.NoError(t, err)
		used := name.FindAllString(string(data), -1)
		require.NotEmpty(t, used)
		for _, n := range used {
			plain := n
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				plain = strings.TrimSuffix(plain, suffix)
			}
			require.True(t, families[n] != nil || families[plain] != nil, "%s uses %s", file, n)
		}
	}
}
