package messages

import (
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// DrainFront tells the front to close its listener and let accepted calls end
// within Grace; the promise is resolved when no call is left. A second one joins
// the first.
type DrainFront struct {
	*guard.Promise[Drained]
	Grace time.Duration
}

// CloseFront stops the server at once, cutting off what is still running.
type CloseFront struct{ guard.Quiet }
