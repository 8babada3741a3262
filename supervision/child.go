package supervision

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func jitter() float64 { return rand.Float64() } //nolint:gosec // a delay is no secret

// spec is what the root knows of a child before it exists.
type spec struct {
	name  string // id below the root
	label string // for metrics: shards share one
	props func(guard.Options) *actor.Props
	depth *guard.Depth
	// cold actors wake seldom and get a fresh goroutine each time; the others run on
	// warm ones.
	cold bool
}

// child is what one incarnation of the root knows of one of its children.
type child struct {
	spec     spec
	pid      *actor.PID // nil while it is down
	failures []time.Time
	attempt  int    // respawns in a row
	gen      uint64 // changes with every failure and spawn
	over     bool   // went over the restart limit, and readiness with it
	retired  bool   // was asked to stop and stays down
	waiters  []*guard.Promise[struct{}]
}

// fail notes a failure at now and reports whether the child is over its limit.
func (c *child) fail(now time.Time) bool {
	c.failures = slices.DeleteFunc(c.failures, func(t time.Time) bool { return now.Sub(t) >= RestartWindow })
	c.failures = append(c.failures, now)
	return len(c.failures) > MaxRestarts
}

// part is the readiness part of a child over its limit.
func (c *child) part() string { return "actor " + c.spec.name }

func (c *child) reason() string {
	return fmt.Sprintf("restarted %d times in %s", len(c.failures), RestartWindow)
}
