package actors

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// checkBy answers by the method it is asked about.
func checkBy(ctx context.Context, e *decision.Exchange) decision.Verdict {
	switch e.Method {
	case "deny":
		return decision.Verdict{Outcome: decision.Deny}
	case "panic":
		panic("in check")
	case "wait":
		<-ctx.Done()
		return decision.Verdict{Outcome: decision.Error}
	}
	return decision.Verdict{Outcome: decision.Allow}
}

func TestGateAnswersEachCheckAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		g := NewGate(GateConfig{Check: checkBy})
		s.spawn(g.Props(guard.Options{}))
		ctx, cancel := context.WithCancel(t.Context())
		slow := make(chan error, 1)
		go func() { _, err := g.Check(ctx, &decision.Exchange{Method: "wait"}); slow <- err }()
		synctest.Wait()
		v, err := g.Check(t.Context(), &decision.Exchange{Method: "deny"})
		require.NoError(t, err)
		require.True(t, v.Denied(), "a slow check holds nobody up")
		_, err = g.Check(t.Context(), &decision.Exchange{Method: "panic"})
		require.ErrorIs(t, err, guard.ErrPanic)
		cancel()
		if err := <-slow; err != nil { // or a refusal, whichever was quicker
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestGateBoundsItsChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		g := NewGate(GateConfig{Check: checkBy, MaxChecks: 2})
		pid := s.spawn(g.Props(guard.Options{}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		waiting := make(chan error, 2)
		for range 2 {
			go func() { _, err := g.Check(ctx, &decision.Exchange{Method: "wait"}); waiting <- err }()
		}
		synctest.Wait()
		_, err := g.Check(t.Context(), &decision.Exchange{})
		require.ErrorIs(t, err, guard.ErrFull)
		s.crash(pid) // ends the checks of this incarnation
		require.NoError(t, <-waiting, "they still give their verdict")
		require.NoError(t, <-waiting)
		synctest.Wait()
		_, err = g.Check(t.Context(), &decision.Exchange{})
		require.NoError(t, err)
	})
}

func TestGateAnswersASender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		g := NewGate(GateConfig{Check: checkBy})
		s.spawn(g.Props(guard.Options{}))
		got := make(chan *messages.Checked, 2)
		s.spawn(guard.Props(func() actor.Actor {
			return actor.ReceiveFunc(func(c actor.Context) {
				switch m := c.Message().(type) {
				case *actor.Started:
					c.Request(g.PID(), &messages.Check{Exchange: &decision.Exchange{Method: "deny"}, Tag: "one"})
					c.Request(g.PID(), &messages.Check{Exchange: &decision.Exchange{Method: "panic"}, Tag: "two"})
				case *messages.Checked:
					got <- m
				}
			})
		}, guard.Options{}))
		for range 2 {
			switch m := <-got; m.Tag {
			case "one":
				require.NoError(t, m.Err)
				require.True(t, m.Verdict.Denied())
			case "two":
				require.ErrorIs(t, m.Err, guard.ErrPanic)
			default:
				t.Fatalf("unknown tag %v", m.Tag)
			}
		}
	})
}

// A sender hears of a check that nobody takes, too: it has no other way to learn of it.
func TestGateRefusesASender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		g := NewGate(GateConfig{Check: checkBy})
		gate := s.sys.Root.Spawn(g.Props(guard.Options{}))
		gone := g.PID()
		require.NoError(t, s.sys.Root.StopFuture(gate).Wait())
		got := make(chan *messages.Checked, 1)
		s.spawn(guard.Props(func() actor.Actor {
			return actor.ReceiveFunc(func(c actor.Context) {
				switch m := c.Message().(type) {
				case *actor.Started:
					c.Request(gone, &messages.Check{Exchange: &decision.Exchange{}, Tag: "gone"})
				case *messages.Checked:
					got <- m
				}
			})
		}, guard.Options{}))
		m := <-got
		require.ErrorIs(t, m.Err, guard.ErrStopped)
		require.Equal(t, "gone", m.Tag)
		require.Zero(t, m.Verdict)
	})
}
