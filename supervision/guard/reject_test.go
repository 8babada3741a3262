package guard_test

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// question is a message that an actor asks without a promise.
type question struct{ guard.Quiet }

func (*question) Reject(error)          {}
func (*question) Refusal(err error) any { return refusal{err} }

type refusal struct{ error }

// An actor that asks with Request is told of every way in which its question is lost.
func TestWhoAsksWithoutAPromiseIsToldOfItsLoss(t *testing.T) {
	s := newSystem(t)
	got := make(chan error, 4)
	asker := s.Root.Spawn(props(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *actor.PID:
			c.Request(m, &question{})
		case refusal:
			got <- m.error
		}
	}, guard.Options{}))
	lost := func() error {
		select {
		case err := <-got:
			return err
		case <-time.After(20 * time.Second):
			require.Fail(t, "the asker hangs")
			return nil
		}
	}

	pid := s.Root.Spawn(props(func(c actor.Context) {
		if _, ok := c.Message().(*question); ok {
			panic("asked to")
		}
		echo(c)
	}, guard.Options{Capacity: 1}))
	s.Root.Send(asker, pid)
	require.ErrorIs(t, lost(), guard.ErrPanic)

	h := newHold(false)
	s.Root.Send(pid, h)
	<-h.entered
	queued := send(s, pid, 1)
	s.Root.Send(asker, pid)
	require.ErrorIs(t, lost(), guard.ErrFull)
	close(h.release)
	_, err := answer(t, queued.Promise)
	require.NoError(t, err)

	h = newHold(false)
	s.Root.Send(pid, h)
	<-h.entered
	stopped := s.Root.StopFuture(pid)
	s.Root.Send(asker, pid) // queued behind the stop
	close(h.release)
	require.ErrorIs(t, lost(), guard.ErrStopped)
	require.NoError(t, stopped.Wait())

	s.Root.Send(asker, pid)
	require.ErrorIs(t, lost(), guard.ErrStopped)
	stopAndWait(t, s, asker)
}
