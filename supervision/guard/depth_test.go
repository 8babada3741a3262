package guard

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
)

// ahead is the library's queue in the moment in which the actor has taken a message
// that its sender has not counted yet.
type ahead struct{ actor.Mailbox }

func (ahead) RegisterHandlers(actor.MessageInvoker, actor.Dispatcher) {}
func (ahead) UserMessageCount() int                                   { return -1 }

// An actor that does something when nothing else waits asks whether Len is zero; with
// any other number the last message of all would be taken for one of several.
func TestDepthOfAQueueThatIsEmptyIsZero(t *testing.T) {
	depth := new(Depth)
	(&box{Mailbox: ahead{}, o: Options{Depth: depth}}).RegisterHandlers(nil, nil)
	require.Zero(t, depth.Len())
}
