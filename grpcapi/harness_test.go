package grpcapi

import (
	"context"
	"encoding/json/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// checkFunc is a checker whose two phases are one function.
type checkFunc func(ctx context.Context, x *decision.Exchange) decision.Verdict

func (f checkFunc) CheckRequest(ctx context.Context, x *decision.Exchange) decision.Verdict {
	return f(ctx, x)
}

func (f checkFunc) CheckResponse(ctx context.Context, x *decision.Exchange) decision.Verdict {
	return f(ctx, x)
}

func allow(context.Context, *decision.Exchange) decision.Verdict {
	return decision.Verdict{Outcome: decision.Allow, Ref: "ref0"}
}

// patience bounds waits that a right program ends at once.
const patience = 20 * time.Second

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// running is a server on a loopback port with one client connection.
type running struct {
	*Server
	conn   *grpc.ClientConn
	mcp    extmcp.ExtMcpClient
	health grpc_health_v1.HealthClient
	served chan error
}

// start serves check until the test ends.
func start(t testing.TB, check checkFunc, o Options) *running {
	t.Helper()
	return startChecker(t, check, o)
}

// startChecker serves a checker until the test ends.
func startChecker(t testing.TB, check Checker, o Options) *running {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	s, err := New(check, o)
	require.NoError(t, err)
	require.NoError(t, s.Listen())
	r := &running{Server: s, served: make(chan error, 1)}
	go func() { r.served <- s.Serve() }()
	t.Cleanup(func() {
		s.Stop()
		require.NoError(t, <-r.served)
	})
	if !s.opts.TLS.Enabled() {
		r.conn = r.dial(t, grpc.WithTransportCredentials(insecure.NewCredentials()))
		r.mcp, r.health = extmcp.NewExtMcpClient(r.conn), grpc_health_v1.NewHealthClient(r.conn)
	}
	return r
}

// dial opens a client connection of its own.
func (r *running) dial(t testing.TB, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	opts = append(opts, grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	target := "passthrough:///" + r.Addr().String()
	if u, ok := r.Addr().(*net.UnixAddr); ok {
		target = "unix:" + u.Name
	}
	c, err := grpc.NewClient(target, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func plain() grpc.DialOption { return grpc.WithTransportCredentials(insecure.NewCredentials()) }

// call is a tools/call with the given params.
func call(params string) *extmcp.McpRequest {
	return &extmcp.McpRequest{ServiceNames: []string{"k8s"}, Method: "tools/call", McpRequest: []byte(params)}
}

func result(body string) *extmcp.McpResponse {
	return &extmcp.McpResponse{ServiceNames: []string{"k8s"}, Method: "tools/call", McpResponse: []byte(body)}
}

// data reads mcp_error.
func data(t testing.TB, e *extmcp.AuthorizationError) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(e.GetMcpError(), &m))
	return m
}
