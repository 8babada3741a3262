package actors

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestTheRestartLimitFailsThePoolUntilItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, explosive(), func(c *ModelPoolConfig) { c.Restart = guard.Backoff{Min: time.Millisecond, Max: time.Millisecond} }).ready()
		defer r.stop()
		for i := range 10 {
			_, err := r.read(time.Minute, fmt.Sprintf("bomb %d", i))
			requireFault(t, err, messages.ModelPanic)
		}
		_, ready, _ := r.Info()
		require.True(t, ready, "ten are tolerated")
		_, err := r.read(time.Minute, "bomb 11")
		requireFault(t, err, messages.ModelPanic)
		failed := time.Now()
		synctest.Wait()
		_, ready, reason := r.Info()
		require.False(t, ready)
		require.Equal(t, "model workers: more than 10 restarts in 1m0s", reason)
		<-r.changed
		r.ready()
		require.InDelta(t, 61, time.Since(failed).Seconds(), 1)
		_, err = r.read(time.Minute, "fine")
		require.NoError(t, err)
	})
}

func TestSlowPanicsStayBelowTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, explosive(), nil).ready()
		defer r.stop()
		for i := range 40 {
			_, err := r.read(time.Minute, fmt.Sprintf("bomb %d", i))
			requireFault(t, err, messages.ModelPanic)
			time.Sleep(7 * time.Second)
			_, err = r.read(time.Minute, fmt.Sprintf("fine %d", i))
			require.NoError(t, err)
		}
	})
}
