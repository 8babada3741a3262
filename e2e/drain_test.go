//go:build unix

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// readinessNames are the health names that say whether to send calls here.
var readinessNames = []string{"", "ExtMcp", "agentgateway.dev.ext_mcp.ExtMcp"}

// watch is a health stream and what it has been told so far.
type watch struct {
	told  chan healthpb.HealthCheckResponse_ServingStatus
	ended chan error
}

// follow opens a health stream on a connection of its own.
func (s *sidecar) follow(name string) *watch {
	s.t.Helper()
	w := &watch{told: make(chan healthpb.HealthCheckResponse_ServingStatus, 64), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	s.t.Cleanup(cancel)
	s.awaitListening()
	stream, err := healthpb.NewHealthClient(s.dial()).Watch(ctx, &healthpb.HealthCheckRequest{Service: name}, grpc.WaitForReady(true))
	require.NoError(s.t, err)
	first, err := stream.Recv()
	require.NoError(s.t, err)
	w.told <- first.GetStatus()
	go func() {
		for {
			r, err := stream.Recv()
			if err != nil {
				close(w.told)
				w.ended <- err
				return
			}
			w.told <- r.GetStatus()
		}
	}()
	return w
}

// await reads the stream until it says want.
func (w *watch) await(t *testing.T, want healthpb.HealthCheckResponse_ServingStatus) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case got, open := <-w.told:
			require.True(t, open, "the stream ended before it said %v", want)
			if got == want {
				return
			}
		case <-limit:
			require.Fail(t, "the stream never said "+want.String())
		}
	}
}

// rest is everything that the stream still says until it ends.
func (w *watch) rest(t *testing.T) (said []healthpb.HealthCheckResponse_ServingStatus, end error) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case got, open := <-w.told:
			if !open {
				return said, <-w.ended
			}
			said = append(said, got)
		case <-limit:
			require.Fail(t, "the stream does not end")
		}
	}
}

// callOnce makes one call on a connection that it opens and closes.
func (s *sidecar) callOnce(ctx context.Context) error {
	c, err := grpc.NewClient("passthrough:///"+s.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer c.Close()
	a, err := request(`{"name":"fine","arguments":{"q":"x"}}`).try(ctx, extmcp.NewExtMcpClient(c))
	if err == nil && a.verdict() != "pass" {
		return status.Error(codes.Unknown, "verdict "+a.verdict())
	}
	return err
}

// The drill: readiness leaves at once, calls on new connections go on through the
// whole drain wait, the admin port answers to the end, open streams hold nothing up.
func TestLC04Drain(t *testing.T) {
	t.Parallel()
	wait := "4" // the calls take a second, and on a busy machine longer: all of it belongs into the wait
	if raceEnabled {
		wait = "10"
	}
	s := serve(t, noModel.with(env{"SHUTDOWN_DRAIN_S": wait}))
	ready, unknown := s.follow("agentgateway.dev.ext_mcp.ExtMcp"), s.follow("no.such.Service")
	alive := s.follow("liveness")
	probe := healthpb.NewHealthClient(s.dial())
	check := func(name string) healthpb.HealthCheckResponse_ServingStatus {
		r, err := probe.Check(within(t), &healthpb.HealthCheckRequest{Service: name})
		require.NoError(t, err)
		return r.GetStatus()
	}
	require.Equal(t, serving, check(""))

	s.signal(sigTerm)
	traffic := time.NewTicker(20 * time.Millisecond)
	defer traffic.Stop()
	var calls sync.WaitGroup
	failed := make(chan error, 100)
	const started = 50
	for i := range started {
		<-traffic.C
		calls.Add(1)
		go func() {
			defer calls.Done()
			if err := s.callOnce(within(t)); err != nil {
				failed <- err
			}
		}()
		if i%3 != 2 { // about every 60 ms
			continue
		}
		for _, name := range readinessNames {
			require.Equal(t, notServing, check(name), "poll %d, name %q", i/3, name)
		}
		require.Equal(t, serving, check("liveness"))
		code, _ := s.get("/readyz")
		require.Equal(t, http.StatusServiceUnavailable, code)
		code, _ = s.get("/healthz")
		require.Equal(t, http.StatusOK, code)
		if i%9 == 8 {
			require.Zero(t, s.metric("mcp_guardrails_serving"))
		}
	}
	calls.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	ready.await(t, notServing)
	require.Zero(t, s.exitCode())
	said, end := unknown.rest(t)
	require.Equal(t, []healthpb.HealthCheckResponse_ServingStatus{healthpb.HealthCheckResponse_SERVICE_UNKNOWN}, said)
	require.Equal(t, codes.Unavailable, status.Code(end))
	_, end = ready.rest(t)
	require.Equal(t, codes.Unavailable, status.Code(end))
	said, _ = alive.rest(t)
	require.Equal(t, []healthpb.HealthCheckResponse_ServingStatus{serving}, said, "liveness never left")
	require.ErrorContains(t, s.callOnce(within(t)), "connection refused")

	// The order, as the operator reads it.
	var order []string
	for _, l := range s.logLines(func(l logLine) bool { return l.text("msg") == "stop step" }) {
		order = append(order, l.text("step"))
	}
	require.Equal(t, []string{"drain", "front", "gate", "traces", "pins", "rules", "health", "audit", "traces out", "admin", "supervisor"}, order)
	require.Equal(t, 1, s.events(audit.EventDrain, nil))
	require.Equal(t, 1, s.events(audit.EventStop, nil))
	exchanges := 0
	for _, l := range s.lines() {
		if l.Phase != "" {
			exchanges++
		}
	}
	require.Equal(t, started, exchanges, "every call has its line")
	code, out := run1(t, nil, "audit", "verify", s.trail)
	require.Zero(t, code, out)
}

// slow is a sidecar and a payload that keeps it busy for a while, so that a call is
// in flight while something happens.
var slow = noModel.with(env{
	"SCAN_MAX_PAYLOAD_BYTES": "128 MiB", "GRPC_MAX_RECV_BYTES": "160 MiB", "MAX_INFLIGHT_BYTES": "1 GiB", "SCANNER_TIMEOUT_MS": "60000",
	"SHUTDOWN_GRACE_S": "30", "MAX_INFLIGHT": "1",
})

var slowBody = sync.OnceValue(func() []byte {
	const line = "Please mail us at kim at example dot org, or call 555 0100 next week. "
	return []byte(`{"content":[{"type":"text","text":"` + strings.Repeat(line, 60<<20/len(line)) + `"}]}`)
})

// busy starts one slow call and returns when the sidecar is deciding it: when it has
// no place for another.
func (s *sidecar) busy() <-chan error {
	s.t.Helper()
	end := make(chan error, 1)
	client := extmcp.NewExtMcpClient(s.dial())
	ctx := within(s.t)
	go func() {
		r, err := client.CheckResponse(ctx, &extmcp.McpResponse{ServiceNames: []string{"svc"}, Method: "tools/call", McpResponse: slowBody()}, grpc.MaxCallSendMsgSize(256<<20))
		if err == nil && r.GetPass() == nil {
			err = status.Error(codes.Unknown, "not passed: "+r.GetError().String())
		}
		end <- err
	}()
	probe := request(`{"name":"fine"}`)
	eventually(s.t, func() bool { return s.ask(probe).verdict() == "RESOURCE_EXHAUSTED" }, "the slow call is not in flight")
	return end
}

// Without a drain wait new calls are refused after the flip, and what is in flight
// still ends well.
func TestDrainOfZeroRefusesNewCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, slow)
	ready := s.follow("")
	end := s.busy()
	t.Run("gauge", func(t *testing.T) {
		require.EqualValues(t, 1, s.metric("mcp_guardrails_inflight"))
		require.EqualValues(t, len(slowBody()), s.metric("mcp_guardrails_inflight_bytes"))
	})
	s.signal(sigTerm)
	ready.await(t, notServing)
	eventually(t, func() bool {
		err := s.callOnce(within(t))
		return err != nil && strings.Contains(err.Error(), "connection refused")
	}, "new connections are not refused")
	require.NoError(t, <-end, "the call in flight")
	require.Zero(t, s.exitCode())
}

func TestSecondSignalSkipsTheWait(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"SHUTDOWN_DRAIN_S": "600"}))
	ready := s.follow("")
	s.signal(sigTerm)
	ready.await(t, notServing)
	require.NoError(t, s.callOnce(within(t)), "the drain wait serves")
	s.signal(sigTerm)
	require.Zero(t, s.exitCode())
}

func TestThirdSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, slow.with(env{"SHUTDOWN_DRAIN_S": "600", "SHUTDOWN_GRACE_S": "600"}))
	end := s.busy()
	for i := range 3 {
		s.signal(sigTerm)
		eventually(t, func() bool {
			select {
			case <-s.exited:
				return true
			default:
			}
			return len(s.logLines(func(l logLine) bool { return l.text("msg") == "signal received" })) > i
		}, "signal %d", i)
	}
	require.Equal(t, 1, s.exitCode(), "an exchange was cut off")
	require.Error(t, <-end)
}

// Beyond the grace a call is cut off, and the exit code says so.
func TestGraceCutsOff(t *testing.T) {
	t.Parallel()
	s := serve(t, slow.with(env{"SHUTDOWN_GRACE_S": "0"}))
	end := s.busy()
	s.signal(sigTerm)
	require.Equal(t, 1, s.exitCode())
	require.Error(t, <-end)
	require.Contains(t, s.readLog(), "cut off")
}

// LC-03: clients that go elsewhere when readiness leaves lose no call.
func TestLC03RollingRestart(t *testing.T) {
	t.Parallel()
	first, second := serve(t, noModel.with(env{"SHUTDOWN_DRAIN_S": "3"})), serve(t, noModel)
	const clients, before, after = 8, 25, 25
	var done, warm sync.WaitGroup
	failed := make(chan error, clients)
	warm.Add(clients)
	for range clients {
		mine, other := extmcp.NewExtMcpClient(first.dial()), extmcp.NewExtMcpClient(second.dial())
		left := first.follow("")
		done.Add(1)
		go func() {
			defer done.Done()
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			client, calls := mine, 0
			for n := 0; n < after; {
				<-pace.C
				select {
				case got := <-left.told:
					if got != serving {
						client = other
					}
				default:
				}
				if _, err := request(`{"name":"fine"}`).try(within(t), client); err != nil {
					failed <- err
					return
				}
				if calls++; calls == before {
					warm.Done()
				}
				if client == other {
					n++
				}
			}
		}()
	}
	warm.Wait()
	first.signal(sigTerm)
	done.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	require.Zero(t, first.exitCode())
}

// Many calls a second on one connection lose nothing in the drain wait.
func TestDrainUnderLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"SHUTDOWN_DRAIN_S": "5"}))
	ready := s.follow("")
	load := s.callAll(8, request(`{"name":"fine","arguments":{}}`))
	eventually(t, func() bool { return load.count("pass") > 100 }, "no calls")
	s.signal(sigTerm)
	ready.await(t, notServing)
	before := load.count("pass")
	eventually(t, func() bool { return load.count("pass") > before+100 }, "the drain wait does not serve")
	counts, failed := load.stop()
	require.Empty(t, failed)
	require.Equal(t, []string{"pass"}, keys(counts))
	require.Zero(t, s.exitCode())
}

// A stop during warm-up ends the process at once, and it never was ready.
func TestStopDuringWarmUp(t *testing.T) {
	t.Parallel()
	for _, drain := range []string{"0", "600"} {
		t.Run("drain "+drain, func(t *testing.T) {
			s := launch(t, env{"MODEL": endlessModel(t), "SHUTDOWN_DRAIN_S": drain, "SHUTDOWN_CLEANUP_S": "1"})
			ready := s.follow("")
			s.awaitLog("phase", func(l logLine) bool { return l.text("to") == "warming" })
			require.Equal(t, serving, s.status("liveness"))
			s.refused(s.ask(request(`{"name":"fine"}`)), unavailable)
			s.signal(sigTerm)
			require.Zero(t, s.exitCode())
			said, _ := ready.rest(t)
			require.NotContains(t, said, serving)
		})
	}
}

// bigPack takes a while to compile.
func bigPack() string {
	var b strings.Builder
	b.WriteString("version: 1\nname: big\nrules:\n")
	for i := range 900 {
		fmt.Fprintf(&b, "  - name: r%d\n    call: {tool: '/t%d/', when: 'args.a%d.startsWith(\"x\") && texts(args).exists(t, t.matches(\"(?i)y%d\"))'}\n", i, i, i, i)
	}
	return b.String()
}

// A signal that comes while the rules are still compiled ends the process as well,
// without a moment of readiness.
func TestStopDuringStart(t *testing.T) {
	t.Parallel()
	s := launch(t, noModel.with(env{"SHUTDOWN_DRAIN_S": "600", "INVARIANT_RULES_PATH": writeFile(t, "pack.yaml", bigPack())}))
	ready := s.follow("")
	s.signal(sigTerm)
	require.Zero(t, s.exitCode())
	said, _ := ready.rest(t)
	require.NotContains(t, said, serving)
}

// A stop during a reload waits for neither.
func TestStopDuringReload(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", packThat("shell"))
	s := serve(t, noModel.with(env{"INVARIANT_RULES_PATH": pack}))
	replaceFile(t, pack, bigPack())
	s.signal(sigHup)
	s.awaitLog("signal received", func(l logLine) bool { return l.text("signal") == "hangup" })
	s.signal(sigTerm)
	require.Zero(t, s.exitCode())
}

// LC-06: a collector that accepts and never answers, and one that is not there, cost
// no call and not the exit.
func TestLC06DeafCollector(t *testing.T) {
	t.Parallel()
	deaf, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { deaf.Close() })
	go func() {
		var held []net.Conn
		for {
			c, err := deaf.Accept()
			if err != nil {
				break
			}
			held = append(held, c)
		}
		for _, c := range held {
			c.Close()
		}
	}()
	for name, endpoint := range map[string]string{"deaf": "http://" + deaf.Addr().String(), "absent": "http://127.0.0.1:1"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, noModel.with(env{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_TRACES_EXPORTER": "otlp"}))
			for range 20 {
				require.NoError(t, s.callOnce(within(t)))
			}
			s.signal(sigTerm)
			begun := time.Now()
			require.Zero(t, s.exitCode())
			// The clean-up has two seconds in total; the exporter's own patience is 10 s.
			require.Less(t, time.Since(begun), 9*time.Second)
			warned := s.logLines(func(l logLine) bool { return l.text("level") == "warn" })
			require.NotEmpty(t, warned, "it says that spans were lost")
		})
	}
}
