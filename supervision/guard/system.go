package guard

import (
	"context"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// deadLetterWindow is how long the library's throttle goroutine lives after it
// logged a dead letter. It is short because that goroutine cannot be stopped.
const deadLetterWindow = 10 * time.Millisecond

// NewSystem returns an actor system that logs to log (nil: nowhere) from Warn up
// and measures nothing. Below Warn the library prints dead letters and panic
// reasons, which can hold what a message carried.
//
// A system allocates about 3 MB; make one per process or embedding. It needs no
// shutdown once its actors are stopped: ActorSystem.Shutdown stops nothing.
func NewSystem(log *slog.Logger) *actor.ActorSystem {
	var h slog.Handler = slog.DiscardHandler
	if log != nil {
		h = atLeastWarn{log.Handler()}
	}
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(h) }),
		actor.WithDeadLetterThrottleInterval(deadLetterWindow),
		actor.WithDeadLetterRequestLogging(false),
	)
}

type atLeastWarn struct{ slog.Handler }

func (h atLeastWarn) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h atLeastWarn) WithAttrs(a []slog.Attr) slog.Handler {
	return atLeastWarn{h.Handler.WithAttrs(a)}
}

func (h atLeastWarn) WithGroup(name string) slog.Handler {
	return atLeastWarn{h.Handler.WithGroup(name)}
}
