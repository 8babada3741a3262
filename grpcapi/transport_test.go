package grpcapi

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// LC-11: a client that pings every 10 s, with no call open, is not sent away, until
// it has had nothing to ask for so long that its place is taken back.
func TestLC11KeepalivePings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := bufconn.Listen(1 << 16)
		s, err := New(checkFunc(allow), Options{listener: pipe})
		require.NoError(t, err)
		served := make(chan error, 1)
		go func() { served <- s.Serve() }()
		c, err := grpc.NewClient("passthrough:///pipe", plain(),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }),
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second, PermitWithoutStream: true}))
		require.NoError(t, err)
		_, err = extmcp.NewExtMcpClient(c).CheckRequest(t.Context(), call("{}"))
		require.NoError(t, err)
		require.Equal(t, connectivity.Ready, c.GetState())
		left := func(d time.Duration) bool {
			ctx, cancel := context.WithTimeout(t.Context(), d)
			defer cancel()
			return c.WaitForStateChange(ctx, connectivity.Ready)
		}
		require.False(t, left(idleTime-time.Minute), "the connection left READY")
		require.True(t, left(2*time.Minute))
		require.NoError(t, c.Close())
		s.Stop()
		require.NoError(t, <-served)
	})
}

// frames is a client that speaks HTTP/2 by hand.
type frames struct {
	net.Conn
	*http2.Framer
	headers bytes.Buffer
	hpack   *hpack.Encoder
}

func speak(t testing.TB, addr string) *frames {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	_, err = c.Write([]byte(http2.ClientPreface))
	require.NoError(t, err)
	f := &frames{Conn: c, Framer: http2.NewFramer(c, c)}
	f.hpack = hpack.NewEncoder(&f.headers)
	require.NoError(t, f.WriteSettings())
	return f
}

func (f *frames) open(t testing.TB, id uint32, method string) {
	f.headers.Reset()
	for _, h := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", method}, {":authority", "x"},
		{"content-type", "application/grpc"}, {"te", "trailers"},
	} {
		require.NoError(t, f.hpack.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]}))
	}
	require.NoError(t, f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.headers.Bytes(), EndHeaders: true}))
}

// LC-12: opening and resetting streams in a hurry does not run more calls at once
// than the limit, and other connections are served meanwhile.
func TestLC12RapidReset(t *testing.T) {
	const limit, resets = 100, 20_000
	var now, most atomic.Int64
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		if x.Method != "held" {
			return allow(ctx, x)
		}
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-ctx.Done() // as slow as a call can be
		return decision.Verdict{}
	}, Options{MaxStreams: limit})
	body, err := proto.Marshal(&extmcp.McpRequest{Method: "held"})
	require.NoError(t, err)
	message := append([]byte{0, 0, 0, 0, byte(len(body))}, body...)

	attacker := speak(t, r.Addr().String())
	defer attacker.Close()
	go func() { // what the server says is read, or it would stop listening
		for {
			if _, err := attacker.ReadFrame(); err != nil {
				return
			}
		}
	}()
	id := uint32(1)
	for range resets {
		attacker.open(t, id, methodRequest)
		if attacker.WriteData(id, true, message) != nil || attacker.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
			break // sent away: also an answer
		}
		if id%2000 == 1 {
			_, err := r.mcp.CheckRequest(within(t), call("{}"))
			require.NoError(t, err, "another connection is served")
		}
		id += 2
	}
	require.LessOrEqual(t, most.Load(), int64(limit))
	require.Positive(t, most.Load())
}

// Beyond the limit a few connections are taken for probes; calls on them are shed
// inside an OK reply, and what goes beyond those is closed.
func TestConnectionLimit(t *testing.T) {
	var refused, shed atomic.Int64
	r := start(t, allow, Options{MaxConns: 2, Observer: Observer{
		ConnRefused: func() { refused.Add(1) }, Shed: func(decision.Phase) { shed.Add(1) },
	}})
	dial := func() extmcp.ExtMcpClient { return extmcp.NewExtMcpClient(r.dial(t, plain())) }
	for _, c := range []extmcp.ExtMcpClient{r.mcp, dial()} {
		reply, err := c.CheckRequest(within(t), call("{}"))
		require.NoError(t, err)
		require.NotNil(t, reply.GetPass())
	}
	third := r.dial(t, plain())
	reply, err := extmcp.NewExtMcpClient(third).CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	require.Equal(t, exhausted, reply.GetError().GetCode())
	require.Equal(t, "rate", data(t, reply.GetError())["category"])
	answer, err := extmcp.NewExtMcpClient(third).CheckResponse(within(t), result("{}"))
	require.NoError(t, err)
	require.Equal(t, exhausted, answer.GetError().GetCode())
	require.EqualValues(t, 2, shed.Load())
	probe, err := grpc_health_v1.NewHealthClient(third).Check(within(t), &grpc_health_v1.HealthCheckRequest{Service: Liveness})
	require.NoError(t, err)
	require.Equal(t, up, probe.GetStatus())

	for r.Conns() < 2+probeConns {
		probe, err := grpc_health_v1.NewHealthClient(r.dial(t, plain())).Check(within(t), &grpc_health_v1.HealthCheckRequest{})
		require.NoError(t, err)
		require.NotNil(t, probe)
	}
	last, err := net.Dial("tcp", r.Addr().String())
	require.NoError(t, err)
	defer last.Close()
	require.NoError(t, last.SetDeadline(time.Now().Add(patience)))
	_, err = io.Copy(io.Discard, last)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it is closed at once")
	require.EqualValues(t, 1, refused.Load())

	// A place that becomes free is taken by the next connection.
	require.NoError(t, r.conn.Close())
	require.Eventually(t, func() bool { return r.Conns() < 2+probeConns }, patience, time.Millisecond)
	reply, err = dial().CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	require.NotNil(t, reply.GetPass())
}

// Connections on which nobody says anything, or half of what opens one, keep neither
// calls nor probes out.
func TestHalfOpenConnectionsMakeRoom(t *testing.T) {
	for name, says := range map[string]string{"silence": "", "a preface": http2.ClientPreface, "half a preface": http2.ClientPreface[:9]} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Int64
			r := start(t, allow, Options{MaxConns: 2, Observer: Observer{ConnRefused: func() { refused.Add(1) }}})
			const flood = 3 * (2 + probeConns)
			for range flood {
				c, err := net.Dial("tcp", r.Addr().String())
				require.NoError(t, err)
				defer c.Close()
				_, err = io.WriteString(c, says)
				require.NoError(t, err)
			}
			// The socket hands them over in the order in which they came.
			for range 2 {
				conn := r.dial(t, plain())
				reply, err := extmcp.NewExtMcpClient(conn).CheckRequest(within(t), call("{}"))
				require.NoError(t, err)
				require.NotNil(t, reply.GetPass())
			}
			third := r.dial(t, plain())
			probe, err := grpc_health_v1.NewHealthClient(third).Check(within(t), &grpc_health_v1.HealthCheckRequest{Service: Liveness})
			require.NoError(t, err)
			require.Equal(t, up, probe.GetStatus())
			require.Equal(t, 2+probeConns, r.Conns())
			require.EqualValues(t, flood+3-r.Conns(), refused.Load())
		})
	}
}

// encodings counts replies that arrive compressed.
type encodings struct {
	stats.Handler
	compressed atomic.Int64
}

func (e *encodings) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (e *encodings) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (e *encodings) HandleConn(context.Context, stats.ConnStats)                       {}
func (e *encodings) HandleRPC(_ context.Context, s stats.RPCStats) {
	if h, ok := s.(*stats.InHeader); ok && h.Compression != "" && h.Compression != "identity" {
		e.compressed.Add(1)
	}
}

// A reply is never compressed, not even to a client that compresses.
func TestRepliesAreNotCompressed(t *testing.T) {
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		return decision.Verdict{Outcome: decision.Mutated, Ref: "r", Body: []byte(`{"x":"` + strings.Repeat("y", 10_000) + `"}`)}
	}, Options{})
	var e encodings
	c := extmcp.NewExtMcpClient(r.dial(t, plain(), grpc.WithStatsHandler(&e), grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name))))
	reply, err := c.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	require.NotEmpty(t, reply.GetMutated())
	answer, err := c.CheckResponse(within(t), result("{}"))
	require.NoError(t, err)
	require.NotEmpty(t, answer.GetMutated())
	require.Zero(t, e.compressed.Load())
}

func TestReflectionSwitch(t *testing.T) {
	for _, on := range []bool{true, false} {
		r := start(t, allow, Options{Reflection: on})
		info, err := grpc_reflection_v1.NewServerReflectionClient(r.conn).ServerReflectionInfo(within(t))
		require.NoError(t, err)
		err = info.Send(&grpc_reflection_v1.ServerReflectionRequest{
			MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "agentgateway.dev.ext_mcp.ExtMcp"},
		})
		reply, recvErr := info.Recv()
		if !on {
			// The server may have refused the stream before the message was sent.
			err = recvErr
			require.Equal(t, codes.Unimplemented, status.Code(err))
			continue
		}
		require.NoError(t, err)
		require.NoError(t, recvErr)
		require.NotEmpty(t, reply.GetFileDescriptorResponse().GetFileDescriptorProto())
		require.NoError(t, info.CloseSend())
	}
}

// A hundred calls of one connection, as many as a gateway opens, run at once.
func TestOneConnectionCarriesAGatewaysCalls(t *testing.T) {
	g := newGate()
	r := start(t, g.check, Options{Timeout: time.Hour})
	var calls []<-chan error
	for range 100 {
		calls = append(calls, g.pending(t, r))
	}
	require.Equal(t, 100, r.Inflight())
	require.Equal(t, 1, r.Conns())
	require.Equal(t, down, r.probe(t, ""), "health answers meanwhile")
	close(g.release)
	for _, c := range calls {
		require.NoError(t, <-c)
	}
}

func TestUnknownMethodsAreErrors(t *testing.T) {
	r := start(t, allow, Options{})
	var out []byte
	err := r.conn.Invoke(within(t), "/agentgateway.dev.ext_mcp.ExtMcp/CheckEverything", []byte{}, &out, grpc.ForceCodecV2(raw{}))
	require.Equal(t, codes.Unimplemented, status.Code(err))
}

// A body over the payload limit is not kept; the checker is told how large it was, on both sides.
func TestTheCheckerHearsOfWhatWasDropped(t *testing.T) {
	seen := map[decision.Phase]int{}
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		require.Empty(t, string(x.Body), "none of it is kept")
		seen[x.Phase] = x.Dropped
		return allow(ctx, x)
	}, Options{MaxPayloadBytes: 1 << 20})
	long := `{"name":"` + strings.Repeat("x", 2<<20) + `"}`
	_, err := r.mcp.CheckRequest(within(t), call(long))
	require.NoError(t, err)
	_, err = r.mcp.CheckResponse(within(t), result(long))
	require.NoError(t, err)
	require.Equal(t, map[decision.Phase]int{decision.Request: len(long), decision.Response: len(long)}, seen)
}

// What the server refuses by itself is told to whoever writes the trail, with the verdict that went out.
func TestOwnRefusalsAreTold(t *testing.T) {
	told := make(chan decision.Verdict, 1)
	r := start(t, allow, Options{Observer: Observer{Refused: func(_ decision.Phase, v decision.Verdict) { told <- v }}})
	for _, method := range []string{methodRequest, methodResponse} {
		var out []byte
		require.NoError(t, r.conn.Invoke(within(t), method, []byte{0xff, 0xff, 0xff}, &out, grpc.ForceCodecV2(raw{})))
		v := <-told
		require.Equal(t, decision.Invalid, v.Outcome)
		require.Contains(t, string(out), v.Ref)
	}
}
