//go:build unix

package e2e

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Overload is no ill health: callers who send many large payloads at once must not
// be able to switch readiness off.
func TestOverloadIsNotDegradation(t *testing.T) {
	t.Parallel()
	const dense = "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQgdGV4dA== "
	s := serve(t, noModel.with(env{"SCANNER_TIMEOUT_MS": ""})) // the default
	body := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat(dense, heavy(7<<20)/len(dense)) + `"}]}`)
	told := s.follow("")
	var done sync.WaitGroup
	for range heavy(32) {
		done.Go(func() {
			for range 3 {
				if _, err := (exchange{response: true, body: body}).try(within(t), s.mcp); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	require.Zero(t, s.metric("mcp_guardrails_health_transitions_total", "to", "degraded"))
	require.Equal(t, serving, s.status(""))
	require.Len(t, told.told, 1)
}

// A scan ends soon after its deadline, even inside one long string, and the reply
// has its audit line.
func TestScanEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, slow.with(env{"SCANNER_TIMEOUT_MS": "400", "EXCHANGE_TIMEOUT_MS": lasting(2000)}))
	const dense = "kim@example.org 4111 1111 1111 1111 "
	a := s.ask(result(`{"content":[{"type":"text","text":"` + strings.Repeat(dense, heavy(48<<20)/len(dense)) + `"}]}`))
	s.refused(a, undecided)
	require.Empty(t, s.logLines(func(l logLine) bool { return l.text("msg") == "checker overdue, call denied" }))
}

// heavy is n bytes, or an eighth of it under the race detector, which makes both
// sides that much slower and larger.
func heavy(n int) int {
	if raceEnabled {
		return n / 8
	}
	return n
}

// lasting is a time in milliseconds, ten times as long under the race detector.
func lasting(ms int) string {
	if raceEnabled {
		ms *= 10
	}
	return strconv.Itoa(ms)
}
