package drill

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// peer is a replica that passes everything, or denies it.
type peer struct {
	extmcp.UnimplementedExtMcpServer
	deny  bool
	calls atomic.Int64
}

func (p *peer) CheckRequest(context.Context, *extmcp.McpRequest) (*extmcp.McpRequestResult, error) {
	p.calls.Add(1)
	if p.deny {
		return &extmcp.McpRequestResult{Result: &extmcp.McpRequestResult_Error{Error: &extmcp.AuthorizationError{Reason: "no"}}}, nil
	}
	return &extmcp.McpRequestResult{Result: &extmcp.McpRequestResult_Pass{Pass: &extmcp.Pass{}}}, nil
}

func serve(t *testing.T, p *peer) (addr string, s *grpc.Server) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s = grpc.NewServer()
	extmcp.RegisterExtMcpServer(s, p)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String(), s
}

func TestGatewayTakesReplicasInTurnAndDialsAnewAfterGoaway(t *testing.T) {
	var peers [2]peer
	a, stopping := serve(t, &peers[0])
	b, _ := serve(t, &peers[1])
	g := newGateway()
	defer g.close()
	_, _, err := g.request(t.Context(), 0)
	require.ErrorIs(t, err, errNobody)
	g.route([]string{a, b})
	for i := range 10 {
		_, _, err := g.request(t.Context(), i)
		require.NoError(t, err)
	}
	require.EqualValues(t, 5, peers[0].calls.Load())
	require.EqualValues(t, 5, peers[1].calls.Load())

	// A replica that has gone is not asked again by itself, and not by another one.
	stopping.GracefulStop()
	g.route([]string{a})
	_, _, err = g.request(t.Context(), 11)
	result, _ := gatewayResult(err)
	require.Equal(t, Refused, result, err)
	g.route([]string{b})
	_, _, err = g.request(t.Context(), 12)
	require.NoError(t, err)
}

func TestGatewayResults(t *testing.T) {
	addr, _ := serve(t, &peer{deny: true})
	g := newGateway()
	defer g.close()
	g.route([]string{addr})
	_, _, err := g.request(t.Context(), 1)
	result, why := gatewayResult(err)
	require.Equal(t, Denied, result)
	require.Equal(t, "no", why)
	_, err = g.response(t.Context(), 1, "") // not implemented there
	result, why = gatewayResult(err)
	require.Equal(t, CutOff, result)
	require.Contains(t, why, `gRPC status "12"`)
	result, _ = gatewayResult(errors.New("connection reset"))
	require.Equal(t, CutOff, result)
}

// rolled is a rolling restart of which every restart took a while to be heard of.
func rolled(unlisted time.Duration, served ...int) *Outcome {
	o := &Outcome{Served: [2]int{served[0], served[1]}}
	for i := range 2 {
		at := time.Duration(i) * 10 * sec
		o.Restarts = append(o.Restarts, Restart{Replica: i, Signal: at, Unlisted: at + unlisted, Exit: at + 2*sec, Ready: at + 4*sec})
		o.Calls = append(o.Calls, calls(at, OK, OK)...)
	}
	return o
}

func TestRollingExpectations(t *testing.T) {
	row := RollingRow(2, 1)
	require.True(t, unlistedBeforeClosing(row, rolled(300*time.Millisecond, 5, 5)).Held)
	require.False(t, unlistedBeforeClosing(row, rolled(1200*time.Millisecond, 5, 5)).Held, "heard of it too late")
	require.False(t, unlistedBeforeClosing(RollingRow(3, 1), rolled(0, 5, 5)).Held, "a restart is missing")
	require.True(t, bothServed(5)(row, rolled(0, 5, 6)).Held)
	require.False(t, bothServed(5)(row, rolled(0, 11, 0)).Held)
}

func TestRollingReport(t *testing.T) {
	v := &Verdict{Row: RollingRow(2, 1), Outcome: rolled(300*time.Millisecond, 2, 2), Checks: []Check{{"it holds", true, "yes"}}}
	var text strings.Builder
	require.NoError(t, Report([]*Verdict{v}, sec).Write(&text, report.TextEncoding))
	for _, part := range []string{"Restarts", "off the list after", "Latency of calls", "replica 2"} {
		require.Contains(t, text.String(), part)
	}
	svg, err := v.Picture()
	require.NoError(t, err)
	require.Contains(t, string(svg), "draining")
	file, ok := v.PictureFile("docs/drill.svg")
	require.True(t, ok)
	require.Equal(t, "docs/rolling.svg", file)
	require.Contains(t, Markdown([]*Verdict{v}, sec, "drill.svg"), fmt.Sprintf("![Timeline of row %s](rolling.svg)", v.Row.Name))
}
