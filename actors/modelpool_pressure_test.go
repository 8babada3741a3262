package actors

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
)

// What cannot be ready in time is refused before it is tokenised; what was refused
// leaves nothing behind that would refuse others.
func TestHopelessRequestsAreNotTokenised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{perWindow: 64, run: costs(0, 10*time.Millisecond)}, nil).ready()
		defer r.stop()
		text := func(n int) string { return fmt.Sprintf("%d", n) + strings.Repeat(" word", 49) }
		const n = 4 // half a second each
		errs := make(chan error, n)
		for i := range n {
			go func() { _, err := r.read(time.Minute, text(i)); errs <- err }()
			synctest.Wait()
		}
		r.model.reset()
		_, err := r.read(500*time.Millisecond, text(n))
		requireFault(t, err, messages.ModelUnreachable)
		require.Zero(t, r.model.tokenised.Load())
		_, err = r.read(time.Minute, text(n+1))
		require.NoError(t, err, "time enough")
		for range n {
			require.NoError(t, <-errs)
		}
		_, err = r.read(700*time.Millisecond, text(n+2))
		require.NoError(t, err, "nothing is queued any more")
		r.rec.state(func() { require.Equal(t, map[messages.ModelFault]int{messages.ModelUnreachable: 1}, r.rec.faults) })
	})
}

func TestAFullQueueRefusesBeforeTokenising(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{perWindow: 64, run: costs(0, time.Millisecond)}, func(c *ModelPoolConfig) { c.QueueTokens = 100 }).ready()
		defer r.stop()
		text := func(n int) string { return fmt.Sprintf("%d", n) + strings.Repeat(" word", 49) }
		const n = 3 // one runs, two are the whole queue
		errs := make(chan error, n)
		for i := range n {
			go func() { _, err := r.read(time.Minute, text(i)); errs <- err }()
			synctest.Wait()
		}
		r.model.reset()
		_, err := r.read(time.Minute, text(n))
		requireFault(t, err, messages.ModelQueueFull)
		require.Zero(t, r.model.tokenised.Load())
		for range n {
			require.NoError(t, <-errs)
		}
	})
}

// A pool that failed with a queue has none when it is back.
func TestNoPressureIsLeftAfterAFailure(t *testing.T) {
	p := &poolActor{h: NewModelPool(ModelPoolConfig{})}
	p.h.pressure.wait.Store(int64(time.Hour))
	p.h.pressure.queued.Store(1 << 20)
	p.pressed()
	require.Zero(t, p.h.pressure.wait.Load())
	require.Zero(t, p.h.pressure.queued.Load())
}
