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
