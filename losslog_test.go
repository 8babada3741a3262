package sallyport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLossLogSaysEveryLossOnceASecond(t *testing.T) {
	var l lossLog
	recovered, _ := l.written()
	require.False(t, recovered, "nothing was lost yet")
	now, said, lines := time.Unix(1000, 0), int64(0), 0
	for second := range 3 {
		for range 500 {
			if n := l.lost(now.Add(time.Duration(second) * time.Second)); n > 0 {
				said += n
				lines++
			}
		}
	}
	require.Equal(t, 3, lines)
	recovered, unsaid := l.written()
	require.True(t, recovered)
	require.EqualValues(t, 1500, said+unsaid)
	recovered, _ = l.written()
	require.False(t, recovered, "it is said once")
}
