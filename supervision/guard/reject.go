package guard

import (
	"errors"

	"github.com/asynkron/protoactor-go/actor"
)

// The ways in which a message can fail to be handled. They are told apart with
// errors.Is.
var (
	// ErrFull means that the actor's queue was at its capacity; nothing was
	// enqueued.
	ErrFull = errors.New("mailbox full")
	// ErrPanic means that the actor panicked while it handled this message. The
	// message is never retried.
	ErrPanic = errors.New("actor panicked")
	// ErrStopped means that the actor stopped before it came to this message, or
	// that the message reached no actor.
	ErrStopped = errors.New("actor stopped")
	// ErrDown means that there is no actor to send to: it has not started yet, or
	// it waits for its respawn.
	ErrDown = errors.New("actor down")
)

// Rejecter is implemented by messages that somebody waits for, or that must be
// counted when they are lost. Reject is called at most a few times, from any
// goroutine, and must neither block nor panic. Only messages with a Reject
// method are shed when a mailbox is full.
type Rejecter interface{ Reject(error) }

// Refuser is implemented by messages that an actor may ask with Request, without a
// promise. Where such a message is lost, what Refusal returns is sent to the actor that
// asked; nil is not. Like Reject it must neither block nor panic.
type Refuser interface{ Refusal(error) any }

// Quiet is embedded by messages without a caller (ticks, reports) so that the
// library neither logs them nor starts its throttle goroutine when they reach no
// actor.
type Quiet struct{}

// IgnoreDeadLetterLogging is the library's marker for such messages.
func (Quiet) IgnoreDeadLetterLogging() {}

// reject tells whoever waits for message that it is lost. sys is where an asker is
// told; nil where there can be none.
func reject(sys *actor.ActorSystem, message any, err error) {
	var sender *actor.PID
	if env, ok := message.(*actor.MessageEnvelope); ok {
		message, sender = env.Message, env.Sender
	}
	if r, ok := message.(Rejecter); ok {
		r.Reject(err)
	}
	if r, ok := message.(Refuser); ok && sender != nil && sys != nil {
		if refusal := r.Refusal(err); refusal != nil {
			// A root of our own: a host may have put middleware on its.
			actor.NewRootContext(sys, nil).Send(sender, refusal)
		}
	}
}

func rejectable(message any) bool {
	if env, ok := message.(*actor.MessageEnvelope); ok {
		message = env.Message
	}
	_, ok := message.(Rejecter)
	return ok
}
