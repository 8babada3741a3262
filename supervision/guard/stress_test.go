package guard_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Random panics, stops, poisons and respawns under load: every caller is
// answered, with its own number or with one of our errors.
func TestStressEveryCallerIsAnswered(t *testing.T) {
	const callers, calls, kills = 8, 4000, 200
	s := newSystem(t)
	w := guard.NewWarm(8)
	defer w.Close()
	var current atomic.Pointer[actor.PID]
	var incarnations atomic.Int64
	type kill struct{ poison bool }
	victim := props(func(c actor.Context) {
		if m, ok := c.Message().(*ask); ok {
			if m.n%97 == 0 {
				panic("by the number")
			}
			m.Resolve(m.n)
		}
	}, guard.Options{Capacity: 64, Dispatcher: w})
	first := make(chan struct{})
	stopping := false
	supervisor := s.Root.Spawn(props(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *actor.Started:
			current.Store(c.Spawn(victim))
			close(first)
		case *actor.Stopping:
			stopping = true
		case *actor.Terminated:
			if stopping {
				return
			}
			incarnations.Add(1)
			current.Store(c.Spawn(victim))
		case kill:
			if m.poison {
				c.Poison(current.Load())
			} else {
				c.Stop(current.Load())
			}
		}
	}, guard.Options{}, actor.WithSupervisor(actor.NewOneForOneStrategy(3, time.Second, actor.DefaultDecider))))
	<-first

	var answered, hung, wrong atomic.Int64
	var load sync.WaitGroup
	for caller := range callers {
		load.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(caller)))
			for range calls {
				n := rnd.IntN(1 << 20)
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				v, err := send(s, current.Load(), n).Await(ctx)
				cancel()
				switch {
				case errors.Is(err, context.DeadlineExceeded):
					hung.Add(1)
				case err == nil && v != n:
					wrong.Add(1)
				default:
					answered.Add(1)
				}
			}
		})
	}
	load.Go(func() {
		for i := range kills {
			s.Root.Send(supervisor, kill{poison: i%2 == 0})
			// One round trip through the victim between two kills, whatever its outcome.
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			_, err := send(s, current.Load(), 1).Await(ctx)
			cancel()
			if errors.Is(err, context.DeadlineExceeded) {
				hung.Add(1)
			}
		}
	})
	load.Wait()
	require.Zero(t, hung.Load())
	require.Zero(t, wrong.Load())
	require.EqualValues(t, callers*calls, answered.Load())
	require.Positive(t, incarnations.Load())
	stopAndWait(t, s, supervisor)
}
