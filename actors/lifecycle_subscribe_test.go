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

// TestChangeBeforeUnsubscribeIsTold: a phase that is raised before an unsubscribe comes
// before it, whoever is quicker.
func TestChangeBeforeUnsubscribeIsTold(t *testing.T) {
	for name, raised := range map[string]func(*Lifecycle){
		"by one who has not come to tell": func(l *Lifecycle) { l.apply(raise{messages.Stopped, "test"}) },
		"by one who has left it to the holder of the subscribers": func(l *Lifecycle) {
			l.mu.Lock()
			l.Raise(messages.Stopped, "test")
			l.mu.Unlock() // and before it looks whether there is something to tell
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLifecycle(LifecycleConfig{})
			var seen []messages.Phase
			unsubscribe := l.Subscribe(func(c messages.PhaseChange) { seen = append(seen, c.To) })
			raised(l)
			unsubscribe()
			require.Equal(t, []messages.Phase{messages.Starting, messages.Stopped}, seen)
		})
	}
}
