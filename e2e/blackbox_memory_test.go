//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// peak is the most memory that the process ever had resident, in bytes.
func (s *sidecar) peak() int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Skip("no /proc here")
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	require.True(s.t, found)
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(s.t, err)
	return kib << 10
}

// A gateway has up to a hundred calls under way on a connection, and a server behind
// it may answer all of them with too much at once. What is over the payload limit is
// not copied to be refused, and the trail has every part of its line.
func TestBlackboxTooMuchAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"SCAN_MAX_PAYLOAD_BYTES": "65536", "GRPC_MAX_RECV_BYTES": "4 MiB", "EXCHANGE_KEY": strings.Repeat("k", 32)}))
	token := s.tokenOf(toolCall(`{"name":"fetch"}`))
	before := s.peak()
	const calls, size = 100, 3 << 20
	big := toolResult(`{"content":[],"pad":"` + strings.Repeat("a", size) + `"}`)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			c := big.with("exchange", fmt.Sprint("big-", i)).with("call", token)
			r, err := c.send(ctx, s.conn)
			if err != nil || r.verdict != "INVALID" || r.data["category"] != "size" {
				t.Errorf("call %d: %s %v %v", i, r.verdict, r.data, err)
			}
		})
	}
	all.Wait()
	grown := s.peak() - before
	t.Logf("%d MiB received, %d MiB more resident", calls*size>>20, grown>>20)
	limit := calls * size * 2
	if raceEnabled {
		limit *= 3 // the detector keeps its own record beside every byte that was touched
	}
	require.Less(t, grown, limit, "it is held more than once")
	l := s.awaitLine("big-7", func(l audit.Line) bool { return l.Exchange == "big-7" })
	require.Equal(t, []any{"response", "tools/call", "svc", "invalid", len(*big.body)}, []any{l.Phase, l.Method, l.Service, l.Outcome, l.Bytes})
	require.Len(t, l.Findings, 1)
	require.Equal(t, "malformed_too_large", l.Findings[0].Detector)
	require.Equal(t, serving, s.status(""))
}
