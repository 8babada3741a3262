package grpcapi

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// A server can be a front: these are the methods that its owner calls.
var _ interface {
	Listen() error
	Serve() error
	Drain(ctx context.Context) error
	Stop()
} = (*Server)(nil)

// gate is a checker whose calls wait until they are let go.
type gate struct {
	entered chan struct{}
	release chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}, 100), make(chan struct{})} }

func (g *gate) check(ctx context.Context, x *decision.Exchange) decision.Verdict {
	if x.Method == "slow" {
		g.entered <- struct{}{}
		select {
		case <-g.release:
		case <-ctx.Done():
			return decision.Verdict{Outcome: decision.Error, Ref: "r", Reason: "cut"}
		}
	}
	return allow(ctx, x)
}

// pending starts a slow call and waits until the checker has it.
func (g *gate) pending(t testing.TB, r *running) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		reply, err := r.mcp.CheckRequest(within(t), &extmcp.McpRequest{Method: "slow"})
		if err == nil && reply.GetPass() == nil {
			err = status.Error(codes.Internal, reply.GetError().GetReason())
		}
		done <- err
	}()
	<-g.entered
	return done
}

func (r *running) drain(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() { done <- r.Drain(ctx) }()
	return done
}

// gone waits until a client connection has been told to go away.
func gone(t testing.TB, c *grpc.ClientConn) {
	t.Helper()
	for s := c.GetState(); s == connectivity.Ready; s = c.GetState() {
		require.True(t, c.WaitForStateChange(within(t), s))
	}
}

// The drain tells clients to go away and lets the calls in flight finish.
func TestDrainFinishesCallsInFlight(t *testing.T) {
	g := newGate()
	r := start(t, g.check, Options{})
	calls := []<-chan error{g.pending(t, r), g.pending(t, r), g.pending(t, r)}
	require.Equal(t, 3, r.Inflight())
	drained := r.drain(within(t))
	gone(t, r.conn) // GOAWAY
	select {
	case err := <-drained:
		t.Fatalf("drained with calls in flight: %v", err)
	default:
	}
	close(g.release)
	for _, c := range calls {
		require.NoError(t, <-c)
	}
	require.NoError(t, <-drained)
	require.NoError(t, <-r.served)
	r.served <- nil // for the clean-up
	_, err := net.Dial("tcp", r.Addr().String())
	require.Error(t, err, "the listener is closed")
	require.NoError(t, r.Drain(within(t)), "a second drain joins the first")
}

// LC-01: Watch streams, one of them on an unknown name, hear NOT_SERVING and do
// not hold up the drain; neither does an open reflection stream.
func TestLC01WatchStreamsDoNotDelayTheDrain(t *testing.T) {
	r := start(t, allow, Options{Reflection: true})
	r.SetServing(true)
	names := []string{"", "agentgateway.dev.ext_mcp.ExtMcp", "nobody", "liveness"}
	first := []grpc_health_v1.HealthCheckResponse_ServingStatus{up, up, none, up}
	var streams []grpc.ServerStreamingClient[grpc_health_v1.HealthCheckResponse]
	for i, name := range names {
		streams = append(streams, r.watch(t, name))
		require.Equal(t, first[i], next(t, streams[i]))
	}
	info, err := grpc_reflection_v1.NewServerReflectionClient(r.conn).ServerReflectionInfo(within(t))
	require.NoError(t, err)
	require.NoError(t, info.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}))
	_, err = info.Recv()
	require.NoError(t, err)

	require.NoError(t, r.Drain(context.Background()), "it ends without any deadline")
	for i, w := range streams {
		if i < 2 {
			require.Equal(t, down, next(t, w), names[i])
		}
		_, err := w.Recv()
		require.Equal(t, codes.Unavailable, status.Code(err), names[i])
	}
	_, err = info.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
}

// LC-04: between the flip of readiness and the drain, new connections are served.
func TestLC04NewConnectionsAreServedUntilTheDrain(t *testing.T) {
	r := start(t, allow, Options{})
	r.SetServing(true)
	r.SetServing(false)
	for range 20 {
		c := r.dial(t, plain())
		reply, err := extmcp.NewExtMcpClient(c).CheckRequest(within(t), call("{}"))
		require.NoError(t, err)
		require.NotNil(t, reply.GetPass())
		h, err := grpc_health_v1.NewHealthClient(c).Check(within(t), &grpc_health_v1.HealthCheckRequest{})
		require.NoError(t, err)
		require.Equal(t, down, h.GetStatus())
		require.NoError(t, c.Close())
	}
	require.NoError(t, r.Drain(within(t)))
	_, err := net.Dial("tcp", r.Addr().String())
	require.Error(t, err)
}

// LC-05: while calls in flight finish, readiness is gone and the process is alive;
// nothing switches readiness on again.
func TestLC05HealthDuringDrain(t *testing.T) {
	g := newGate()
	r := start(t, g.check, Options{})
	r.SetServing(true)
	done := g.pending(t, r)
	watch := r.watch(t, "ExtMcp")
	require.Equal(t, up, next(t, watch))
	drained := r.drain(within(t))
	require.Equal(t, down, next(t, watch))
	r.SetServing(true)
	for _, name := range readinessNames {
		s, _, _ := r.Server.health.state(name)
		require.Equal(t, down, s)
	}
	s, _, _ := r.Server.health.state(Liveness)
	require.Equal(t, up, s)
	close(g.release)
	require.NoError(t, <-done)
	require.NoError(t, <-drained)
}

// LC-03: under load a drain loses no call that it let in. Clients that find the
// door closed know that their call was not taken.
func TestLC03DrainUnderLoadLosesNothing(t *testing.T) {
	var handled, answered, refused atomic.Int64
	warm := make(chan struct{}, 8)
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		handled.Add(1)
		return allow(ctx, x)
	}, Options{})
	var clients sync.WaitGroup
	for range 8 {
		client := extmcp.NewExtMcpClient(r.dial(t, plain()))
		clients.Go(func() {
			for n := 0; ; n++ {
				reply, err := client.CheckRequest(within(t), call("{}"))
				switch {
				case err == nil && reply.GetPass() != nil:
					answered.Add(1)
				case status.Code(err) == codes.Unavailable:
					refused.Add(1)
					return
				default:
					t.Errorf("reply %v, error %v", reply, err)
					return
				}
				if n == 20 {
					warm <- struct{}{}
				}
			}
		})
	}
	for range 8 {
		<-warm
	}
	require.NoError(t, r.Drain(within(t)))
	clients.Wait()
	require.Equal(t, handled.Load(), answered.Load(), "every call that reached the checker was answered")
	require.EqualValues(t, 8, refused.Load())
}

// A drain whose time is up cuts calls off, says so, and leaves nothing running.
func TestDrainOutOfTime(t *testing.T) {
	g := newGate()
	r := start(t, g.check, Options{})
	done := g.pending(t, r)
	ctx, cancel := context.WithCancelCause(context.Background())
	drained := r.drain(ctx)
	gone(t, r.conn)
	cancel(context.DeadlineExceeded)
	require.EqualError(t, <-drained, "drain: 1 calls cut off: context deadline exceeded")
	require.Equal(t, codes.Unavailable, status.Code(<-done))
}

// slowReader reads nothing while it is held.
type slowReader struct {
	net.Conn
	held *sync.RWMutex
}

func (c slowReader) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.held.RLock()
	defer c.held.RUnlock()
	return n, err
}

// A reply that was decided within the grace is sent although the grace ends before
// its client has read it.
func TestDrainOutOfTimeSendsWhatWasDecided(t *testing.T) {
	var held sync.RWMutex
	decided := make(chan struct{})
	body := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}`)
	r := start(t, func(context.Context, *decision.Exchange) decision.Verdict {
		held.Lock() // the client reads nothing from here on
		defer close(decided)
		return decision.Verdict{Outcome: decision.Mutated, Ref: "r", Body: body}
	}, Options{sendTime: time.Minute})
	conn := r.dial(t, plain(), grpc.WithInitialWindowSize(64<<10), grpc.WithInitialConnWindowSize(64<<10),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, "tcp", r.Addr().String())
			return slowReader{Conn: c, held: &held}, err
		}))
	type answer struct {
		out *extmcp.McpResponseResult
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		out, err := extmcp.NewExtMcpClient(conn).CheckResponse(within(t), result("{}"))
		answers <- answer{out, err}
	}()
	<-decided
	require.Eventually(t, func() bool { return r.Inflight() == 0 }, patience, time.Millisecond)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	drained := r.drain(over)
	<-r.draining
	held.Unlock()
	require.NoError(t, <-drained)
	got := <-answers
	require.NoError(t, got.err)
	require.Equal(t, body, got.out.GetMutated())
}

// A drain whose time is up with nothing being decided cut nothing off: a frozen
// client is not a lost call.
func TestDrainOutOfTimeWithoutCalls(t *testing.T) {
	r := start(t, allow, Options{})
	frozen, err := net.Dial("tcp", r.Addr().String())
	require.NoError(t, err)
	defer frozen.Close()
	_, err = frozen.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
	require.NoError(t, err)
	var settings [9]byte
	_, err = frozen.Read(settings[:]) // it is HTTP/2 now, and will never acknowledge anything
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, r.Drain(ctx))
}

// A connection that never speaks does not keep the others from being told.
func TestSilentConnectionDoesNotHoldUpTheDrain(t *testing.T) {
	g := newGate()
	r := start(t, g.check, Options{})
	done := g.pending(t, r)
	silent, err := net.Dial("tcp", r.Addr().String())
	require.NoError(t, err)
	defer silent.Close()
	require.Eventually(t, func() bool { return r.Conns() == 2 }, patience, time.Millisecond)
	drained := r.drain(context.Background())
	gone(t, r.conn)
	close(g.release)
	require.NoError(t, <-done)
	require.NoError(t, <-drained)
}

func TestStopAtAnyTime(t *testing.T) {
	s, err := New(checkFunc(allow), Options{Addr: "127.0.0.1:0"})
	require.NoError(t, err)
	require.Nil(t, s.Addr())
	require.Zero(t, s.Conns())
	s.Stop()
	s.Stop()
	require.NoError(t, s.Listen())
	require.NoError(t, s.Serve(), "a stopped server does not serve")

	s, err = New(checkFunc(allow), Options{Addr: "127.0.0.1:0"})
	require.NoError(t, err)
	require.NoError(t, s.Listen())
	addr := s.Addr().String()
	require.NoError(t, s.Drain(context.Background()), "listening, never served")
	require.NoError(t, s.Serve())
	l, err := net.Listen("tcp", addr)
	require.NoError(t, err, "the address is free again")
	require.NoError(t, l.Close())

	r := start(t, allow, Options{})
	r.Stop()
	require.NoError(t, r.Drain(context.Background()))
}

// brokenListener fails once.
type brokenListener struct{ net.Listener }

func (brokenListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }

func TestServeAgainAfterAnAcceptError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s, err := New(checkFunc(allow), Options{Addr: l.Addr().String(), listener: brokenListener{l}})
	require.NoError(t, err)
	require.ErrorContains(t, s.Serve(), "serve "+l.Addr().String())
	s.opts.listener = nil
	served := make(chan error, 1)
	require.NoError(t, s.Listen(), "the address is free again")
	go func() { served <- s.Serve() }()
	s.Stop()
	require.NoError(t, <-served)
}
