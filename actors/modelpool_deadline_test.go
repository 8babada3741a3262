package actors

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestPoolRefusesBeyondItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, func(c *ModelPoolConfig) { c.QueueTokens = 6 }).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)
		queued := make(chan error, 1)
		// More than the bound, but alone in the queue.
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); queued <- err }()
		synctest.Wait()
		start := time.Now()
		_, err := r.read(time.Second, "one more")
		requireFault(t, err, messages.ModelQueueFull)
		require.Zero(t, time.Since(start))
		// What is in flight already costs nothing.
		same := make(chan error, 1)
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); same <- err }()
		require.NoError(t, <-queued)
		require.NoError(t, <-same)
		require.NoError(t, <-busy)
		r.rec.state(func() { require.Equal(t, 1, r.rec.faults[messages.ModelQueueFull]) })
	})
}

func TestPoolRefusesADeadlineItCannotMeet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 10 ms a token, so the canaries have taught the rate.
		r := newRig(t, &fakeModel{run: costs(0, 10*time.Millisecond)}, nil).ready()
		defer r.stop()
		first := make(chan error, 1)
		go func() { _, err := r.read(time.Second, "a b c d e f g h"); first <- err }()
		synctest.Wait()

		start := time.Now()
		_, err := r.read(100*time.Millisecond, "i j k l")
		requireFault(t, err, messages.ModelUnreachable)
		require.Zero(t, time.Since(start), "refused at once")
		_, err = r.read(200*time.Millisecond, "i j k l")
		require.NoError(t, err)
		require.NoError(t, <-first)

		// An idle pool tries, whatever it has learned.
		_, err = r.read(10*time.Millisecond, "q r s t u v w")
		requireFault(t, err, messages.ModelTimeout)
		_, err = r.Classify(context.Background(), seg("x"), ModelLimits{Deadline: time.Now().Add(-time.Second)})
		requireFault(t, err, messages.ModelUnreachable)
	})
}

func TestPoolDropsWhatExpiresInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(200 * time.Millisecond)}, nil).ready()
		defer r.stop()
		busy := r.busy(200 * time.Millisecond)
		// Sent past the handle, so that nobody cancels it.
		m := &messages.Classify{Promise: guard.NewPromise[messages.Classification](), Deadline: time.Now().Add(50 * time.Millisecond),
			Windows: []inference.Window{{IDs: []int32{1}, Key: [16]byte{1}}}}
		r.send(m)
		_, err := m.Await(context.Background())
		requireFault(t, err, messages.ModelUnreachable)
		require.NoError(t, <-busy)
		require.EqualValues(t, 1, r.model.windows.Load())
	})
}

func TestPoolTellsATimeoutOfStartedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: slowly(400 * time.Millisecond)}, nil).ready()
		defer r.stop()
		_, err := r.read(100*time.Millisecond, "occupy")
		requireFault(t, err, messages.ModelTimeout)
	})
}

// Work that was too slow while the model gave others their scores is load, and no
// illness: a caller must not be able to switch readiness off with too much of it.
func TestPoolTellsLateFromIll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: func(control inference.RunControl, b []inference.Window) error {
			if batchHas(b, "occupy") {
				return computing(control, time.Hour)
			}
			return computing(control, 10*time.Millisecond)
		}}, func(c *ModelPoolConfig) { c.Workers = 2 }).ready()
		defer r.stop()
		late := make(chan error, 1)
		go func() { _, err := r.read(100*time.Millisecond, "occupy"); late <- err }()
		synctest.Wait()
		_, err := r.read(time.Second, "quick")
		require.NoError(t, err)
		requireFault(t, <-late, messages.ModelLate)

		_, err = r.read(100*time.Millisecond, "occupy again")
		requireFault(t, err, messages.ModelTimeout)
	})
	require.True(t, messages.ModelTimeout.Sample())
	require.False(t, messages.ModelLate.Sample())
}

// A request of which one window cannot be ready any more is over, and its other windows
// with it: they are not read for nobody in the place of what somebody waits for.
func TestPoolReadsNothingOfARequestThatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const occupy, long, short, other = 1, 2, 3, 4
		perToken := costs(0, 10*time.Millisecond)
		read := map[int32]int{}
		model := &fakeModel{run: func(control inference.RunControl, batch []inference.Window) error {
			for _, w := range batch {
				read[w.IDs[0]]++
			}
			if batch[0].IDs[0] == occupy {
				return computing(control, 500*time.Millisecond) // and not the 300 that were to be expected
			}
			return perToken(control, batch)
		}}
		r := newRig(t, model, nil).ready()
		defer r.stop()
		ask := func(within time.Duration, windows ...[]int32) *messages.Classify {
			m := &messages.Classify{Promise: guard.NewPromise[messages.Classification](), Deadline: time.Now().Add(within)}
			for i, ids := range windows {
				m.Windows = append(m.Windows, inference.Window{IDs: ids, Key: [16]byte{byte(ids[0]), byte(i)}})
			}
			r.send(m)
			synctest.Wait()
			return m
		}
		tokens := func(id int32, n int) []int32 { return slices.Repeat([]int32{id}, n) }
		first := ask(time.Minute, tokens(occupy, 30))
		over := ask(850*time.Millisecond, tokens(long, 40), tokens(short, 1))
		waits := ask(time.Minute, tokens(other, 20), tokens(other, 20))
		for _, m := range []*messages.Classify{first, waits} {
			_, err := m.Await(t.Context())
			require.NoError(t, err)
		}
		_, err := over.Await(t.Context())
		requireFault(t, err, messages.ModelUnreachable)
		require.Zero(t, read[long])
		require.Zero(t, read[short])
	})
}
