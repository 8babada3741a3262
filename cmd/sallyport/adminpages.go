package main

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/internal/admin"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/config"
)

func (s *sidecar) adminOptions() admin.Options {
	c := s.settings.Load()
	return admin.Options{Addr: c.AdminAddr, PProf: c.AdminPprof, Logger: s.log}
}

// adminSources are where the pages of the admin listener come from: snapshots, so that none
// of them waits.
func (s *sidecar) adminSources(registry *prometheus.Registry) admin.Sources {
	return admin.Sources{
		Ready: func() admin.Readiness {
			status := s.engine.Status()
			r := admin.Readiness{Ready: status.Phase.Ready()}
			r.Parts = append(r.Parts, admin.Part{Name: "phase:" + status.Phase.String(), Ready: status.Phase.Ready(), Since: status.Since, Reason: status.Reason})
			if s.settings.Load().Model == config.ModelOff {
				r.Parts = append(r.Parts, admin.Part{Name: "model", Ready: true, Since: status.Since, Reason: "off by configuration: texts are not classified"})
			}
			for _, p := range status.Parts {
				reason := p.Reason
				if p.Name == "model" && p.Ready {
					reason = inForce(s.engine.Models())
				}
				r.Parts = append(r.Parts, admin.Part{Name: p.Name, Ready: p.Ready, Since: p.Since, Reason: reason})
			}
			return r
		},
		Live: func() (bool, string) {
			if s.engine.Live() {
				return true, ""
			}
			return false, "the lifecycle actor has not answered its watchdog for 30 s"
		},
		Metrics: registry,
		Version: build.Current(),
		Config:  func() any { return s.settings.Load() },
		Status:  s.status,
		Level:   &s.level,
	}
}

// inForce says which models read, in one line.
func inForce(models []sallyport.ModelInForce) string {
	words := make([]string, len(models))
	for i, m := range models {
		words[i] = m.String()
	}
	return strings.Join(words, ", ")
}

// status is what /status shows.
func (s *sidecar) status() any {
	now := s.engine.Status()
	parts := make([]admin.Part, len(now.Parts))
	for i, p := range now.Parts {
		parts[i] = admin.Part{Name: p.Name, Ready: p.Ready, Since: p.Since, Reason: p.Reason}
	}
	return map[string]any{
		"phase": now.Phase.String(), "since": now.Since, "reason": now.Reason, "parts": parts,
		"models":              s.engine.Models(),
		"scanner_timeout_ms":  s.engine.ScannerTimeout().Milliseconds(),
		"exchange_timeout_ms": s.engine.ExchangeTimeout().Milliseconds(),
		"grpc_connections":    s.server.Conns(), "grpc_inflight": s.server.Inflight(),
	}
}
