package grpcapi

import (
	"context"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// Liveness is the health name that stays SERVING from the first moment to the
// last, unless the process can make no progress.
const Liveness = "liveness"

// readinessNames are the health names that say whether calls should be sent here.
var readinessNames = [...]string{"", "ExtMcp", extmcp.ExtMcp_ServiceDesc.ServiceName}

// health is grpc.health.v1. It is our own because the library's keeps its Watch
// streams open for ever, and an open stream holds up a graceful stop.
//
// The mutex is held to copy two booleans; an actor in the way would let a full
// mailbox fail a probe.
type health struct {
	grpc_health_v1.UnimplementedHealthServer

	mu      sync.Mutex
	ready   bool
	live    bool
	ended   bool          // the drain has begun: ready stays false
	changed chan struct{} // closed and replaced with every change
}

func newHealth() *health { return &health{live: true, changed: make(chan struct{})} }

// set changes the state and wakes the watchers. Once ended, ready stays false.
func (h *health) set(change func(h *health)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := [3]bool{h.ready, h.live, h.ended}
	change(h)
	h.ready = h.ready && !h.ended
	if before != [3]bool{h.ready, h.live, h.ended} {
		close(h.changed)
		h.changed = make(chan struct{})
	}
}

// state returns the status of a name, whether watching is over, and what is closed
// when either changes.
func (h *health) state(name string) (s grpc_health_v1.HealthCheckResponse_ServingStatus, ended bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	up := h.live
	switch {
	case name == Liveness:
	case slices.Contains(readinessNames[:], name):
		up = h.ready
	default:
		return grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN, h.ended, h.changed
	}
	if up {
		return grpc_health_v1.HealthCheckResponse_SERVING, h.ended, h.changed
	}
	return grpc_health_v1.HealthCheckResponse_NOT_SERVING, h.ended, h.changed
}

// Check answers a probe. It never waits.
func (h *health) Check(_ context.Context, in *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	s, _, _ := h.state(in.GetService())
	if s == grpc_health_v1.HealthCheckResponse_SERVICE_UNKNOWN {
		return nil, status.Error(codes.NotFound, "unknown service")
	}
	return &grpc_health_v1.HealthCheckResponse{Status: s}, nil
}

// List answers for every name at once.
func (h *health) List(context.Context, *grpc_health_v1.HealthListRequest) (*grpc_health_v1.HealthListResponse, error) {
	out := map[string]*grpc_health_v1.HealthCheckResponse{}
	for _, name := range append(readinessNames[:], Liveness) {
		s, _, _ := h.state(name)
		out[name] = &grpc_health_v1.HealthCheckResponse{Status: s}
	}
	return &grpc_health_v1.HealthListResponse{Statuses: out}, nil
}

// Watch sends the status of a name and every change of it, until the client goes
// or the drain begins. A name that we do not know is watched like any other, as
// the protocol asks.
func (h *health) Watch(in *grpc_health_v1.HealthCheckRequest, stream grpc.ServerStreamingServer[grpc_health_v1.HealthCheckResponse]) error {
	sent := grpc_health_v1.HealthCheckResponse_ServingStatus(-1)
	for {
		s, ended, changed := h.state(in.GetService())
		if s != sent {
			if err := stream.Send(&grpc_health_v1.HealthCheckResponse{Status: s}); err != nil {
				return err
			}
			sent = s
		}
		if ended {
			return status.Error(codes.Unavailable, "server is draining")
		}
		select {
		case <-changed:
		case <-stream.Context().Done():
			return status.FromContextError(stream.Context().Err()).Err()
		}
	}
}
