package mesh

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

func TestStepCountsBySecondAndFate(t *testing.T) {
	s := newStep(5, 2, 2*time.Second)
	s.record(Passed, 100*time.Millisecond, time.Millisecond)
	s.record(Denied, 900*time.Millisecond, time.Millisecond)
	s.record(Shed, 1100*time.Millisecond, time.Millisecond)
	s.record(Passed, 1900*time.Millisecond, patience+time.Second)
	s.record(Passed, time.Hour, time.Millisecond) // no later than the last second
	require.Equal(t, 3, s.inTime)
	require.Equal(t, 1, s.late)
	require.Equal(t, 1, s.undecided())
	require.Len(t, s.seconds, 3)
	require.Equal(t, 2, s.seconds[0].inTime)
	require.Equal(t, []int{2, 0, 1}, []int{s.seconds[1].offered, s.seconds[1].inTime, s.seconds[1].undecided})
}

func TestIdealGoodput(t *testing.T) {
	// 1000 calls a second at 0.5 ms for generator and transport take half of one CPU;
	// the other 1.5 decide at 3 ms without the transport.
	y := &yardstick{rate: 1000, room: 2, perCall: costs{client: 300 * time.Microsecond, server: 200 * time.Microsecond}}
	require.InDelta(t, 500, y.ideal(3200*time.Microsecond), 0.01)
	require.Zero(t, y.ideal(time.Microsecond), "a decision that costs less than its transport was measured badly")
	y.room, y.apart = 1, true
	require.InDelta(t, 0.8/0.003, y.ideal(3200*time.Microsecond), 0.01, "a generator on CPUs of its own costs the server nothing")
	y.room, y.apart = 0, false
	require.Zero(t, y.ideal(3*time.Millisecond), "nothing is left")
}

func TestReportShowsCostsAndRates(t *testing.T) {
	s := newStep(3, 1, 2*time.Second)
	s.fraction, s.peak, s.goodput, s.took = 2, 2, 1, 2*time.Second
	s.watch = &watcher{probes: measure.NewLatency()}
	s.record(Passed, 0, time.Millisecond)
	s.record(Shed, 0, time.Millisecond)
	s.decision, s.serverCPU = time.Millisecond, 1200*time.Microsecond
	s.yardstick = &yardstick{rate: 1, offered: 3, answered: 3, latency: measure.NewLatency()}
	r := &Result{steps: []*Step{s}}
	var text strings.Builder
	require.NoError(t, r.Report().Write(&text, report.TextEncoding))
	for _, part := range []string{"one refusal", "200", "goodput of an ideal server", "decided in time (goodput)"} {
		require.Contains(t, text.String(), part)
	}
	svg, err := r.Picture()
	require.NoError(t, err)
	require.Contains(t, string(svg), "Exchanges by the second")
}

func TestEchoPassesEverything(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Echo(ctx, in) }()
	addr, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	conn, err := sidecar.Dial(strings.TrimSpace(addr))
	require.NoError(t, err)
	defer conn.Close()
	client := extmcp.NewExtMcpClient(conn)
	source := newSource(0, nil, 1)
	for range 20 {
		x, err := source.next()
		require.NoError(t, err)
		require.Equal(t, Passed, x.ask(t.Context(), client))
	}
	cancel()
	require.NoError(t, <-done)
}
