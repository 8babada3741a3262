package sallyport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

func TestShedLogCountsExactly(t *testing.T) {
	var s shedLog
	now := time.Unix(1000, 0)
	lines, owed := 0, int64(0)
	for second := range 3 {
		for range 250 {
			own, n := s.allow(now.Add(time.Duration(second) * time.Second))
			if own {
				lines++
			}
			owed += n
		}
	}
	owed += s.rest()
	require.Equal(t, 300, lines)
	require.EqualValues(t, 3*250, int64(lines)+owed, "every shed exchange is in a line or in a count")
	require.Zero(t, s.rest())
}

// What is owed does not wait for the next exchange that is shed.
func TestShedLogPaysWhenTheSecondIsOver(t *testing.T) {
	var s shedLog
	now := time.Unix(1000, 0)
	for range shedLines + 7 {
		s.allow(now)
	}
	require.Zero(t, s.due(now), "the second is not over")
	require.EqualValues(t, 7, s.due(now.Add(time.Second)))
	require.Zero(t, s.due(now.Add(time.Second)))
	_, owed := s.allow(now.Add(2 * time.Second))
	require.Zero(t, owed)
	require.Zero(t, s.rest())
}

// What a server sheds by itself is sampled with what the engine sheds: whoever opens
// more connections than may check would otherwise write the trail at will.
func TestWhatAServerShedsIsSampled(t *testing.T) {
	trail := &memoryTrail{}
	cfg := DefaultConfig()
	cfg.Drain, cfg.Audit = 0, trail
	e, err := New(cfg)
	require.NoError(t, err)
	e.now = func() time.Time { return time.Unix(1000, 0) }
	require.NoError(t, e.Start(t.Context()))
	const calls = 3 * shedLines
	for range calls {
		e.ServerRefused(decision.Request, Verdict{Outcome: decision.Shed, Ref: "r"})
	}
	e.ServerRefused(decision.Request, Verdict{Outcome: decision.Error, Ref: "r"})
	require.NoError(t, e.Shutdown(t.Context()))
	own, counted, other := 0, int64(0), 0
	for _, line := range trail.all() {
		switch {
		case line.Event == audit.EventShed:
			counted += line.Count
		case line.Outcome == audit.OutcomeShed:
			own++
		case line.Outcome == audit.OutcomeError:
			other++
		}
	}
	require.Equal(t, shedLines, own)
	require.EqualValues(t, calls-shedLines, counted)
	require.Equal(t, 1, other)
}
