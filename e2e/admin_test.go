//go:build unix

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// web is an HTTP client that keeps no connection, so that none outlives a test.
var web = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// get asks the admin port.
func (s *sidecar) get(path string) (code int, body string) {
	s.t.Helper()
	code, body, err := s.tryGet(path)
	require.NoError(s.t, err)
	return code, body
}

func (s *sidecar) tryGet(path string) (code int, body string, err error) {
	r, err := web.Get("http://" + s.admin + path)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return r.StatusCode, string(data), err
}

// part is one line of /readyz?verbose.
type part struct {
	Part   string `json:"part"`
	Ready  bool   `json:"ready"`
	Since  string `json:"since"`
	Reason string `json:"reason"`
}

// readiness asks /readyz?verbose.
func (s *sidecar) readiness() (code int, parts map[string]part) {
	s.t.Helper()
	code, body := s.get("/readyz?verbose")
	var r struct {
		Ready bool   `json:"ready"`
		Parts []part `json:"parts"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(body), &r), body)
	require.Equal(s.t, code == http.StatusOK, r.Ready, body)
	parts = map[string]part{}
	for _, p := range r.Parts {
		name, _, _ := strings.Cut(p.Part, ":") // the phase is named with its value
		parts[name] = p
	}
	return code, parts
}

// metrics scrapes /metrics.
func (s *sidecar) metrics() map[string]*dto.MetricFamily {
	s.t.Helper()
	var code int
	var body string
	eventually(s.t, func() bool { // a starved machine may not finish a scrape in its time
		code, body = s.get("/metrics")
		return code == http.StatusOK
	}, "no metrics")
	for _, secret := range s.secrets {
		require.NotContains(s.t, body, secret, "a secret is in the metrics")
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	require.NoError(s.t, err)
	return families
}

// metric is the sum of the series of name that carry all of labels, given as
// name, value, name, value.
func (s *sidecar) metric(name string, labels ...string) float64 {
	s.t.Helper()
	sum := 0.0
	for _, m := range s.metrics()[name].GetMetric() {
		if carries(m, labels) {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

func carries(m *dto.Metric, labels []string) bool {
	for i := 0; i < len(labels); i += 2 {
		found := false
		for _, l := range m.GetLabel() {
			found = found || l.GetName() == labels[i] && l.GetValue() == labels[i+1]
		}
		if !found {
			return false
		}
	}
	return true
}
