//go:build chaos

package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// bomb panics in the turn of the actor that receives it, in the middle of its
// work: the library asks a message of this kind for an answer after the actor has
// seen it. So no actor needs a hook to be killed.
type bomb struct{}

// GetAutoResponse panics.
func (bomb) GetAutoResponse(actor.Context) any { panic("chaos") }

// sleeper holds up the turn of the actor that receives it.
type sleeper time.Duration

// GetAutoResponse sleeps. Nobody is told.
func (s sleeper) GetAutoResponse(actor.Context) any {
	<-time.After(time.Duration(s))
	return nil
}

// victims are the actors of the engine that runs in sys: the root, its children
// and the model's workers.
func victims(sys *actor.ActorSystem) []string {
	var ids []string
	for _, bucket := range sys.ProcessRegistry.LocalPIDs.LocalPIDs {
		for _, id := range bucket.Keys() {
			if strings.HasPrefix(id, "sallyport-") {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids) // the registry has no order, the seed needs one
	return ids
}

// role is the name of an actor without the numbers of its incarnation.
func role(id string) string {
	parts := strings.Split(id, "/")
	switch len(parts) {
	case 1:
		return "root"
	case 2:
		return parts[1]
	}
	kind, number, _ := strings.Cut(parts[2], "-")
	slot, _, _ := strings.Cut(number, "-")
	return kind + "-" + slot
}

// harm is one thing that was done to an actor.
type harm struct {
	id, what string
}

func (h harm) String() string { return fmt.Sprintf("%s %s", h.what, role(h.id)) }

// longestStall bounds a stalled turn, well under the watchdog's limit.
const longestStall = 1500 * time.Millisecond

// hurt does one thing to an actor.
func hurt(sys *actor.ActorSystem, id string, rnd *rand.Rand) harm {
	pid := actor.NewPID(sys.Address(), id)
	switch n := rnd.IntN(10); {
	case n < 5:
		sys.Root.Send(pid, bomb{})
		return harm{id, "panic of"}
	case n < 7:
		sys.Root.Stop(pid)
		return harm{id, "stop of"}
	default:
		d := time.Duration(rnd.Int64N(int64(longestStall)))
		sys.Root.Send(pid, sleeper(d))
		return harm{id, fmt.Sprintf("stall of %v of", d.Round(time.Millisecond))}
	}
}
