package supervision

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestStartAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var finished []string
		finish := func(name string) Step {
			return Step{name, func(context.Context) error { finished = append(finished, name); return nil }}
		}
		r.cfg.Finish = []Step{finish("telemetry"), finish("admin")}
		tree := r.start()
		require.Equal(t, messages.Serving, tree.Lifecycle.AwaitServing(t.Context()))
		require.NotNil(t, tree.Rules.Current())
		require.Contains(t, tree.Depths(), "trace")
		require.True(t, tree.Live())
		require.NoError(t, tree.Audit.Append(&audit.Record{Event: audit.EventStart}))

		begun := time.Now()
		report, err := tree.StopAndReport(t.Context())
		require.NoError(t, err)
		require.NoError(t, report.Err())
		require.NoError(t, tree.Stop(t.Context()), "a second one joins")
		require.Equal(t, 5*time.Second, time.Since(begun), "the drain wait and nothing more")
		require.Equal(t, []string{"drain", "front", "gate", "traces", "pins", "rules", "health", "audit", "telemetry", "admin", "supervisor"}, r.seen.steps)
		require.Equal(t, []string{"telemetry", "admin"}, finished)
		for _, s := range report.Steps {
			require.NoError(t, s.Err, s.Step)
		}
		require.Equal(t, []messages.Phase{messages.Warming, messages.Serving, messages.Draining, messages.Stopping, messages.Stopped}, r.seen.phases)
		require.True(t, r.sink.closed)
		require.Equal(t, 1, r.sink.lines)
		answeredAfterTheEnd(t, tree)
	})
}

// answeredAfterTheEnd: every handle answers at once although no actor is left.
func answeredAfterTheEnd(t *testing.T, tree *Tree) {
	t.Helper()
	ctx := context.Background() // no deadline: only an answer ends the wait
	_, err := tree.Rules.Reload(ctx, "late")
	require.ErrorIs(t, err, guard.ErrDown)
	_, err = tree.Traces.Advance(ctx, messages.TraceKey{}, testSet(), rules.Matched{}, rules.AdvanceInfo{})
	require.ErrorIs(t, err, guard.ErrDown)
	tree.Traces.Settle(messages.TraceKey{}, [16]byte{}, true)
	_, err = tree.Pins.Observe(ctx, "s", nil, time.Now())
	require.ErrorIs(t, err, guard.ErrDown)
	_, err = tree.Pins.Reload(ctx)
	require.ErrorIs(t, err, guard.ErrDown)
	require.ErrorIs(t, tree.Pins.Flush(ctx), guard.ErrDown)
	require.ErrorIs(t, tree.Audit.Append(&audit.Record{}), guard.ErrDown)
	require.ErrorIs(t, tree.Audit.Flush(ctx), guard.ErrDown)
	_, err = tree.Gate.Check(ctx, &decision.Exchange{})
	require.ErrorIs(t, err, guard.ErrDown)
	require.Nil(t, tree.Gate.PID())
	tree.Health.Record("content", messages.OutcomeError)
	tree.Health.Flush()
	require.Positive(t, tree.Health.Lost())
	_, err = tree.Drain(ctx)
	require.NoError(t, err)
	tree.Hurry()
	tree.Force()
	require.Equal(t, messages.Stopped, tree.Lifecycle.Phase())
}

type brokenStore struct{}

func (brokenStore) Load() ([]actors.Pin, error) {
	return nil, errors.New("pins.json: line 3: not a pin")
}
func (brokenStore) Save([]actors.Pin) error { return nil }

func TestStartFailsWithTheStepAndLeavesNothing(t *testing.T) {
	cases := map[string]struct {
		spoil func(*rig) context.Context
		want  string
	}{
		"address in use": {func(r *rig) context.Context {
			r.server.bind = errors.New("listen 127.0.0.1:9001: address already in use")
			return context.Background()
		}, "start front: listen 127.0.0.1:9001: address already in use"},
		"bad pack": {func(r *rig) context.Context {
			err := errors.New("load rules \"a.yaml\": 12:7: unknown field \"cal\"")
			r.broken.Store(&err)
			return context.Background()
		}, "start rules: load rules \"a.yaml\": 12:7: unknown field \"cal\""},
		"builder panics": {func(r *rig) context.Context {
			r.cfg.Rules.Build = func(context.Context) (*messages.Tuple, error) { panic("on this pack") }
			return context.Background()
		}, "start rules: build rules: actor panicked (string)"},
		"bad pins": {func(r *rig) context.Context {
			r.cfg.Pins.Store = brokenStore{}
			return context.Background()
		}, "start pins: pins.json: line 3: not a pin"},
		"told to stop while the rules load": {func(r *rig) context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			r.cfg.Rules.Build = func(build context.Context) (*messages.Tuple, error) {
				cancel()
				<-build.Done()
				return nil, build.Err()
			}
			return ctx
		}, "start rules: context canceled"},
		"no builder": {func(r *rig) context.Context {
			r.cfg.Rules.Build = nil
			return context.Background()
		}, "supervision: Rules.Build is required"},
		"negative budget": {func(r *rig) context.Context {
			r.cfg.Budgets.Grace = -1
			return context.Background()
		}, "supervision: Budgets.Grace is negative"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				ctx := tc.spoil(r)
				tree, err := Start(ctx, r.cfg)
				require.EqualError(t, err, tc.want)
				require.Nil(t, tree)
				require.NotContains(t, r.seen.phases, messages.Serving)
			})
		})
	}
}

func TestStartInTheSystemOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := guard.NewSystem(nil)
		type hello struct{ *guard.Promise[string] }
		receive := func(c actor.Context) {
			if m, ok := c.Message().(*hello); ok {
				m.Resolve("still here")
			}
		}
		pid, err := host.Root.SpawnNamed(guard.Props(func() actor.Actor { return actor.ReceiveFunc(receive) }, guard.Options{}), "host")
		require.NoError(t, err)

		r := newRig(t)
		r.cfg.System = host
		tree := r.serve()
		require.Same(t, host, tree.sys)

		second := newRig(t)
		second.cfg.System = host
		_, err = Start(t.Context(), second.cfg)
		require.ErrorIs(t, err, actor.ErrNameExists, "one tree a name")
		third := newRig(t)
		third.cfg.System, third.cfg.Name = host, "another"
		other := third.serve()

		// An actor of the host asks the gate with itself as the sender.
		answers := make(chan *messages.Checked, 1)
		asker, err := host.Root.SpawnNamed(guard.Props(func() actor.Actor {
			return actor.ReceiveFunc(func(c actor.Context) {
				switch m := c.Message().(type) {
				case *actor.Started:
					c.Request(tree.Gate.PID(), &messages.Check{Exchange: &decision.Exchange{Method: "deny"}, Tag: 7})
				case *messages.Checked:
					answers <- m
				}
			})
		}, guard.Options{}), "asker")
		require.NoError(t, err)
		answer := <-answers
		require.NoError(t, answer.Err)
		require.True(t, answer.Verdict.Denied())
		require.Equal(t, 7, answer.Tag)

		require.NoError(t, tree.Stop(t.Context()))
		require.Equal(t, messages.Serving, other.Lifecycle.Phase())
		m := &hello{Promise: guard.NewPromise[string]()}
		host.Root.Send(pid, m)
		said, err := m.Await(t.Context())
		require.NoError(t, err)
		require.Equal(t, "still here", said)
		host.Root.Stop(asker)
		host.Root.Stop(pid)
	})
}
