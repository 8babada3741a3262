//go:build unix

package e2e

import (
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// rawCodec sends bytes as they are, in place of a message.
type rawCodec struct{}

var _ encoding.CodecV2 = rawCodec{}

func (rawCodec) Name() string { return "proto" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// sendRaw calls a method with bytes that need be no message, and reads the reply as
// an answer.
func (s *sidecar) sendRaw(method string, data []byte) (*extmcp.McpRequestResult, error) {
	var out []byte
	if err := s.conn.Invoke(within(s.t), "/"+extmcp.ExtMcp_ServiceDesc.ServiceName+"/"+method, data, &out, grpc.ForceCodecV2(rawCodec{})); err != nil {
		return nil, err
	}
	r := new(extmcp.McpRequestResult) // its error field has the number that a response's has
	return r, proto.Unmarshal(out, r)
}

// footprint is what the process holds.
func (s *sidecar) footprint() (goroutines, resident float64) {
	return s.metric("go_goroutines"), s.metric("process_resident_memory_bytes")
}

// Whatever arrives, the answer is a denial, and afterwards the process is as it was.
func TestGarbage(t *testing.T) {
	t.Parallel()
	s := serve(t, env{})
	for range 50 { // warm: pools and caches have their size
		s.ask(text("Minutes of the meeting: nothing was decided."))
	}
	goroutines, resident := s.footprint()

	t.Run("random bytes", s.garbageBytes)
	t.Run("random bodies", s.garbageBodies)
	t.Run("no gRPC at all", s.garbageConns)
	t.Run("20 MB", func(t *testing.T) {
		_, err := result(strings.Repeat("[", 20_000_000)).try(within(t), s.mcp)
		require.Equal(t, codes.ResourceExhausted, status.Code(err))
	})
	t.Run("large ones at once", s.garbageLarge)
	t.Run("cancelled", s.garbageCancelled)

	require.Equal(t, serving, s.status(""))
	require.Equal(t, "PERMISSION_DENIED", s.ask(text(injection)).verdict())
	require.Equal(t, "pass", s.ask(text("Minutes of the meeting: nothing was decided.")).verdict())
	var nowG, nowR float64
	eventually(t, func() bool { nowG, nowR = s.footprint(); return nowG <= goroutines+10 }, "%v goroutines, were %v", nowG, goroutines)
	// The heap was as large as a hundred payloads; what is left must not grow with them.
	require.Less(t, nowR, resident+1500*(1<<20), "resident bytes, were %v", resident)
	t.Logf("goroutines %v -> %v, resident %.0f -> %.0f MiB", goroutines, nowG, resident/(1<<20), nowR/(1<<20))
}

func (s *sidecar) garbageBytes(t *testing.T) {
	s = s.on(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	for _, method := range []string{"CheckRequest", "CheckResponse"} {
		invalid := 0
		for range 100 {
			data := make([]byte, rnd.IntN(300))
			for i := range data {
				data[i] = byte(rnd.Uint32())
			}
			r, err := s.sendRaw(method, data)
			require.NoError(t, err, "%s %x", method, data)
			require.NotNil(t, r.GetResult(), "%s %x", method, data)
			if r.GetError().GetCode() == extmcp.AuthorizationError_INVALID {
				invalid++
			}
		}
		require.Positive(t, invalid)
	}
	_, err := s.sendRaw("NoSuchMethod", nil)
	require.Equal(t, codes.Unimplemented, status.Code(err))
}

func (s *sidecar) garbageBodies(t *testing.T) {
	s = s.on(t)
	nested := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	for name, body := range map[string]string{
		"open brackets": strings.Repeat("[", 1<<20), "nested": nested, "duplicate": `{"a":{"b":1,"b":2}}`,
		"NUL": "\x00", "half a surrogate": `{"a":"\ud800"}`, "cut escape": `{"a":"\u12`, "control": "{\"a\":\"\n\"}",
	} {
		for _, response := range []bool{false, true} {
			a := s.ask(exchange{response: response, body: []byte(body)})
			require.Equal(t, "INVALID", a.verdict(), name)
		}
	}
}

func (s *sidecar) garbageConns(t *testing.T) {
	for _, hello := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff", "\x00"} {
		c, err := net.DialTimeout("tcp", s.addr, patience)
		require.NoError(t, err)
		_, err = c.Write([]byte(hello))
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
}

// garbageLarge sends a hundred large payloads at once; each is answered or shed.
func (s *sidecar) garbageLarge(t *testing.T) {
	size := 1 << 20
	if raceEnabled {
		size = 64 << 10 // the detector makes a scan ten times as long
	}
	body := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("The minutes say that nothing was decided. ", size/42) + `"}]}`)
	var done sync.WaitGroup
	for i := range 100 {
		done.Go(func() {
			a, err := exchange{response: true, body: body}.try(within(t), s.mcp)
			if err != nil || a.verdict() == "no result" {
				t.Errorf("call %d: %v %v", i, a.verdict(), err)
			}
		})
	}
	done.Wait()
}

// garbageCancelled gives up on calls at every stage.
func (s *sidecar) garbageCancelled(t *testing.T) {
	body := text(strings.Repeat("The minutes say that nothing was decided. ", 20_000))
	var done sync.WaitGroup
	for i := range 60 {
		done.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
			defer cancel()
			_, err := body.try(ctx, s.mcp)
			if code := status.Code(err); code != codes.OK && code != codes.DeadlineExceeded && code != codes.Canceled {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	done.Wait()
}

// LC-12: streams that are opened and reset at once start no more work than the
// limit allows, and other connections do not suffer.
func TestLC12RapidReset(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	goroutines, _ := s.footprint()
	conn, err := grpc.NewClient("passthrough:///"+s.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	client := extmcp.NewExtMcpClient(conn)
	body := text(strings.Repeat("The minutes say that nothing was decided. ", 500))
	var done sync.WaitGroup
	for range 16 {
		done.Go(func() {
			for range 250 {
				ctx, cancel := context.WithCancel(context.Background())
				go cancel()
				_, _ = body.try(ctx, client)
				cancel()
			}
		})
	}
	for range 20 {
		require.NoError(t, s.callOnce(within(t)))
	}
	done.Wait()
	require.NoError(t, conn.Close())
	require.Equal(t, serving, s.status(""), "callers cannot switch readiness off")
	eventually(t, func() bool { now, _ := s.footprint(); return now <= goroutines+10 }, "goroutines are left")
}

// RS-04: an idle sidecar with a model burns no CPU.
func TestRS04IdleIsIdle(t *testing.T) {
	t.Parallel()
	s := serve(t, env{})
	require.Equal(t, "pass", s.ask(text("Minutes of the meeting: nothing was decided.")).verdict())
	before := s.metric("process_cpu_seconds_total")
	<-time.After(5 * time.Second) // the measure is of a stretch of time
	used := s.metric("process_cpu_seconds_total") - before
	t.Logf("%.2f CPU seconds in five", used)
	limit := 0.2
	if raceEnabled {
		limit = 1
	}
	require.Less(t, used, limit)
}
