package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// crash makes an actor that was spawned by a testStage panic on its turn.
type crash struct{ guard.Quiet }

func crashable(p *actor.Props) *actor.Props {
	return p.Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
			if _, ok := env.Message.(crash); ok {
				panic("crash by test")
			}
			next(c, env)
		}
	}))
}

// testStage is an actor system that ends with the test.
type testStage struct {
	t   *testing.T
	sys *actor.ActorSystem
}

func newTestStage(t *testing.T) *testStage {
	t.Helper()
	s := guard.NewSystem(nil)
	// A Stop that crosses an end is a dead letter, whose throttle in the library holds
	// a goroutine for some (virtual) milliseconds. Runs after everything else.
	t.Cleanup(func() { time.Sleep(time.Second) })
	t.Cleanup(guard.DeadLetters(s))
	return &testStage{t: t, sys: s}
}

// spawn starts an actor and stops it at the end of the test.
func (s *testStage) spawn(p *actor.Props) *actor.PID {
	s.t.Helper()
	pid := s.sys.Root.Spawn(crashable(p))
	s.t.Cleanup(func() { require.NoError(s.t, s.sys.Root.StopFuture(pid).Wait()) })
	return pid
}

func (s *testStage) crash(pid *actor.PID) { s.sys.Root.Send(pid, crash{}) }
