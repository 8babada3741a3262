package grpcapi

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// EX-07: a list carries no params and several services; it passes, and whatever
// the checker says it is never mutated.
func TestEX07ListWithoutParams(t *testing.T) {
	var seen decision.Exchange
	r := start(t, func(_ context.Context, x *decision.Exchange) decision.Verdict {
		seen = *x
		return decision.Verdict{Outcome: decision.Mutated, Ref: "r", Body: []byte("{}")}
	}, Options{})
	reply, err := r.mcp.CheckRequest(within(t), &extmcp.McpRequest{ServiceNames: []string{"a", "b"}, Method: "tools/list"})
	require.NoError(t, err)
	require.NotNil(t, reply.GetPass())
	require.False(t, seen.HasBody)
	require.Equal(t, []string{"a", "b"}, seen.Services)
}

// strict is a checker that refuses what is no object, as the engine does.
func strict(ctx context.Context, x *decision.Exchange) decision.Verdict {
	body := jsontext.Value(x.Body)
	if x.Phase == decision.Request && !x.HasBody {
		body = jsontext.Value("{}")
	}
	if !body.IsValid() || body.Kind() != '{' {
		return decision.Aggregate(decision.Input{Ref: "r", Malformed: true}, decision.Policy{Failure: decision.FailOpen})
	}
	return allow(ctx, x)
}

// JS-07: junk is refused inside an OK reply.
func TestJS07JunkIsInvalid(t *testing.T) {
	r := start(t, strict, Options{})
	for _, body := range []string{"marzipan", "[]", "null", `"x"`, "1", "", " "} {
		reply, err := r.mcp.CheckRequest(within(t), call(body))
		require.NoError(t, err, body)
		require.Equal(t, invalid, reply.GetError().GetCode(), body)
		require.Equal(t, "malformed", data(t, reply.GetError())["category"])
		answer, err := r.mcp.CheckResponse(within(t), result(body))
		require.NoError(t, err, body)
		require.Equal(t, invalid, answer.GetError().GetCode(), body)
	}
}

// raw sends and receives bytes as they are.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

const (
	methodRequest  = extmcp.ExtMcp_CheckRequest_FullMethodName
	methodResponse = extmcp.ExtMcp_CheckResponse_FullMethodName
)

// JS-08: whatever the bytes on the wire are, the result is set. A message that is
// no message is refused by us, because a gRPC error would be a pass at a gateway
// that fails open.
func TestJS08ResultIsAlwaysSet(t *testing.T) {
	var undecodable atomic.Int64
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		switch len(x.Body) % 4 {
		case 0:
			panic("payload: " + string(x.Body))
		case 1:
			return decision.Verdict{Outcome: decision.Mutated, Body: x.Body}
		case 2:
			return decision.Verdict{Outcome: decision.Outcome(len(x.Body)), Code: decision.Code(len(x.Method)), Reason: x.Method, Ref: x.Principal, Call: x.Session}
		}
		return strict(ctx, x)
	}, Options{Observer: Observer{Undecodable: func(decision.Phase) { undecodable.Add(1) }}})
	ctx := within(t)
	exchange := func(t require.TestingT, in []byte) {
		var out []byte
		require.NoError(t, r.conn.Invoke(ctx, methodRequest, in, &out, grpc.ForceCodecV2(raw{})))
		var reply extmcp.McpRequestResult
		require.NoError(t, proto.Unmarshal(out, &reply))
		require.NotNil(t, reply.GetResult())
		require.NoError(t, r.conn.Invoke(ctx, methodResponse, in, &out, grpc.ForceCodecV2(raw{})))
		var answer extmcp.McpResponseResult
		require.NoError(t, proto.Unmarshal(out, &answer))
		require.NotNil(t, answer.GetResult())
		if m := reply.GetMutated(); reply.GetError() == nil && reply.GetPass() == nil {
			require.True(t, strings.HasPrefix(strings.TrimLeft(string(m), " \t\r\n"), "{"), "%q", m)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if rapid.Bool().Draw(t, "message") {
			in, err := proto.Marshal(&extmcp.McpRequest{
				Method: rapid.String().Draw(t, "method"), McpRequest: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
				ServiceNames: rapid.SliceOf(rapid.String()).Draw(t, "services"),
			})
			require.NoError(t, err)
			exchange(t, in)
			return
		}
		exchange(t, rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	})
	before := undecodable.Load()
	exchange(t, []byte{0xff, 0xff, 0xff})
	exchange(t, []byte("\x12\x02\xff\xfe")) // a method that is no UTF-8
	require.Equal(t, before+4, undecodable.Load())
}

// JS-08, in the handler itself: an ended context still gets a set result.
func TestJS08CancelledContext(t *testing.T) {
	s, err := New(checkFunc(func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		<-ctx.Done()
		return decision.Aggregate(decision.Input{Ref: "r", Faults: []decision.Fault{{Kind: decision.FaultCancelled}}}, decision.Policy{})
	}), Options{})
	require.NoError(t, err)
	defer s.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Equal(t, unknown, s.request(ctx, call("{}"), 0).GetError().GetCode())
	require.Equal(t, unknown, s.response(ctx, result("{}"), 0).GetError().GetCode())
}

func FuzzHandlers(f *testing.F) {
	s, err := New(checkFunc(strict), Options{KeepHeaders: []string{"x-a"}})
	require.NoError(f, err)
	f.Cleanup(s.Stop)
	seed, err := proto.Marshal(&extmcp.McpRequest{Method: "tools/call", McpRequest: []byte(`{}`), Headers: []*extmcp.McpHeader{header("X-A", "b")}})
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte{})
	f.Add([]byte{0xff})
	f.Add([]byte("\x1a\x04\x0a\x02\x0a\x00")) // metadata with an entry that has no value
	c := newCodec()
	f.Fuzz(func(t *testing.T, in []byte) {
		dec := func(v any) error { return c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(in)}, v) }
		for _, handle := range []func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error){handleRequest, handleResponse} {
			out, err := handle(s, context.Background(), dec, nil)
			if err != nil {
				t.Fatal(err)
			}
			set := false
			switch out := out.(type) {
			case *extmcp.McpRequestResult:
				set = out.GetResult() != nil
			case *extmcp.McpResponseResult:
				set = out.GetResult() != nil
			}
			if !set {
				t.Fatal("result not set")
			}
			if _, err := proto.Marshal(out.(proto.Message)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A checker that panics denies its call and nothing else, and what it said is in
// no log.
func TestPanickingChecker(t *testing.T) {
	var panics atomic.Int64
	log, entries := observed()
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		switch x.Method {
		case "text":
			panic("the payload says hush")
		case "error":
			panic(errors.New("the payload says hush"))
		case "runtime":
			return decision.Verdict{Ref: x.Services[7]}
		}
		return allow(ctx, x)
	}, Options{Logger: log, Observer: Observer{Panicked: func(decision.Phase) { panics.Add(1) }}})
	for _, method := range []string{"text", "error", "runtime"} {
		reply, err := r.mcp.CheckRequest(within(t), &extmcp.McpRequest{Method: method})
		require.NoError(t, err)
		require.Equal(t, unknown, reply.GetError().GetCode())
		d := data(t, reply.GetError())
		require.Equal(t, "unavailable", d["category"])
		require.Equal(t, "guardrail is not available (ref "+d["ref"].(string)+")", reply.GetError().GetReason())
		answer, err := r.mcp.CheckResponse(within(t), &extmcp.McpResponse{Method: method})
		require.NoError(t, err)
		require.Equal(t, unknown, answer.GetError().GetCode())
	}
	reply, err := r.mcp.CheckRequest(within(t), call("{}"))
	require.NoError(t, err)
	require.NotNil(t, reply.GetPass())
	require.EqualValues(t, 6, panics.Load())
	require.Zero(t, r.Inflight())
	text := entries()
	require.NotContains(t, text, "hush")
	require.Contains(t, text, "index out of range")
}

// A panic outside the checker denies the call too, and one in a stream ends that
// stream only.
func TestPanicsOutsideTheChecker(t *testing.T) {
	var panics atomic.Int64
	s, err := New(checkFunc(allow), Options{Observer: Observer{Panicked: func(decision.Phase) { panics.Add(1) }}})
	require.NoError(t, err)
	defer s.Stop()
	broken := func(any) error { panic("decoder") }
	out, err := handleRequest(s, t.Context(), broken, nil)
	require.NoError(t, err)
	require.Equal(t, unknown, out.(*extmcp.McpRequestResult).GetError().GetCode())
	require.Equal(t, "request", data(t, out.(*extmcp.McpRequestResult).GetError())["phase"])
	out, err = handleResponse(s, t.Context(), broken, nil)
	require.NoError(t, err)
	require.Equal(t, unknown, out.(*extmcp.McpResponseResult).GetError().GetCode())
	require.Equal(t, "response", data(t, out.(*extmcp.McpResponseResult).GetError())["phase"])
	require.EqualValues(t, 2, panics.Load())
	err = s.untilDrain(nil, nil, &grpc.StreamServerInfo{FullMethod: "/x/Y"}, func(any, grpc.ServerStream) error { panic("library") })
	require.Equal(t, codes.Internal, status.Code(err))
}

// The gateway sends no deadline; the checker gets one all the same, and whatever a
// gateway of another version leaves out or adds is no fault.
func TestASparseCall(t *testing.T) {
	var seen decision.Exchange
	var bounded bool
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		_, bounded = ctx.Deadline()
		seen = *x
		return allow(ctx, x)
	}, Options{})
	unknown := []byte("\xfa\x07\x04next") // field 127
	var out []byte
	for _, method := range []string{methodRequest, methodResponse} {
		for _, in := range [][]byte{{}, unknown} {
			require.NoError(t, r.conn.Invoke(context.Background(), method, in, &out, grpc.ForceCodecV2(raw{})))
			require.NotEmpty(t, out)
			require.True(t, bounded)
			response := method == methodResponse
			want := decision.Exchange{HasBody: response}
			if response {
				want.Phase = decision.Response
			}
			require.Equal(t, want, seen)
		}
	}
}

// A checker that never comes back does not keep its caller.
func TestOverdueChecker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var overdue atomic.Int64
		forever := make(chan struct{})
		s, err := New(checkFunc(func(context.Context, *decision.Exchange) decision.Verdict {
			<-forever
			return decision.Verdict{}
		}), Options{Observer: Observer{Overdue: func(decision.Phase) { overdue.Add(1) }}})
		require.NoError(t, err)
		began := time.Now()
		require.Equal(t, unknown, s.request(context.Background(), call("{}"), 0).GetError().GetCode())
		require.Equal(t, defaultTimeout+overdueGrace, time.Since(began))
		s.SetTimeout(time.Second)
		s.SetTimeout(0)
		began = time.Now()
		require.Equal(t, unknown, s.response(context.Background(), result("{}"), 0).GetError().GetCode())
		require.Equal(t, time.Second+overdueGrace, time.Since(began))
		require.EqualValues(t, 2, overdue.Load())
		require.Zero(t, s.Inflight())
		close(forever)
		s.Stop()
	})
}

// The checker has the word on what its deadline means: a fail-open engine passes.
func TestCheckerDecidesAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(checkFunc(func(ctx context.Context, _ *decision.Exchange) decision.Verdict {
			<-ctx.Done()
			return decision.Verdict{Outcome: decision.Flagged, Ref: "r"}
		}), Options{Timeout: time.Second})
		require.NoError(t, err)
		defer s.Stop()
		require.NotNil(t, s.request(context.Background(), call("{}"), 0).GetPass())
	})
}

// A caller that goes away ends the checker's context.
func TestCancelledCallReachesTheChecker(t *testing.T) {
	entered, ended := make(chan struct{}), make(chan error, 1)
	r := start(t, func(ctx context.Context, _ *decision.Exchange) decision.Verdict {
		close(entered)
		<-ctx.Done()
		ended <- ctx.Err()
		return decision.Verdict{}
	}, Options{Timeout: time.Hour})
	ctx, cancel := context.WithCancel(within(t))
	go func() {
		<-entered
		cancel()
	}()
	_, err := r.mcp.CheckRequest(ctx, call("{}"))
	require.Equal(t, codes.Canceled, status.Code(err))
	require.ErrorIs(t, <-ended, context.Canceled)
}

// CT-03: messages up to the receive limit reach the checker, larger ones are
// refused by the transport and counted, and the connection goes on.
func TestCT03MessagesAroundTheReceiveLimit(t *testing.T) {
	const limit = 6 << 20
	var oversize, handled atomic.Int64
	r := start(t, func(ctx context.Context, x *decision.Exchange) decision.Verdict {
		handled.Add(1)
		return allow(ctx, x)
	}, Options{MaxRecvBytes: limit, Observer: Observer{Oversize: func(p decision.Phase) {
		if p == decision.Response {
			oversize.Add(1)
		}
	}}})
	sized := func(n int) *extmcp.McpResponse {
		m := result("")
		m.McpResponse = make([]byte, n)
		for proto.Size(m) > n {
			m.McpResponse = m.McpResponse[:len(m.McpResponse)-(proto.Size(m)-n)]
		}
		require.Equal(t, n, proto.Size(m))
		return m
	}
	for _, n := range []int{3_900_000, 4_300_000, limit - 1, limit} {
		answer, err := r.mcp.CheckResponse(within(t), sized(n))
		require.NoError(t, err, n)
		require.NotNil(t, answer.GetPass())
	}
	require.EqualValues(t, 4, handled.Load())
	_, err := r.mcp.CheckResponse(within(t), sized(limit+1))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.EqualValues(t, 1, oversize.Load())
	require.EqualValues(t, 4, handled.Load())
	answer, err := r.mcp.CheckResponse(within(t), result("{}"))
	require.NoError(t, err, "the connection goes on")
	require.NotNil(t, answer.GetPass())
}

// A mutated result of any size comes through whole.
func TestLargeMutation(t *testing.T) {
	body := []byte(`{"x":"` + strings.Repeat("y", 9<<20) + `"}`)
	r := start(t, func(context.Context, *decision.Exchange) decision.Verdict {
		return decision.Verdict{Outcome: decision.Mutated, Ref: "r", Body: body}
	}, Options{})
	answer, err := r.mcp.CheckResponse(within(t), result("{}"))
	require.NoError(t, err)
	require.Len(t, answer.GetMutated(), len(body))
}
