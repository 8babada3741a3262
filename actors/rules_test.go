package actors

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// builder is a tuple builder whose every call waits to be told what to return.
type builder struct {
	calls chan buildCall
	live  atomic.Int32
}

type buildCall struct {
	ctx   context.Context //nolint:containedctx // what the builder was given
	reply chan<- func() (*messages.Tuple, error)
}

func newBuilder() *builder { return &builder{calls: make(chan buildCall)} }

func (b *builder) build(ctx context.Context) (*messages.Tuple, error) {
	b.live.Add(1)
	defer b.live.Add(-1)
	reply := make(chan func() (*messages.Tuple, error))
	b.calls <- buildCall{ctx, reply}
	return (<-reply)()
}

// next answers the next call.
func (b *builder) next(version string, err error) {
	c := <-b.calls
	c.reply <- func() (*messages.Tuple, error) {
		if version == "" {
			return nil, err
		}
		return &messages.Tuple{Version: version}, err
	}
}

type reloadLog struct{ reports []messages.ReloadReport }

func newTestRules(s *testStage) (*Rules, *builder, *reloadLog, func()) {
	b, log := newBuilder(), &reloadLog{}
	r := NewRules(RulesConfig{Build: b.build, BuildTimeout: 10 * time.Second, OnReload: func(rep messages.ReloadReport) {
		log.reports = append(log.reports, rep)
	}})
	pid := s.spawn(r.Props(guard.Options{}))
	return r, b, log, func() { s.crash(pid); synctest.Wait() }
}

type reloadResult struct {
	report messages.ReloadReport
	err    error
}

func reload(r *Rules, reason string) <-chan reloadResult {
	out := make(chan reloadResult, 1)
	go func() {
		rep, err := r.Reload(context.Background(), reason)
		out <- reloadResult{rep, err}
	}()
	synctest.Wait()
	return out
}

func TestRulesKeepTheTupleInForceWhenABuildFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, log, _ := newTestRules(newTestStage(t))
		require.Nil(t, r.Current())
		first := reload(r, "start")
		b.next("v1", nil)
		require.NoError(t, (<-first).err)
		v1 := r.Current()
		require.EqualValues(t, 1, v1.Generation)

		bad := errors.New("load rules \"a.yaml\": 12:7: unknown field \"cal\"")
		second := reload(r, "SIGHUP")
		b.next("", bad)
		got := <-second
		require.ErrorIs(t, got.err, bad)
		require.Equal(t, "v1", got.report.Version)
		require.False(t, got.report.Changed)
		require.Same(t, v1, r.Current())

		same := reload(r, "SIGHUP")
		b.next("v1", nil)
		require.False(t, (<-same).report.Changed)
		third := reload(r, "SIGHUP")
		b.next("v2", nil)
		got = <-third
		require.NoError(t, got.err)
		require.Equal(t, messages.ReloadReport{Reason: "SIGHUP", Previous: "v1", Version: "v2", Generation: 3, Changed: true,
			At: got.report.At, Requests: 1}, got.report)
		synctest.Wait()
		require.Len(t, log.reports, 4, "every reload is reported")
	})
}

func TestRulesPartialSuccessComesIntoForceAndIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, _, _ := newTestRules(newTestStage(t))
		bad := errors.New("the pack is broken, the settings are not")
		done := reload(r, "SIGHUP")
		b.next("v1+settings2", bad)
		got := <-done
		require.ErrorIs(t, got.err, bad)
		require.True(t, got.report.Changed)
		require.Equal(t, "v1+settings2", r.Current().Version)
	})
}

func TestRulesCoalesceRequestsDuringABuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, log, _ := newTestRules(newTestStage(t))
		first := reload(r, "SIGHUP 1")
		var later []<-chan reloadResult
		for range 10 {
			later = append(later, reload(r, "SIGHUP n"))
		}
		require.EqualValues(t, 1, b.live.Load(), "one build at a time")
		b.next("v1", nil)
		require.Equal(t, "v1", (<-first).report.Version)
		b.next("v2", nil)
		for _, l := range later {
			got := <-l
			require.Equal(t, "v2", got.report.Version, "what changed during a build is in the next")
			require.Equal(t, 10, got.report.Requests)
		}
		synctest.Wait()
		require.Len(t, log.reports, 2)
		require.Zero(t, b.live.Load())
	})
}

func TestRulesBuildThatPanicsIsABadPack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, log, _ := newTestRules(newTestStage(t))
		done := reload(r, "SIGHUP")
		c := <-b.calls
		c.reply <- func() (*messages.Tuple, error) { panic("on this pack") }
		require.ErrorIs(t, (<-done).err, guard.ErrPanic)
		done = reload(r, "SIGHUP")
		b.next("", nil)
		require.ErrorIs(t, (<-done).err, errNoTuple)
		require.Nil(t, r.Current())
		synctest.Wait()
		require.Len(t, log.reports, 2)
	})
}

func TestRulesBuildThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, _, _ := newTestRules(newTestStage(t))
		done := reload(r, "SIGHUP")
		stuck := <-b.calls // never looks at its context
		got := <-done
		require.ErrorContains(t, got.err, "gave up after 10s")
		require.Error(t, stuck.ctx.Err(), "it was told")
		done = reload(r, "SIGHUP")
		b.next("v1", nil)
		require.NoError(t, (<-done).err)
		stuck.reply <- func() (*messages.Tuple, error) { return &messages.Tuple{Version: "late"}, nil }
		synctest.Wait()
		require.Equal(t, "v1", r.Current().Version, "a late result changes nothing")
	})
}

func TestRulesCrashDuringABuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, _, crash := newTestRules(newTestStage(t))
		done := reload(r, "start")
		b.next("v1", nil)
		<-done
		during := reload(r, "SIGHUP")
		waiting := reload(r, "SIGHUP")
		old := <-b.calls
		crash()
		require.ErrorIs(t, (<-during).err, guard.ErrStopped, "answered at once")
		require.ErrorIs(t, (<-waiting).err, guard.ErrStopped)
		require.Equal(t, "v1", r.Current().Version)
		after := reload(r, "SIGHUP")
		b.next("v3", nil)
		require.Equal(t, "v3", (<-after).report.Version)
		old.reply <- func() (*messages.Tuple, error) { return &messages.Tuple{Version: "v2"}, nil }
		synctest.Wait()
		require.Equal(t, "v3", r.Current().Version, "the old incarnation's build is not taken over")
	})
}

func TestRulesReloadEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, b, _, _ := newTestRules(newTestStage(t))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		answered := make(chan error)
		go func() { _, err := r.Reload(ctx, "SIGHUP"); answered <- err }()
		c := <-b.calls
		require.ErrorIs(t, <-answered, context.DeadlineExceeded)
		c.reply <- func() (*messages.Tuple, error) { return &messages.Tuple{Version: "v1"}, nil }
		synctest.Wait()
		require.Equal(t, "v1", r.Current().Version, "the build itself goes on")
		_, err := NewRules(RulesConfig{}).Reload(t.Context(), "no actor")
		require.ErrorIs(t, err, guard.ErrDown)
	})
}
