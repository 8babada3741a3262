package supervision

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestEveryActorComesBackFromACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		tuple := tree.Rules.Current()
		for _, name := range r.names() {
			r.send(name, crash{})
			synctest.Wait()
			r.send(name, quit{})
			synctest.Wait()
			time.Sleep(time.Second) // the back-off
			synctest.Wait()
		}
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase(), "one crash withdraws nothing")
		require.Same(t, tuple, tree.Rules.Current(), "the tuple in force outlives its owner")
		for label := range tree.Depths() {
			require.Positive(t, r.seen.count(label), label)
		}
		_, err := tree.Rules.Reload(t.Context(), "test")
		require.NoError(t, err)
		_, err = tree.Traces.Advance(t.Context(), messages.TraceKey{}, testSet(), rules.Matched{}, rules.AdvanceInfo{})
		require.NoError(t, err)
		_, err = tree.Pins.Observe(t.Context(), "s", nil, time.Now())
		require.NoError(t, err)
		require.NoError(t, tree.Audit.Flush(t.Context()))
	})
}

func TestRestartLimitWithdrawsReadinessUntilTheActorHolds(t *testing.T) {
	for _, name := range []string{"rules", "trace-1", "lifecycle", "front", "health"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				tree := r.serve()
				for range MaxRestarts {
					r.send(name, crash{})
					synctest.Wait()
				}
				require.Equal(t, messages.Serving, tree.Lifecycle.Phase(), "up to the limit")
				r.send(name, crash{})
				synctest.Wait()
				require.Equal(t, messages.Degraded, tree.Lifecycle.Phase())
				require.Equal(t, "actor "+name+": restarted 11 times in 1m0s", tree.Lifecycle.Snapshot().Reason)
				require.True(t, tree.Live(), "liveness stays")
				require.NotNil(t, tree.Rules.Current())

				time.Sleep(200 * time.Millisecond) // the first back-off at most
				synctest.Wait()
				time.Sleep(RestartWindow - time.Second)
				synctest.Wait()
				require.Equal(t, messages.Degraded, tree.Lifecycle.Phase(), "it must hold for a minute")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				require.Equal(t, messages.Serving, tree.Lifecycle.Phase(), tree.Lifecycle.Snapshot().Reason)
			})
		})
	}
}

func TestAnActorThatNeverStartsBacksOffAndHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		stop := make(chan struct{})
		go func() { // panics as soon as it is back, for ten minutes
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
					r.send("pins", crash{})
				}
			}
		}()
		time.Sleep(10 * time.Minute)
		close(stop)
		synctest.Wait()
		n := r.seen.count("pins")
		// Ten at once, then one a back-off of at most ten seconds and at least five.
		require.Greater(t, n, 60)
		require.Less(t, n, 250)
		require.Equal(t, messages.Degraded, tree.Lifecycle.Phase())
		_, err := tree.Rules.Reload(t.Context(), "others go on")
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase(), tree.Lifecycle.Snapshot().Reason)
	})
}

func TestShardPanicCostsItsKeysOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		set := testSet()
		call := func(key messages.TraceKey, tool string, id byte) []rules.Hit {
			ev := &rules.Event{Method: "tools/call", Tool: tool, Now: time.Now()}
			hits, err := tree.Traces.Advance(t.Context(), key, set, set.Match(ev), rules.AdvanceInfo{ID: [16]byte{id}, Now: time.Now()})
			require.NoError(t, err)
			tree.Traces.Settle(key, [16]byte{id}, true)
			return hits
		}
		lost, kept := messages.TraceKey{0}, messages.TraceKey{1} // shards 0 and 1
		call(lost, "read", 1)
		call(kept, "read", 2)
		synctest.Wait()
		require.Equal(t, 2, tree.Traces.Keys())
		r.send("trace-0", crash{})
		synctest.Wait()
		require.Equal(t, 1, r.seen.lostKeys)
		require.Equal(t, 1, tree.Traces.Keys())
		require.Empty(t, call(lost, "send", 3), "starts afresh")
		hits := call(kept, "send", 4)
		require.Len(t, hits, 1)
		require.Equal(t, "read-then-send", hits[0].Rule)
	})
}

func TestRootCrashRebuildsTheTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		tuple := tree.Rules.Current()
		r.send("root", crash{})
		synctest.Wait()
		require.Same(t, tuple, tree.Rules.Current())
		_, err := tree.Rules.Reload(t.Context(), "after the crash")
		require.NoError(t, err)
		require.NoError(t, tree.Audit.Flush(t.Context()))
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase())
	})
}

func TestRootThatGivesUpIsNotServingUntilANewOneHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		tuple := tree.Rules.Current()
		r.send("root", quit{})
		synctest.Wait()
		require.Equal(t, messages.Degraded, tree.Lifecycle.Phase())
		require.Equal(t, "supervisor: gave up", tree.Lifecycle.Snapshot().Reason)
		_, err := tree.Rules.Reload(t.Context(), "meanwhile")
		require.ErrorIs(t, err, guard.ErrDown)
		require.Same(t, tuple, tree.Rules.Current())

		time.Sleep(time.Second)
		synctest.Wait()
		_, err = tree.Rules.Reload(t.Context(), "back")
		require.NoError(t, err)
		require.Equal(t, messages.Degraded, tree.Lifecycle.Phase(), "it must hold for a minute")
		time.Sleep(RestartWindow)
		synctest.Wait()
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase(), tree.Lifecycle.Snapshot().Reason)
	})
}

func TestStopWhileTheRootIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		r.send("root", quit{})
		synctest.Wait()
		require.NoError(t, tree.Stop(t.Context()))
		require.Equal(t, messages.Stopped, tree.Lifecycle.Phase())
		require.True(t, r.sink.closed)
		answeredAfterTheEnd(t, tree)
	})
}

func TestReloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tree := r.serve()
		v1 := tree.Rules.Current()
		broken := errors.New("load rules \"v2.yaml\": 3:1: unknown field \"rulez\"")
		r.broken.Store(&broken)
		report, err := tree.Rules.Reload(t.Context(), "SIGHUP")
		require.ErrorIs(t, err, broken)
		require.False(t, report.Changed)
		require.Same(t, v1, tree.Rules.Current(), "the old rules still decide")
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase())
		r.broken.Store(nil)
		_, err = tree.Rules.Reload(t.Context(), "SIGHUP")
		require.NoError(t, err)
		require.EqualValues(t, 2, tree.Rules.Current().Generation)
		require.Len(t, r.seen.reloads, 3, "start, the failure, the success")
		require.ErrorIs(t, r.seen.reloads[1].Err, broken)
	})
}

// The whole way from a scanner's outcomes to readiness and back.
func TestDegradationReachesReadinessAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var works atomic.Bool
		r.cfg.Health.Canary = func(context.Context) error {
			kind := messages.OutcomeError
			if works.Load() {
				kind = messages.OutcomeOK
			}
			r.tree.Health.Record(decision.ScannerContent, kind)
			if kind != messages.OutcomeOK {
				return errors.New("canary failed")
			}
			return nil
		}
		tree := r.serve()
		for range 20 {
			tree.Health.Record(decision.ScannerContent, messages.OutcomeError)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, messages.Degraded, tree.Lifecycle.Phase(), "within a second")
		require.Equal(t, "degradation: content: 20 of the last 20 runs failed", tree.Lifecycle.Snapshot().Reason)
		r.send("health", crash{})
		r.send("lifecycle", crash{})
		synctest.Wait()
		require.Equal(t, messages.Degraded, tree.Lifecycle.Phase(), "whoever crashes")
		works.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, messages.Serving, tree.Lifecycle.Phase())
		require.Equal(t, []bool{true, false}, r.seen.health)
	})
}

// An actor that panics in Started is restarted up to the limit, then backs off; the
// start waits for nothing of it but what it must.
func TestRootThatCannotStartFailsTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		decorate := r.cfg.decorate
		r.cfg.decorate = func(name string, p *actor.Props) *actor.Props {
			if name == "lifecycle" {
				panic("in the root's turn")
			}
			return decorate(name, p)
		}
		_, err := Start(t.Context(), r.cfg)
		require.ErrorIs(t, err, guard.ErrDown)
		require.ErrorContains(t, err, "start actors")
	})
}
