package mesh

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

// Sample is one look at the sidecar.
type Sample struct {
	At         time.Duration
	Resident   float64 // bytes
	Goroutines float64
	Inflight   float64
	Queued     float64 // windows that wait for the model
	CPU        float64 // seconds of processor time since its start
}

const (
	sampleEvery = 500 * time.Millisecond
	probeEvery  = 200 * time.Millisecond
	probeLimit  = 5 * time.Second
)

// watcher samples until its context ends.
type watcher struct {
	admin   string
	begin   time.Time
	every   time.Duration // between two samples
	samples []Sample
	probes  *measure.Latency // of health checks
	failed  int              // probes that were not answered SERVING
}

// looks are look-ups of scores that the sidecar remembers.
type looks struct{ hits, misses float64 }

// share is a part of a whole in [0, 1], or less than 0 when nothing is known.
type share float64

// looks reads how many there were since the sidecar's start: none without an admin
// address.
func (m *mesh) looks(ctx context.Context) looks {
	if m.admin == "" {
		return looks{}
	}
	v, err := sidecar.Metrics(ctx, m.admin)
	if err != nil {
		return looks{} // the sidecar has ended, which somebody else will notice
	}
	const name = `mcp_guardrails_model_cache_total{result="%s"}`
	return looks{hits: v[fmt.Sprintf(name, "hit")], misses: v[fmt.Sprintf(name, "miss")]}
}

// since is the share of hits among the look-ups after earlier ones.
func (l looks) since(earlier looks) share {
	hits, misses := l.hits-earlier.hits, l.misses-earlier.misses
	if hits+misses <= 0 {
		return -1
	}
	return share(hits / (hits + misses))
}

// metrics reads /metrics every so often. A sidecar without an admin address
// gives none.
func (w *watcher) metrics(ctx context.Context) {
	if w.admin == "" {
		return
	}
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		at := time.Since(w.begin)
		if m, err := sidecar.Metrics(ctx, w.admin); err == nil {
			w.samples = append(w.samples, Sample{At: at, Resident: m["process_resident_memory_bytes"], Goroutines: m["go_goroutines"],
				Inflight: m["mcp_guardrails_inflight"], Queued: m["mcp_guardrails_model_queue_windows"], CPU: m["process_cpu_seconds_total"]})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// health checks readiness every probeEvery, as a prober does at full load.
func (w *watcher) health(ctx context.Context, conn *grpc.ClientConn) {
	client := healthpb.NewHealthClient(conn)
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, probeLimit)
		start := time.Now()
		r, err := client.Check(limited, &healthpb.HealthCheckRequest{})
		cancel()
		if ctx.Err() != nil {
			return
		}
		w.probes.Record(time.Since(start))
		if err != nil || r.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			w.failed++
		}
	}
}
