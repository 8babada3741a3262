package guard

import (
	"strings"

	"github.com/asynkron/protoactor-go/actor"
)

// DeadLetters answers, with ErrStopped, every message with a caller that reached
// no actor of s. It runs on the sender's goroutine.
//
// In a system that is shared with a host, name the id prefixes of our own actors
// so that the host's dead letters are left alone; with none every dead letter of
// the system is answered. The returned function ends the subscription.
func DeadLetters(s *actor.ActorSystem, prefixes ...string) (unsubscribe func()) {
	sub := s.EventStream.Subscribe(func(event any) {
		d, ok := event.(*actor.DeadLetterEvent)
		if !ok || !ours(d.PID, prefixes) {
			return
		}
		reject(s, &actor.MessageEnvelope{Message: d.Message, Sender: d.Sender}, ErrStopped)
	})
	return func() { s.EventStream.Unsubscribe(sub) }
}

func ours(pid *actor.PID, prefixes []string) bool {
	if len(prefixes) == 0 || pid == nil {
		return true
	}
	for _, p := range prefixes {
		if strings.HasPrefix(pid.Id, p) {
			return true
		}
	}
	return false
}
