package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// ErrModelHangs is why an attempt to load was given up: a file system or a call into the
// runtime has not answered, which cannot be taken back and may never end.
var ErrModelHangs = errors.New("models cannot be loaded")

// loadTime is far above what loading takes: a gigabyte of weights from a slow share, read,
// hashed and proved on a fraction of a CPU. To give up what would have come is worse than
// to wait for what never does, for the next attempt takes as long.
const loadTime = 5 * time.Minute

// loadOverdue ends the time of one attempt to load.
type loadOverdue struct {
	guard.Quiet
	of *modelsLoaded
}

// overdue gives up an attempt that has not ended. What it brings after all is closed by
// its own goroutine; see load.
func (p *poolActor) overdue(m *loadOverdue) {
	if m.of != p.awaited {
		return
	}
	err := fmt.Errorf("%w: not ended after %v", ErrModelHangs, p.h.cfg.LoadTime)
	p.cancelLoad(err)
	p.cancelLoad, p.awaited = nil, nil
	p.loadFailed(err)
}

// openModelsAlone is openModels once no earlier call of it is under way: one that hangs
// is not joined by another at every attempt, whatever becomes of the actor.
func (h *ModelPool) openModelsAlone(ctx context.Context) ([]*model, error) {
	select {
	case h.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-h.opening }()
	return h.openModels(ctx)
}
