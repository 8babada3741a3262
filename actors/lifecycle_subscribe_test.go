package actors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
)

// TestChangeDuringSubscribeIsTold: a phase that changes while somebody subscribes
// or unsubscribes must still reach everyone; whoever waits for it would wait for
// ever.
func TestChangeDuringSubscribeIsTold(t *testing.T) {
	l := NewLifecycle(LifecycleConfig{})
	var seen []messages.Phase
	first := true
	unsubscribe := l.Subscribe(func(c messages.PhaseChange) {
		seen = append(seen, c.To)
		if first {
			first = false
			raised := make(chan struct{})
			go func() { l.Raise(messages.Draining, "test"); close(raised) }()
			<-raised // it has found the subscribers locked
		}
	})
	defer unsubscribe()
	require.Equal(t, []messages.Phase{messages.Starting, messages.Draining}, seen)
}
