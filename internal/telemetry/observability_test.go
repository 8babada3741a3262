package telemetry

import (
	"encoding/json/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

const observability = "../../deploy/observability/"

type alert struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	b, err := os.ReadFile(observability + "alerts.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Name  string  `yaml:"name"`
			Rules []alert `yaml:"rules"`
		} `yaml:"groups"`
	}
	require.NoError(t, yaml.UnmarshalWithOptions(b, &file, yaml.Strict()))
	var out []alert
	for _, g := range file.Groups {
		require.NotEmpty(t, g.Name)
		out = append(out, g.Rules...)
	}
	return out
}

type dashboard struct {
	Title  string `json:"title"`
	Panels []struct {
		ID      int                      `json:"id"`
		Type    string                   `json:"type"`
		Title   string                   `json:"title"`
		GridPos struct{ X, Y, W, H int } `json:"gridPos,case:ignore"`
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
	Templating struct {
		List []struct {
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	b, err := os.ReadFile(observability + "dashboard.json")
	require.NoError(t, err)
	var d dashboard
	require.NoError(t, json.Unmarshal(b, &d, json.MatchCaseInsensitiveNames(true)))
	return d
}

var (
	metricUse = regexp.MustCompile(`\b(` + Prefix + `\w+)(?:\{([^}]*)\})?`)
	labelUse  = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"`)
	groupUse  = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// scrapeLabels are put on every series by Prometheus itself.
var scrapeLabels = []string{"job", "instance", "le"}

// checkExpr checks every metric, matcher and value that an expression uses against what the engine exposes.
func checkExpr(t *testing.T, where, expr string) {
	t.Helper()
	m, reg := newMetrics(t)
	m.RulesLoaded("v", []string{"r"}, time.Unix(1, 0))
	families := gather(t, reg)
	uses := metricUse.FindAllStringSubmatch(expr, -1)
	require.NotEmpty(t, uses, "%s uses no metric of ours: %s", where, expr)
	labels := slices.Clone(scrapeLabels)
	for _, u := range uses {
		d := lookup(m.Catalogue(), u[1])
		require.NotNil(t, d, "%s: no metric %s", where, u[1])
		labels = append(labels, d.Labels...)
		for _, l := range labelUse.FindAllStringSubmatch(u[2], -1) {
			if slices.Contains(scrapeLabels, l[1]) {
				continue
			}
			require.Contains(t, d.Labels, l[1], "%s: %s has no label %s", where, d.Name, l[1])
			for _, v := range strings.Split(l[2], "|") {
				known := false
				for _, s := range families[d.Name].GetMetric() {
					for _, pair := range s.GetLabel() {
						known = known || pair.GetName() == l[1] && pair.GetValue() == v
					}
				}
				require.True(t, known, "%s: label %s of %s is never %q", where, l[1], d.Name, v)
			}
		}
	}
	for _, g := range groupUse.FindAllStringSubmatch(expr, -1) {
		for _, l := range strings.Split(g[1], ",") {
			require.Contains(t, labels, strings.TrimSpace(l), "%s groups by a label that none of its metrics has", where)
		}
	}
	for _, pair := range []string{"()", "{}", "[]"} {
		require.Equal(t, strings.Count(expr, pair[:1]), strings.Count(expr, pair[1:]), "%s is not balanced: %s", where, expr)
	}
}

// lookup finds a metric by the name of one of its series.
func lookup(list []Metric, series string) *Metric {
	for i, m := range list {
		if m.Name == series {
			return &list[i]
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if m.Type == "histogram" && m.Name+suffix == series {
				return &list[i]
			}
		}
	}
	return nil
}

func TestAlertsUseWhatExists(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range alerts(t) {
		t.Run(a.Alert, func(t *testing.T) {
			require.Regexp(t, `^Sallyport[A-Z]\w+$`, a.Alert)
			require.False(t, seen[a.Alert], "named twice")
			seen[a.Alert] = true
			checkExpr(t, a.Alert, a.Expr)
			require.Contains(t, []string{"page", "ticket"}, a.Labels["severity"])
			require.NotEmpty(t, a.Annotations["summary"])
			require.NotEmpty(t, a.Annotations["description"])
		})
	}
	require.NotEmpty(t, seen)
}

func TestDashboardUsesWhatExists(t *testing.T) {
	d := readDashboard(t)
	require.NotEmpty(t, d.Panels)
	ids := map[int]bool{}
	shown := map[string]bool{}
	m, _ := newMetrics(t)
	for i, p := range d.Panels {
		require.False(t, ids[p.ID], "panel id %d is used twice", p.ID)
		ids[p.ID] = true
		for _, q := range d.Panels[:i] {
			a, b := p.GridPos, q.GridPos
			require.False(t, a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H, "%q covers %q", p.Title, q.Title)
		}
		if p.Type == "row" {
			continue
		}
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			// Variables of the dashboard stand for any value.
			expr := strings.NewReplacer("$__rate_interval", "5m").Replace(target.Expr)
			checkExpr(t, p.Title, expr)
			for _, u := range metricUse.FindAllStringSubmatch(expr, -1) {
				shown[lookup(m.Catalogue(), u[1]).Name] = true
			}
		}
	}
	for _, metric := range m.Catalogue() {
		require.True(t, shown[metric.Name], "no panel shows %s", metric.Name)
	}
	for _, v := range d.Templating.List {
		if v.Definition != "" {
			checkExpr(t, "variable", v.Definition)
		}
	}
}

// The check itself must notice what it is there for.
func TestCheckExprNotices(t *testing.T) {
	m, _ := newMetrics(t)
	require.Nil(t, lookup(m.Catalogue(), Prefix+"no_such_total"))
	require.Nil(t, lookup(m.Catalogue(), NameDecisions+"_bucket"), "a counter has no buckets")
	require.NotNil(t, lookup(m.Catalogue(), NameDecisionDuration+"_bucket"))
	require.Equal(t, [][]string{{NameDecisions + `{outcome="x"}`, NameDecisions, `outcome="x"`}}, metricUse.FindAllStringSubmatch(`rate(`+NameDecisions+`{outcome="x"}[5m])`, -1))
}
