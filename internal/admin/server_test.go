package admin

import (
	"context"
	"encoding/json/v2"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.uber.org/zap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var since = time.Date(2026, 3, 4, 12, 0, 0, 123_456_789, time.FixedZone("", 3600))

func sources() Sources {
	reg := prometheus.NewRegistry()
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "mcp_guardrails_serving", Help: "x"})
	reg.MustRegister(g)
	level := zap.NewAtomicLevelAt(zap.InfoLevel)
	return Sources{
		Ready: func() Readiness {
			return Readiness{Ready: true, Parts: []Part{{Name: "rules", Ready: true, Since: since}, {Name: "model", Ready: true, Since: since}}}
		},
		Version: map[string]string{"version": "v1.2.3"},
		Metrics: reg,
		Config:  func() any { return map[string]string{"FAILURE_MODE": "failClosed"} },
		Status:  func() any { return map[string]int{"inflight": 3} },
		Level:   &level,
	}
}

func start(t *testing.T, src Sources, opt Options) *Server {
	t.Helper()
	if opt.Addr == "" {
		opt.Addr = "127.0.0.1:0"
	}
	s, err := Start(src, opt)
	require.NoError(t, err)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

func do(t *testing.T, method, url, host, body string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	if host != "" {
		req.Host = host
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b), resp.Header
}

func TestPaths(t *testing.T) {
	s := start(t, sources(), Options{PProf: true})
	for _, tc := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/livez", 200, "ok\n"},
		{"GET", "/healthz", 200, "ok\n"},
		{"GET", "/readyz", 200, "ok\n"},
		{"GET", "/readyz?verbose", 200, `{"ready":true,"parts":[
{"part":"rules","ready":true,"since":"2026-03-04T11:00:00.123Z"},
{"part":"model","ready":true,"since":"2026-03-04T11:00:00.123Z"}
]}
`},
		{"GET", "/version", 200, `{"version":"v1.2.3"}` + "\n"},
		{"GET", "/metrics", 200, "mcp_guardrails_serving 0"},
		{"GET", "/config", 200, `{"FAILURE_MODE":"failClosed"}` + "\n"},
		{"GET", "/status", 200, `{"inflight":3}` + "\n"},
		{"GET", "/loglevel", 200, `{"level":"info"}` + "\n"},
		{"GET", "/debug/pprof/", 200, "goroutine"},
		{"GET", "/debug/pprof/cmdline", 200, "admin"},
		{"GET", "/debug/pprof/profile?seconds=1", 200, ""},
		{"GET", "/", 200, "/readyz        200 while it serves"},
		{"GET", "/nothing", 404, "not found"},
		{"POST", "/livez", 405, ""},
		{"POST", "/config", 405, ""},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			status, body, header := do(t, tc.method, "http://"+s.Addr()+tc.path, "", "")
			require.Equal(t, tc.status, status, body)
			require.Contains(t, body, tc.body)
			require.Equal(t, "no-store", header.Get("Cache-Control"))
			require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
		})
	}
}

// The index lists what is served and nothing else.
func TestIndex(t *testing.T) {
	listed := func(body string) (paths []string) {
		for line := range strings.Lines(body) {
			path, what, _ := strings.Cut(line, " ")
			require.NotEmpty(t, strings.TrimSpace(what), line)
			paths = append(paths, path)
		}
		return paths
	}
	s := start(t, sources(), Options{PProf: true})
	_, body, _ := do(t, "GET", "http://"+s.Addr()+"/", "", "")
	paths := listed(body)
	require.Equal(t, []string{"/livez", "/readyz", "/version", "/metrics", "/config", "/status", "/loglevel", "/debug/pprof/"}, paths)
	for _, p := range paths {
		status, _, header := do(t, "GET", "http://"+s.Addr()+p, "", "")
		require.Equal(t, 200, status, p)
		require.NotEmpty(t, header.Get("Content-Type"), p)
	}
	src := sources()
	src.Metrics, src.Config, src.Status, src.Level = nil, nil, nil, nil
	_, body, _ = do(t, "GET", "http://"+start(t, src, Options{}).Addr()+"/", "", "")
	require.Equal(t, []string{"/livez", "/readyz", "/version"}, listed(body))
}

func TestNotReadyAndNotLive(t *testing.T) {
	src := sources()
	src.Ready = func() Readiness {
		return Readiness{Parts: []Part{{Name: "model", Since: since, Reason: "canary margin 0.1 \xff"}, {Name: "rules", Ready: true, Since: since}}}
	}
	src.Live = func() (bool, string) { return false, "no progress for 30 s" }
	s := start(t, src, Options{})
	status, body, _ := do(t, "GET", "http://"+s.Addr()+"/readyz", "", "")
	require.Equal(t, 503, status)
	require.Equal(t, "not ready: model\n", body)
	status, body, _ = do(t, "GET", "http://"+s.Addr()+"/readyz?verbose=1", "", "")
	require.Equal(t, 503, status)
	var got struct {
		Ready bool   `json:"ready"`
		Parts []Part `json:"parts"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	require.False(t, got.Ready)
	require.Equal(t, "canary margin 0.1 \uFFFD", got.Parts[0].Reason)
	require.Len(t, strings.Split(strings.TrimSpace(body), "\n"), 4, "one line per part")
	status, body, _ = do(t, "GET", "http://"+s.Addr()+"/livez", "", "")
	require.Equal(t, 503, status)
	require.Equal(t, "no progress for 30 s\n", body)
}

// What is for operators on the machine is shown to nobody else: not on another address, not under a foreign host name.
func TestOnlyOnLoopback(t *testing.T) {
	paths := []string{"/config", "/status", "/loglevel", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile"}
	wide := start(t, sources(), Options{Addr: "0.0.0.0:0", PProf: true})
	_, port, err := net.SplitHostPort(wide.Addr())
	require.NoError(t, err)
	for _, p := range paths {
		status, _, _ := do(t, "GET", "http://127.0.0.1:"+port+p, "", "")
		require.Equal(t, 404, status, p)
	}
	status, _, _ := do(t, "GET", "http://127.0.0.1:"+port+"/readyz", "", "")
	require.Equal(t, 200, status)

	local := start(t, sources(), Options{PProf: true})
	for _, p := range paths {
		for _, host := range []string{"rebound.example", "rebound.example:9090", "10.0.0.1:9090", "127.0.0.1.example"} {
			status, _, _ := do(t, "GET", "http://"+local.Addr()+p, host, "")
			require.Equal(t, 403, status, "%s as %s", p, host)
		}
	}
	for _, host := range []string{"localhost:9090", "localhost", "[::1]:9090", "127.0.0.2"} {
		status, _, _ := do(t, "GET", "http://"+local.Addr()+"/config", host, "")
		require.Equal(t, 200, status, host)
	}
}

func TestOptionalPaths(t *testing.T) {
	full := sources()
	s := start(t, Sources{Ready: full.Ready, Version: full.Version}, Options{})
	for _, p := range []string{"/metrics", "/config", "/status", "/loglevel", "/debug/pprof/"} {
		status, _, _ := do(t, "GET", "http://"+s.Addr()+p, "", "")
		require.Equal(t, 404, status, p)
	}
}

func TestStartErrors(t *testing.T) {
	_, err := Start(Sources{}, Options{Addr: "127.0.0.1:0"})
	require.ErrorContains(t, err, "required")
	s := start(t, sources(), Options{})
	_, err = Start(sources(), Options{Addr: s.Addr()})
	require.ErrorContains(t, err, s.Addr())
}

// Answers that are not yet known, and those that cannot be encoded.
func TestUnshowable(t *testing.T) {
	src := sources()
	src.Status = func() any { return func() {} }
	s := start(t, src, Options{})
	status, _, _ := do(t, "GET", "http://"+s.Addr()+"/status", "", "")
	require.Equal(t, 500, status)
}

// Shutdown lets an answer in flight finish, and cuts it off when its own context ends.
func TestShutdown(t *testing.T) {
	for name, patient := range map[string]bool{"waits": true, "gives up": false} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}), make(chan struct{})
			var calls atomic.Int32
			src := sources()
			src.Status = func() any {
				calls.Add(1)
				close(entered)
				<-release
				return "done"
			}
			s, err := Start(src, Options{Addr: "127.0.0.1:0"})
			require.NoError(t, err)
			answered := make(chan error, 1)
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			go func() {
				req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+s.Addr()+"/status", nil)
				resp, err := client.Do(req)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				answered <- err
			}()
			<-entered
			ctx, cancel := context.WithCancel(context.Background())
			if patient {
				close(release)
				require.NoError(t, s.Shutdown(ctx))
				require.NoError(t, <-answered)
			} else {
				cancel()
				require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
				require.Error(t, <-answered)
				close(release)
			}
			cancel()
			require.EqualValues(t, 1, calls.Load())
			_, err = net.DialTimeout("tcp", s.Addr(), time.Second)
			require.Error(t, err, "the port is closed")
		})
	}
}
