package actors

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference/batch"
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

// A backlog that refuses nobody may be as long as it likes; one that refuses for half a
// second, while more comes than can be computed, is held short until less comes.
func TestAStandingBacklogIsHeldShort(t *testing.T) {
	var s standing
	var offered atomic.Int64
	now := time.Unix(1, 0)
	step := func(refused bool, load float64) time.Duration {
		now = now.Add(burst / 10)
		offered.Add(int64(load * float64(burst/10)))
		return s.note(now, refused, &offered, linger)
	}
	s.note(now, false, &offered, linger)
	for range 50 {
		require.Zero(t, step(false, 1.5), "nobody is refused")
	}
	for range 50 {
		require.Zero(t, step(true, 0.9), "one that is too large is refused, and there is room")
	}
	limited := 0
	for range 30 {
		if step(true, 1.5) > 0 {
			limited++
		}
	}
	require.Equal(t, 30-9, limited, "from the end of the first half second on")
	require.Equal(t, linger, step(false, 1.5), "still, while as much comes")
	for range 20 {
		step(false, 0.9)
	}
	require.Zero(t, step(false, 0.9))
}

// What waits for the judge comes later than what the gate reads, and does not refuse it;
// what the judge must read sooner does.
func TestTheGateIsRefusedOnlyForWhatComesBeforeIt(t *testing.T) {
	now := time.Now()
	var cost batch.Cost
	cost.Observe(100, 100, time.Second)
	p := &poolActor{h: NewModelPool(ModelPoolConfig{Judge: ModelStage{}}), slots: []*slot{{}}, costs: []batch.Cost{cost, cost},
		models: []*model{{stage: messages.StageJudge, weight: 1}, {stage: messages.StageGate, weight: 0.01}}}
	queued := func(urgent time.Duration) {
		p.queue.Push(&flight{need: batch.Need{Tokens: 1000, Group: messages.StageJudge, Urgent: now.Add(urgent), Latest: now.Add(urgent)}})
	}
	refused := func() bool {
		req := &request{msg: &messages.Classify{Stage: messages.StageGate}, deadline: now.Add(4 * time.Second), urgent: now.Add(2 * time.Second)}
		_, refused := p.overload(req, 10, 10, now)
		return refused
	}
	queued(3 * time.Second)
	require.False(t, refused())
	queued(time.Second)
	require.True(t, refused())
}
