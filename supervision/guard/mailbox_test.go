package guard_test

import (
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestFullMailboxShedsAtOnce(t *testing.T) {
	s := newSystem(t)
	depth := new(guard.Depth)
	require.Zero(t, depth.Len())
	pid := s.Root.Spawn(props(echo, guard.Options{Capacity: 4, Depth: depth}))
	h := newHold(false)
	s.Root.Send(pid, h)
	<-h.entered
	var queued, shed []*ask
	for i := range 4 {
		queued = append(queued, send(s, pid, i))
	}
	require.Equal(t, 4, depth.Len())
	for i := range 6 {
		shed = append(shed, send(s, pid, i))
	}
	for _, a := range shed { // answered although the actor is stuck in its turn
		_, err := answer(t, a.Promise)
		require.ErrorIs(t, err, guard.ErrFull)
	}
	s.Root.Send(pid, "a message without a caller passes a full mailbox")
	require.Equal(t, 5, depth.Len())
	close(h.release)
	for i, a := range queued {
		v, err := answer(t, a.Promise)
		require.NoError(t, err)
		require.Equal(t, i, v)
	}
	stopAndWait(t, s, pid)
}

func TestPanicRejectsTheMessageInHandAndKeepsTheQueue(t *testing.T) {
	s := newSystem(t)
	var name string
	var stack []byte
	pid := s.Root.Spawn(props(echo, guard.Options{Name: "echo", OnPanic: func(n string, _ any, st []byte) {
		name, stack = n, st
		panic("a panicking observer must not end the process")
	}}))
	h := newHold(true)
	s.Root.Send(pid, h)
	<-h.entered
	next := send(s, pid, 7)
	close(h.release)
	_, err := answer(t, h.Promise)
	require.ErrorIs(t, err, guard.ErrPanic)
	require.Equal(t, "echo", name)
	require.Contains(t, string(stack), "guard_test.echo", "the stack names the function that panicked")
	v, err := answer(t, next.Promise)
	require.NoError(t, err)
	require.Equal(t, 7, v)
	stopAndWait(t, s, pid)
}

func TestQueuedCallersAreAnsweredWhenTheActorEnds(t *testing.T) {
	giveUp := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	cases := map[string]struct {
		crash bool
		end   func(*actor.ActorSystem, *actor.PID)
		more  []actor.PropsOption
	}{
		"stop":                   {end: func(s *actor.ActorSystem, p *actor.PID) { s.Root.Stop(p) }},
		"poison":                 {end: func(s *actor.ActorSystem, p *actor.PID) { s.Root.Poison(p) }},
		"given up by supervisor": {crash: true, end: func(*actor.ActorSystem, *actor.PID) {}, more: []actor.PropsOption{actor.WithGuardian(giveUp)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSystem(t)
			stopped, ended := make(chan struct{}), make(chan struct{})
			pid := s.Root.Spawn(props(echo, guard.Options{OnStop: func() { close(stopped) }, OnEnd: func() { close(ended) }}, tc.more...))
			h := newHold(tc.crash)
			s.Root.Send(pid, h)
			<-h.entered
			var before, after []*ask
			for i := range 5 {
				before = append(before, send(s, pid, i))
			}
			tc.end(s, pid)
			for i := range 3 {
				a := &ask{Promise: guard.NewPromise[int](), n: i}
				s.Root.Send(pid, &actor.MessageEnvelope{Message: a})
				after = append(after, a)
			}
			close(h.release)
			_, err := answer(t, h.Promise)
			if tc.crash {
				require.ErrorIs(t, err, guard.ErrPanic)
			} else {
				require.NoError(t, err)
			}
			for _, a := range before {
				// Ahead of a pill they are handled, otherwise rejected: answered in any case.
				if _, err := answer(t, a.Promise); err != nil {
					require.ErrorIs(t, err, guard.ErrStopped)
				}
			}
			for _, a := range after {
				_, err := answer(t, a.Promise)
				require.ErrorIs(t, err, guard.ErrStopped)
			}
			<-stopped
			<-ended
			_, err = answer(t, send(s, pid, 1).Promise)
			require.ErrorIs(t, err, guard.ErrStopped, "and so are those who come later")
		})
	}
}

// parent has one child that holds up its stop.
func TestNoUserMessageIsHandledBetweenStoppingAndStopped(t *testing.T) {
	s := newSystem(t)
	childHold := newHold(false)
	stopping := make(chan struct{})
	stopped := make(chan struct{})
	var handled atomic.Int32
	pid := s.Root.Spawn(props(func(c actor.Context) {
		switch c.Message().(type) {
		case *actor.Started:
			child := c.Spawn(props(echo, guard.Options{}))
			c.Send(child, childHold)
		case *actor.Stopping:
			close(stopping)
		case *actor.Stopped:
			close(stopped)
		case *ask, string:
			handled.Add(1)
		}
	}, guard.Options{}))
	<-childHold.entered
	s.Root.Stop(pid)
	<-stopping
	s.Root.Send(pid, "no caller")
	_, err := answer(t, send(s, pid, 1).Promise)
	require.ErrorIs(t, err, guard.ErrStopped)
	close(childHold.release)
	<-stopped
	require.Zero(t, handled.Load())
}

func TestPanicsInTheLastMessagesDoNotHangTheParent(t *testing.T) {
	for _, when := range []string{"stopping", "stopped", "terminated", "all"} {
		t.Run(when, func(t *testing.T) {
			s := newSystem(t)
			var panics atomic.Int32
			child := props(func(c actor.Context) {
				switch c.Message().(type) {
				case *actor.Started:
					c.Spawn(props(echo, guard.Options{}))
				case *actor.Stopping:
					if when == "stopping" || when == "all" {
						panic(when)
					}
				case *actor.Stopped:
					if when == "stopped" || when == "all" {
						panic(when)
					}
				case *actor.Terminated:
					if when == "terminated" || when == "all" {
						panic(when)
					}
				}
			}, guard.Options{OnPanic: func(string, any, []byte) { panics.Add(1) }})
			ended := make(chan struct{})
			parent := s.Root.Spawn(props(func(c actor.Context) {
				switch c.Message().(type) {
				case *actor.Started:
					c.Spawn(child)
				case *actor.Stopped:
					close(ended)
				}
			}, guard.Options{}))
			s.Root.Stop(parent)
			<-ended
			require.Positive(t, panics.Load())
		})
	}
}

func TestRestartingPanicStillRestarts(t *testing.T) {
	s := newSystem(t)
	pid := s.Root.Spawn(props(func(c actor.Context) {
		if _, ok := c.Message().(*actor.Restarting); ok {
			panic("in restarting")
		}
		echo(c)
	}, guard.Options{}))
	_, err := answer(t, send(s, pid, -1).Promise)
	require.ErrorIs(t, err, guard.ErrPanic)
	v, err := answer(t, send(s, pid, 3).Promise)
	require.NoError(t, err)
	require.Equal(t, 3, v)
	stopAndWait(t, s, pid)
}

func TestNilProducerIsRefused(t *testing.T) {
	s := newSystem(t)
	require.Panics(t, func() {
		s.Root.Spawn(guard.Props(func() actor.Actor { return nil }, guard.Options{Name: "none"}))
	})
}
