//go:build unix

package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests here are named after public reports about programs of this kind; the
// number says which.

// TestRS11ProcessorsAreSaid: how many processors the runtime uses and how many
// inferences run at once is logged and exported, and an explicit setting wins for
// each.
func TestRS11ProcessorsAreSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings       env
		procs, workers float64
	}{
		"one processor":             {env{"GOMAXPROCS": "1"}, 1, 1},
		"three processors":          {env{"GOMAXPROCS": "3"}, 3, 3},
		"two inferences on one":     {env{"GOMAXPROCS": "1", "MODEL_WORKERS": "2"}, 1, 2},
		"one inference on three":    {env{"GOMAXPROCS": "3", "MODEL_WORKERS": "1"}, 3, 1},
		"no classifier, no workers": {env{"GOMAXPROCS": "2", "MODEL": "off"}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.settings)
			line := s.awaitLog("starting", nil)
			require.Equal(t, c.procs, line["gomaxprocs"])
			require.NotNil(t, line["cpus"])
			require.Equal(t, c.procs, s.metric("go_sched_gomaxprocs_threads"))
			require.Equal(t, c.workers, s.metric("mcp_guardrails_model_workers"))
		})
	}
}

// TestRS06RotatingSessionIDs: a caller that takes a new session for every call
// fills the store of sessions to its cap and no further, each forgotten one is
// counted, the process does not grow with them, and a session that goes on calling
// keeps what it has done.
func TestRS06RotatingSessionIDs(t *testing.T) {
	t.Parallel()
	const limit, callers = 512, 16
	rounds := 250 // of 16 sessions each
	if raceEnabled {
		rounds = 80
	}
	pack := writeFile(t, "pack.yaml", `version: 1
name: sessions
rules:
  - name: read-then-send
    flow: {within: 1h, steps: [{call: {tool: read}}, {call: {tool: send}}]}
`)
	s := serve(t, noModel.with(env{"INVARIANT_MAX_TRACES": fmt.Sprint(limit), "INVARIANT_RULES_PATH": pack}))
	call := func(session, tool string) string {
		a, err := request(`{"name":"`+tool+`","arguments":{}}`).in(session).try(within(t), s.mcp)
		if err != nil {
			t.Error(err)
		}
		return a.verdict()
	}
	flood := func(name string) {
		for round := range rounds {
			var all sync.WaitGroup
			for n := range callers {
				all.Go(func() { call(fmt.Sprintf("%s-%d-%d", name, round, n), "read") })
			}
			all.Wait()
			if round%4 == 0 {
				require.Equal(t, "pass", call("alive", "read"))
			}
		}
	}
	require.Equal(t, "pass", call("alive", "read"))
	require.Equal(t, "pass", call("gone", "read"))
	flood("first")
	full := s.metric("process_resident_memory_bytes")
	flood("second")
	grown := s.metric("process_resident_memory_bytes") - full

	eventually(t, func() bool {
		keys := s.metric("mcp_guardrails_trace_keys")
		return keys <= limit && keys >= limit/2
	}, "the store is not at its cap of %d", limit)
	require.GreaterOrEqual(t, s.metric("mcp_guardrails_trace_evictions_total"), float64(2*rounds*callers-limit))
	const most = 32 << 20 // of noise: the heap is collected when it has doubled
	require.Less(t, grown, float64(most), "it grows with sessions that it has forgotten")
	require.Equal(t, "PERMISSION_DENIED", call("alive", "send"), "the session that went on calling is remembered")
	require.Equal(t, "pass", call("gone", "send"), "the one that did not is not")
}
