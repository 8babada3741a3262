package actors

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/rules"
)

// TestTokenFeedsOneResultEvent: the second event of a token changes nothing.
func TestTokenFeedsOneResultEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		r, _ := newTraceRig(s, TracesConfig{Shards: 1})
		set := traceSet()
		burst := func(token byte) ([]rules.Hit, error) {
			m := set.Match(&rules.Event{Service: "a", Tool: "burst", Method: "tools/call", Now: r.clock()})
			return r.AdvanceOnce(t.Context(), [16]byte{token}, traceKey(1), set, m, rules.AdvanceInfo{ID: [16]byte{token}, Now: r.clock()})
		}
		for token := byte(1); token <= 3; token++ {
			hits, err := burst(token)
			require.NoError(t, err)
			require.Empty(t, hits)
			before := r.Turns(traceKey(1))
			for range 5 {
				_, err = burst(token)
				require.ErrorIs(t, err, ErrSpent)
			}
			require.Equal(t, before+5, r.Turns(traceKey(1)), "a shard that refuses does not hang")
		}
		hits, err := burst(4)
		require.NoError(t, err)
		require.Len(t, hits, 1, "the fourth event, and not one before, is over the rate of three")
	})
}
