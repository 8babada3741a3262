package sallyport

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/inference"
)

// TestShutdownWaitsForTheHostsCalls: without a server of its own the engine still
// loses no call that has begun, and takes no new one.
func TestShutdownWaitsForTheHostsCalls(t *testing.T) {
	m := &wordModel{}
	e, trail := engineWith(t, m, func(c *Config) {
		c.Grace = 30 * c.Grace
		c.ScannerTimeout = c.Grace
		c.ExchangeTimeout = c.Grace
	})
	entered, release := make(chan struct{}), make(chan struct{})
	m.set(func(inference.RunControl) error {
		entered <- struct{}{}
		<-release
		return nil
	})
	answer := make(chan Verdict, 1)
	go func() { answer <- e.CheckResponse(context.Background(), result(harmless)) }()
	<-entered
	m.set(nil)
	stopped := make(chan error, 1)
	go func() { stopped <- e.Shutdown(context.Background()) }()
	for !e.closed() {
		require.Empty(t, stopped, "the shutdown must wait for the call in flight")
	}
	require.Equal(t, decision.Error, e.CheckResponse(context.Background(), result(harmless)).Outcome)
	close(release)
	require.Equal(t, decision.Allow, (<-answer).Outcome)
	require.NoError(t, <-stopped)
	allowed := 0
	for _, line := range trail.all() {
		if line.Outcome == "allow" {
			allowed++
		}
	}
	require.Equal(t, 1, allowed, "the line of the call in flight is in the trail")
}
