package grpcapi

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	up   = grpc_health_v1.HealthCheckResponse_SERVING
	down = grpc_health_v1.HealthCheckResponse_NOT_SERVING
	none = grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN
)

func (r *running) probe(t testing.TB, name string) grpc_health_v1.HealthCheckResponse_ServingStatus {
	t.Helper()
	reply, err := r.health.Check(within(t), &grpc_health_v1.HealthCheckRequest{Service: name})
	require.NoError(t, err)
	return reply.GetStatus()
}

func (r *running) watch(t testing.TB, name string) grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse] {
	t.Helper()
	w, err := r.health.Watch(within(t), &grpc_health_v1.HealthCheckRequest{Service: name})
	require.NoError(t, err)
	return w
}

func next(t testing.TB, w grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse]) grpc_health_v1.HealthCheckResponse_ServingStatus {
	t.Helper()
	m, err := w.Recv()
	require.NoError(t, err)
	return m.GetStatus()
}

func TestHealthNames(t *testing.T) {
	r := start(t, allow, Options{})
	names := []string{"", "ExtMcp", "agentgateway.dev.ext_mcp.ExtMcp"}
	for _, name := range names {
		require.Equal(t, down, r.probe(t, name), "a server that is starting is not ready")
	}
	require.Equal(t, up, r.probe(t, "liveness"), "but it is alive")
	r.SetServing(true)
	r.SetLive(false)
	for _, name := range names {
		require.Equal(t, up, r.probe(t, name))
	}
	require.Equal(t, down, r.probe(t, "liveness"))
	_, err := r.health.Check(within(t), &grpc_health_v1.HealthCheckRequest{Service: "extmcp"})
	require.Equal(t, codes.NotFound, status.Code(err))
	list, err := r.health.List(within(t), &grpc_health_v1.HealthListRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetStatuses(), 4)
	require.Equal(t, up, list.GetStatuses()["ExtMcp"].GetStatus())
	require.Equal(t, down, list.GetStatuses()["liveness"].GetStatus())
}

func TestWatchSeesEveryStateThatLasts(t *testing.T) {
	r := start(t, allow, Options{})
	ready, live, strange := r.watch(t, "ExtMcp"), r.watch(t, "liveness"), r.watch(t, "nobody")
	require.Equal(t, down, next(t, ready))
	require.Equal(t, up, next(t, live))
	require.Equal(t, none, next(t, strange))
	for range 3 {
		r.SetServing(true)
		require.Equal(t, up, next(t, ready))
		r.SetServing(false)
		require.Equal(t, down, next(t, ready))
	}
	r.SetServing(false) // no change, no message
	r.SetLive(false)
	require.Equal(t, down, next(t, live))
	require.NoError(t, r.Drain(within(t)))
	for _, w := range []grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse]{ready, live, strange} {
		_, err := w.Recv()
		require.Equal(t, codes.Unavailable, status.Code(err))
	}
}

// LC-10: what health says follows what it is told, once for each change.
func TestLC10NoFlapping(t *testing.T) {
	h := newHealth()
	_, _, changed := h.state("")
	woken := func() bool {
		select {
		case <-changed:
			_, _, changed = h.state("")
			return true
		default:
			return false
		}
	}
	for _, step := range []struct {
		serving bool
		woken   bool
	}{{false, false}, {true, true}, {true, false}, {false, true}, {false, false}, {true, true}} {
		h.set(func(h *health) { h.ready = step.serving })
		require.Equal(t, step.woken, woken())
	}
}
