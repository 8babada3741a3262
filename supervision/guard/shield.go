package guard

import (
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"
)

// shield is the actor the library sees. It keeps a panic in the last messages of
// an incarnation from stopping the stop.
type shield struct {
	inner  actor.Actor
	o      Options
	ending bool
}

// supervisingShield is a shield around an actor that decides about its children;
// the library finds that out with a type assertion.
type supervisingShield struct {
	shield
	strategy actor.SupervisorStrategy
}

func wrap(a actor.Actor, o Options) actor.Actor {
	if a == nil {
		panic("guard: actor " + o.Name + ": producer returned nil")
	}
	s := shield{inner: a, o: o}
	if strategy, ok := a.(actor.SupervisorStrategy); ok {
		return &supervisingShield{shield: s, strategy: strategy}
	}
	return &s
}

// Receive hands the message on, with a recover where a panic must not escape.
func (s *shield) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *actor.Stopping, *actor.Restarting:
		s.ending = true
		s.last(c)
	case *actor.Stopped:
		s.last(c)
	case *actor.Terminated:
		if s.ending {
			s.last(c)
			return
		}
		s.inner.Receive(c)
	default:
		s.inner.Receive(c)
	}
}

func (s *shield) last(c actor.Context) {
	defer func() {
		if r := recover(); r != nil {
			report(s.o, r, debug.Stack())
		}
	}()
	s.inner.Receive(c)
}

// HandleFailure is the inner actor's.
func (s *supervisingShield) HandleFailure(sys *actor.ActorSystem, sup actor.Supervisor, child *actor.PID,
	rs *actor.RestartStatistics, reason, message any) {
	s.strategy.HandleFailure(sys, sup, child, rs, reason, message)
}
