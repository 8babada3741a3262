package actors

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/messages"
)

func TestLifecyclePhaseFollowsTheParts(t *testing.T) {
	now := time.Unix(1000, 0)
	v := messages.Lifecycle{Parts: []messages.Part{{Name: "rules", Reason: "not started"}, {Name: "model", Reason: "not started"}}}
	steps := []struct {
		event  any
		phase  messages.Phase
		reason string
	}{
		{messages.Ready{Part: "rules"}, messages.Starting, ""},
		{messages.Warm{}, messages.Warming, ""},
		{messages.Warm{}, messages.Warming, "model: not started"},
		{messages.Unready{Part: "model", Reason: "loading"}, messages.Warming, "model: loading"},
		{messages.Ready{Part: "model"}, messages.Serving, ""},
		{messages.Unready{Part: "rules", Reason: "restarted too often"}, messages.Degraded, "rules: restarted too often"},
		{messages.Unready{Part: "model", Reason: "lost"}, messages.Degraded, "rules: restarted too often"},
		{messages.Ready{Part: "rules"}, messages.Degraded, "model: lost"},
		{messages.Ready{Part: "model"}, messages.Serving, ""},
		{raise{messages.Serving, "not a final phase"}, messages.Serving, ""},
		{raise{messages.Draining, "SIGTERM"}, messages.Draining, "SIGTERM"},
		{messages.Unready{Part: "model", Reason: "lost"}, messages.Draining, "SIGTERM"},
		{messages.Ready{Part: "model"}, messages.Draining, "SIGTERM"},
		{messages.Warm{}, messages.Draining, "SIGTERM"},
		{raise{messages.Stopped, "done"}, messages.Stopped, "done"},
		{raise{messages.Draining, "late"}, messages.Stopped, "done"},
	}
	for i, s := range steps {
		now = now.Add(time.Second)
		before := v.Phase
		v, _ = advanceLifecycle(v, s.event, now)
		require.Equal(t, s.phase, v.Phase, "step %d: %+v", i, s.event)
		require.Equal(t, s.reason, v.Reason, "step %d: %+v", i, s.event)
		if before != v.Phase {
			require.Equal(t, now, v.Since, "step %d", i)
		}
	}
	v, changed := advanceLifecycle(v, "no event", now)
	require.False(t, changed)
	require.Equal(t, messages.Stopped, v.Phase)
}

// Whatever is reported in whatever order: a final phase is never left, Serving
// means that every part is ready, and a snapshot is never changed in place.
func TestLifecycleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := []string{"listeners", "rules", "model", "a late one"}
		v := messages.Lifecycle{Parts: []messages.Part{{Name: "listeners"}, {Name: "rules"}, {Name: "model"}}}
		now := time.Unix(0, 0)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			now = now.Add(time.Second)
			part := rapid.SampledFrom(parts).Draw(t, "part")
			event := rapid.SampledFrom([]any{
				messages.Warm{}, messages.Ready{Part: part}, messages.Ready{Part: part}, messages.Unready{Part: part, Reason: "r"},
				raise{rapid.SampledFrom([]messages.Phase{messages.Serving, messages.Draining, messages.Stopping}).Draw(t, "to"), "x"},
			}).Draw(t, "event")
			before, printed := v, fmt.Sprint(v)
			next, _ := advanceLifecycle(v, event, now)
			require.Equal(t, printed, fmt.Sprint(before), "changed in place")
			if before.Phase.Final() {
				require.GreaterOrEqual(t, next.Phase, before.Phase)
			}
			if next.Phase == messages.Serving {
				for _, p := range next.Parts {
					require.True(t, p.Ready, p.Name)
				}
			}
			require.False(t, before.Served && next.Phase == messages.Warming)
			v = next
		}
	})
}
