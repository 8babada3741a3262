package sallyport

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/rules"
)

// canaryText is harmless and long enough for every scanner to have work.
const canaryText = "The quarterly report is attached. Revenue grew in the northern region while costs stayed level, and the team expects the same for the next quarter. Reference "

// canaryPatience is the last resort above the scanner timeout, which ends a canary like
// any exchange and may be longer than what the health actor gives one by default.
const canaryPatience = time.Minute

// canary sends a known text down the real path of a response and returns nil when
// every scanner answered. Its outcomes are recorded like those of any exchange,
// which is how a degraded engine without traffic notices that it works again. The
// text carries a fresh reference each time, so that no cache answers for the
// model.
func (e *Engine) canary(ctx context.Context) error {
	// Plain ASCII without quotes: its Go and JSON spellings are the same.
	text := strconv.Quote(canaryText + mint().ref)
	r := newRun(e, &Exchange{
		Phase: decision.Response, Method: "tools/call", Services: []string{"canary"},
		Body: []byte(`{"content":[{"type":"text","text":` + text + `}]}`),
	}, decision.Response)
	if r.tuple = e.tree().Rules.Current(); r.tuple == nil {
		return errors.New("canary: no rules are loaded")
	}
	r.policy = r.tuple.Extra.(*policy)
	r.profile = &r.policy.profiles.fallback
	if !r.parse(ctx) {
		return errors.New("canary: its own payload was refused")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, e.timeouts().scanner, errScannerTimeout)
	defer cancel()
	r.inspectResponse(ctx)
	e.canaryTrace(ctx, r)
	if len(r.in.Faults) > 0 {
		f := r.in.Faults[0]
		return fmt.Errorf("canary: %s could not decide: %s", f.Scanner, f.Kind)
	}
	for _, f := range r.in.Findings {
		if f.Severity == decision.Block {
			return fmt.Errorf("canary: %s took a harmless text for %s", f.Scanner, f.Category)
		}
	}
	return nil
}

// canaryKeys is how many trace keys canaries use, so that they reach every shard
// and never push a caller's key out.
const canaryKeys = 64

// canaryTrace asks one trace shard after the other for a turn.
func (e *Engine) canaryTrace(ctx context.Context, r *run) {
	began := e.now()
	key := e.ring.TraceKey("canary", strconv.Itoa(int(e.canaries.Add(1)%canaryKeys)))
	_, err := e.tree().Traces.Advance(ctx, key, r.tuple.Rules, rules.Matched{}, rules.AdvanceInfo{ID: r.id.key, Now: began})
	switch {
	case err == nil:
		e.rulesScanned(false, began)
	case ctx.Err() != nil:
		// What was before it took all the time: that says nothing about the shard.
		r.fault(decision.ScannerRules, e.interrupted(ctx, decision.ScannerRules, began, true), "trace shard")
	default:
		r.fault(decision.ScannerRules, decision.FaultDown, "trace shard")
		e.broken(decision.ScannerRules, began)
	}
}
