package actors

import (
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// setClock is now after the wall clock alone was set by whole seconds: what passes between
// two times is told by their monotonic part, which no function of package time sets apart.
func setClock(now time.Time, by time.Duration) time.Time {
	const seconds = 30 // the bit at which the seconds of the wall clock begin
	wall := (*uint64)(unsafe.Pointer(&now))
	*wall += uint64(by/time.Second) << seconds
	return now
}

func TestSetClock(t *testing.T) {
	now := time.Now()
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		set := setClock(now, by)
		require.Zero(t, set.Sub(now))
		require.Equal(t, now.Unix()+int64(by/time.Second), set.Unix())
	}
}

// A wall clock that is set forward ends no window early, and one that is set back keeps
// none from ending.
func TestTracesDoNotFollowTheWallClock(t *testing.T) {
	for name, by := range map[string]time.Duration{"an hour forward": time.Hour, "an hour back": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 1, IdleTTL: 30 * time.Minute})
				require.Empty(t, r.call(1, "read", true))
				for range 3 {
					require.Empty(t, r.call(2, "burst", true))
				}
				r.set.Store(int64(by))
				require.Equal(t, []string{"read-then-send"}, r.call(1, "send", false))
				require.Equal(t, []string{"burst"}, r.call(2, "burst", false))
				time.Sleep(61 * time.Second)
				require.Empty(t, r.call(2, "burst", true))
				time.Sleep(20 * time.Minute)
				require.Equal(t, 2, r.Keys())
				time.Sleep(11 * time.Minute)
				require.Empty(t, r.call(1, "send", true), "half an hour has passed")
			})
		})
	}
}
