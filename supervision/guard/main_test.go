package guard_test

import (
	"context"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask is a message with a caller.
type ask struct {
	*guard.Promise[int]
	n int
}

// hold makes the actor wait inside its turn.
type hold struct {
	*guard.Promise[int]
	entered, release chan struct{}
	crash            bool
}

func newHold(crash bool) *hold {
	return &hold{Promise: guard.NewPromise[int](), entered: make(chan struct{}), release: make(chan struct{}), crash: crash}
}

// echo answers with what it was asked; a negative number makes it panic.
func echo(c actor.Context) {
	switch m := c.Message().(type) {
	case *ask:
		if m.n < 0 {
			panic("asked to")
		}
		m.Resolve(m.n)
	case *hold:
		close(m.entered)
		<-m.release
		if m.crash {
			panic("asked to")
		}
		m.Resolve(0)
	}
}

func newSystem(t *testing.T) *actor.ActorSystem {
	t.Helper()
	s := guard.NewSystem(nil)
	t.Cleanup(guard.DeadLetters(s))
	return s
}

func props(receive actor.ReceiveFunc, o guard.Options, more ...actor.PropsOption) *actor.Props {
	return guard.Props(func() actor.Actor { return receive }, o, more...)
}

func send(s *actor.ActorSystem, pid *actor.PID, n int) *ask {
	a := &ask{Promise: guard.NewPromise[int](), n: n}
	s.Root.Send(pid, a)
	return a
}

// answer waits for a promise that must be settled by an event of the test; the
// long timeout only turns a hang into a failure.
func answer(t *testing.T, p *guard.Promise[int]) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	v, err := p.Await(ctx)
	require.NotErrorIs(t, err, context.DeadlineExceeded, "caller hangs")
	return v, err
}

func stopAndWait(t *testing.T, s *actor.ActorSystem, pid *actor.PID) {
	t.Helper()
	require.NoError(t, s.Root.StopFuture(pid).Wait())
}
