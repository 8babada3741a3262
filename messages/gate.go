package messages

import (
	"context"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Check asks for the verdict on one exchange. Other actors of the same system
// send it to the gate, either with a promise or with themselves as the sender, who
// is then sent a *Checked.
type Check struct {
	*guard.Promise[decision.Verdict]
	// Exchange is not changed by the engine and must not be changed by the sender
	// until the answer.
	Exchange *decision.Exchange
	// Context ends the check early; nil is context.Background. The engine has its
	// own deadline in any case.
	Context context.Context //nolint:containedctx // it is the asking caller's, carried by the question
	// Tag comes back in Checked.
	Tag any
}

// Refusal is what a sender is told of a check that no gate took.
func (m *Check) Refusal(err error) any {
	if m.Promise != nil {
		return nil // it has heard
	}
	return &Checked{Err: err, Tag: m.Tag}
}

// Checked answers a Check that had a sender and no promise. It embeds Quiet
// because an asker that is gone is nobody's fault.
type Checked struct {
	guard.Quiet
	Verdict decision.Verdict
	// Err is set when there is no verdict; treat it as a refusal.
	Err error
	Tag any
}
