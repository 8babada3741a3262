package sallyport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
