package telemetry

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sallyport-mcp/sallyport/decision"
)

// maxRuleSeries bounds how many rules have series of their own; the rest of a pack counts as Other.
const maxRuleSeries = 500

// maxLabelText is the longest free label value, in bytes: a rule's name, a version.
const maxLabelText = 96

var actions = []decision.Action{decision.ActionShadow, decision.ActionReview, decision.ActionBlock}

// ruleHits is the one family whose label values change: they are the names in the rule pack, which the operator writes.
type ruleHits struct {
	vec  *prometheus.CounterVec
	live *atomic.Pointer[map[string][]prometheus.Counter] // by rule, then by action
}

func newRuleHits(vec *prometheus.CounterVec) ruleHits {
	r := ruleHits{vec: vec, live: &atomic.Pointer[map[string][]prometheus.Counter]{}}
	r.live.Store(&map[string][]prometheus.Counter{})
	r.load(nil)
	return r
}

func (r ruleHits) load(rules []string) {
	next := make(map[string][]prometheus.Counter, len(rules)+1)
	add := func(rule string) {
		for _, a := range actions {
			next[rule] = append(next[rule], r.vec.WithLabelValues(rule, a.String()))
		}
	}
	add(Other)
	for _, rule := range rules {
		if _, twice := next[rule]; !twice && rule == labelText(rule) && len(next) <= maxRuleSeries {
			add(rule)
		}
	}
	previous := *r.live.Swap(&next)
	for rule := range previous {
		if _, kept := next[rule]; !kept {
			r.vec.DeletePartialMatch(prometheus.Labels{LabelRule: rule})
		}
	}
}

func (r ruleHits) hit(rule string, action decision.Action) {
	live := *r.live.Load()
	series, ok := live[rule]
	if !ok {
		series = live[Other]
	}
	if int(action) < len(series) {
		series[action].Inc()
	}
}

// labelText makes s fit for a label: printable, valid UTF-8, at most maxLabelText bytes. What does not fit is Other, what is
// empty "none".
func labelText(s string) string {
	if s == "" {
		return "none"
	}
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(s) > maxLabelText || !utf8.ValidString(s) || strings.ContainsFunc(s, odd) {
		return Other
	}
	return s
}

// actorLabel takes the number or path off an actor's name: "trace-3" and "modelpool/worker-1" are "trace" and "modelpool".
func actorLabel(name string) string {
	if i := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }); i > 0 {
		return name[:i]
	}
	return name
}
