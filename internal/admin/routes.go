package admin

import (
	"bytes"
	"encoding/json/v2"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// page is one line of the index.
type page struct{ path, what string }

// routes builds the handler. What only an operator on the machine may see is not even routed elsewhere.
func routes(src Sources, local, profiles bool) http.Handler {
	mux := http.NewServeMux()
	pages := []page{
		{"/livez", "200 while the process can make progress"},
		{"/readyz", "200 while it serves; ?verbose says why not, part by part"},
		{"/version", "the build that runs"},
	}
	live := livez(src.Live)
	mux.HandleFunc("GET /livez", live)
	mux.HandleFunc("GET /healthz", live)
	mux.HandleFunc("GET /readyz", readyz(src.Ready))
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, src.Version) })
	if src.Metrics != nil {
		pages = append(pages, page{"/metrics", "for Prometheus"})
		mux.Handle("GET /metrics", promhttp.HandlerFor(src.Metrics, promhttp.HandlerOpts{
			MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout, EnableOpenMetrics: true,
		}))
	}
	if local {
		pages = append(pages, localRoutes(mux, src, profiles)...)
	}
	mux.HandleFunc("GET /{$}", index(pages))
	return guard(mux)
}

// index lists what there is, for a person who opens the port in a browser.
func index(pages []page) http.HandlerFunc {
	var b strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&b, "%-14s %s\n", p.path, p.what)
	}
	return func(w http.ResponseWriter, _ *http.Request) { writeText(w, b.String()) }
}

func localRoutes(mux *http.ServeMux, src Sources, profiles bool) (pages []page) {
	show := func(path, what string, f func() any) {
		if f != nil {
			pages = append(pages, page{path, what})
			mux.Handle("GET "+path, localOnly(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, f()) }))
		}
	}
	show("/config", "the settings in force and where each came from; secrets hidden", src.Config)
	show("/status", "phase, parts, models, deadlines, calls in flight", src.Status)
	if src.Level != nil {
		pages = append(pages, page{"/loglevel", `the log level; PUT {"level":"debug"} changes it until the next reload`})
		mux.Handle("GET /loglevel", localOnly(showLevel(src.Level)))
		mux.Handle("PUT /loglevel", localOnly(setLevel(src.Level)))
	}
	if profiles {
		pages = append(pages, page{"/debug/pprof/", "profiles"})
		mux.Handle("GET /debug/pprof/", localOnly(pprof.Index))
		mux.Handle("GET /debug/pprof/cmdline", localOnly(pprof.Cmdline))
		mux.Handle("GET /debug/pprof/symbol", localOnly(pprof.Symbol))
		mux.Handle("GET /debug/pprof/profile", localOnly(pprof.Profile))
		mux.Handle("GET /debug/pprof/trace", localOnly(pprof.Trace))
	}
	return pages
}

// guard sets what every answer carries and bounds what a request may bring.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		next.ServeHTTP(w, r)
	})
}

// localOnly refuses requests whose Host is not loopback: a web page in a browser on this machine could reach the listener
// under a name of its own that resolves here.
func localOnly(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		ip := net.ParseIP(strings.Trim(host, "[]"))
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "only under a loopback host name", http.StatusForbidden)
			return
		}
		next(w, r)
	})
}

func livez(live func() (bool, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if live != nil {
			if ok, reason := live(); !ok {
				http.Error(w, reason, http.StatusServiceUnavailable)
				return
			}
		}
		writeText(w, "ok\n")
	}
}

// readyz answers 200 or 503. With ?verbose the body is a JSON object with one line per part, else one short line.
func readyz(ready func() Readiness) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := ready()
		status := http.StatusOK
		if !now.Ready {
			status = http.StatusServiceUnavailable
		}
		if r.URL.Query().Has("verbose") {
			writeParts(w, status, now)
			return
		}
		if now.Ready {
			writeText(w, "ok\n")
			return
		}
		http.Error(w, "not ready: "+missing(now.Parts), status)
	}
}

// missing names the parts that are not ready.
func missing(parts []Part) string {
	var names []string
	for _, p := range parts {
		if !p.Ready {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "stopping"
	}
	return strings.Join(names, ", ")
}

func writeParts(w http.ResponseWriter, status int, now Readiness) {
	var b bytes.Buffer
	b.WriteString(`{"ready":`)
	if now.Ready {
		b.WriteString(`true`)
	} else {
		b.WriteString(`false`)
	}
	b.WriteString(`,"parts":[`)
	for i, p := range now.Parts {
		if i > 0 {
			b.WriteByte(',')
		}
		p.Since = p.Since.UTC().Truncate(time.Millisecond)
		line, err := json.Marshal(p)
		if err != nil { // a reason that is not UTF-8
			p.Reason = strings.ToValidUTF8(p.Reason, "\uFFFD")
			p.Name = strings.ToValidUTF8(p.Name, "\uFFFD")
			line, _ = json.Marshal(p)
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client has gone: nothing to do
}

func writeText(w http.ResponseWriter, s string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(s)) // the client has gone: nothing to do
}
