package supervision

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// chaosTime is how long actors are killed. SALLYPORT_CHAOS (a duration) makes it
// longer than suits an ordinary run.
func chaosTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("SALLYPORT_CHAOS")
	if text == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

// Every actor, the root included, is crashed and stopped at random under load:
// every caller is answered, no refusal turns into a pass, and after the end no
// goroutine is left.
func TestChaos(t *testing.T) {
	r := newRig(t)
	r.cfg.Budgets = Budgets{Drain: 0, Grace: time.Second, Cleanup: 5 * time.Second}
	// Back soon, so that there is something to kill.
	r.cfg.Backoff = guard.Backoff{Min: time.Millisecond, Max: 5 * time.Millisecond}
	tree := r.start()
	ctx, cancel := context.WithTimeout(context.Background(), chaosTime(t))
	defer cancel()

	var calls, errs, hung, wrong atomic.Int64
	outcome := func(err error) {
		calls.Add(1)
		switch {
		case err == nil:
		case errors.Is(err, context.DeadlineExceeded):
			hung.Add(1)
		default:
			errs.Add(1)
		}
	}
	tuple := tree.Rules.Current()
	set := testSet()
	load := func(n uint64) {
		rnd := rand.New(rand.NewPCG(7, n))
		for i := byte(0); ctx.Err() == nil; i++ {
			call, done := context.WithTimeout(context.Background(), 30*time.Second)
			key := messages.TraceKey{byte(rnd.IntN(8)), byte(n)}
			ev := &rules.Event{Method: "tools/call", Tool: "read", Now: time.Now()}
			_, err := tree.Traces.Advance(call, key, set, set.Match(ev), rules.AdvanceInfo{ID: [16]byte{i}, Now: ev.Now})
			outcome(err)
			tree.Traces.Settle(key, [16]byte{i}, err == nil)
			v, err := tree.Gate.Check(call, &decision.Exchange{Method: "deny"})
			outcome(err)
			if err == nil && !v.Denied() {
				wrong.Add(1)
			}
			tools := []messages.ToolPin{{Name: "t", Hash: messages.PinHash{byte(n)}}}
			found, err := tree.Pins.Observe(call, "service", tools, ev.Now)
			outcome(err)
			if err == nil && n > 0 && len(found) == 0 && i > 0 {
				wrong.Add(1) // a drift was forgotten
			}
			if i%16 == 0 {
				_, err = tree.Rules.Reload(call, "chaos")
				outcome(err)
				outcome(tree.Audit.Flush(call))
			}
			_ = tree.Audit.Append(&audit.Record{Event: audit.EventShed})
			tree.Health.Record(decision.ScannerContent, messages.OutcomeOK)
			if now := tree.Rules.Current(); now == nil || now.Version != tuple.Version {
				wrong.Add(1)
			}
			done()
		}
	}
	// The first sight of the tool is by caller 0, before the others start.
	_, err := tree.Pins.Observe(ctx, "service", []messages.ToolPin{{Name: "t"}}, time.Now())
	require.NoError(t, err)
	var wg sync.WaitGroup
	for n := range uint64(6) {
		wg.Go(func() { load(n) })
	}
	kills := 0
	victims := append(r.names(), "root")
	wg.Go(func() {
		rnd := rand.New(rand.NewPCG(8, 8))
		pause := time.NewTicker(3 * time.Millisecond)
		defer pause.Stop()
		for ctx.Err() == nil {
			name := victims[rnd.IntN(len(victims))]
			switch {
			case name == "root" && rnd.IntN(20) > 0:
				continue // its own limit is ten in ten seconds
			case name != "root" && rnd.IntN(3) == 0:
				r.send(name, quit{})
			default:
				r.send(name, crash{})
			}
			kills++
			<-pause.C
		}
	})
	wg.Wait()
	t.Logf("%d calls, %d answered with an error, %d kills", calls.Load(), errs.Load(), kills)
	require.Zero(t, hung.Load(), "a caller hangs")
	require.Zero(t, wrong.Load(), "a wrong answer")
	require.Positive(t, errs.Load())
	require.Greater(t, calls.Load(), errs.Load())
	require.Positive(t, kills)

	end, done := context.WithTimeout(context.Background(), 30*time.Second)
	defer done()
	_ = tree.Stop(end) // audit lines may well be lost here
	require.Equal(t, messages.Stopped, tree.Lifecycle.Phase())
	answeredAfterTheEnd(t, tree)
}
