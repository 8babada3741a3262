package actors

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// phases records what a subscriber was told.
type phases struct {
	mu   sync.Mutex
	list []string
}

func (p *phases) told(c messages.PhaseChange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, c.To.String())
}

func (p *phases) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.list...)
}

func newServingLifecycle(s *testStage, server FrontServer, wait, grace time.Duration) (*Lifecycle, *phases, func(crashes int)) {
	front := NewFront(FrontConfig{Server: server})
	s.spawn(front.Props(guard.Options{}))
	s.t.Cleanup(front.Stop)
	l := NewLifecycle(LifecycleConfig{Parts: []string{"rules"}, Front: front, Wait: wait, Grace: grace})
	pid := s.spawn(l.Props(guard.Options{}))
	told := &phases{}
	s.t.Cleanup(l.Subscribe(told.told))
	l.Warm()
	l.Ready("rules")
	synctest.Wait()
	return l, told, func(crashes int) {
		for range crashes {
			s.crash(pid)
		}
	}
}

func TestLifecycleTellsEveryPhaseInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		l, told, _ := newServingLifecycle(s, &fakeServer{}, 5*time.Second, 5*time.Second)
		require.Equal(t, messages.Serving, l.Phase())
		l.Unready("rules", "broken")
		synctest.Wait()
		require.Equal(t, messages.Degraded, l.Phase())
		require.Equal(t, "rules: broken", l.Snapshot().Reason)
		l.Ready("rules")
		synctest.Wait()
		l.Subscribe(func(messages.PhaseChange) { panic("a subscriber of bad manners") })
		drained, err := l.Drain(t.Context(), "SIGTERM")
		require.NoError(t, err)
		require.False(t, drained.Cut)
		l.Raise(messages.Stopped, "")
		require.Equal(t, []string{"starting", "warming", "serving", "degraded", "serving", "draining", "stopping", "stopped"}, told.all())
		require.Equal(t, messages.Stopped, l.AwaitServing(t.Context()))
	})
}

func TestDrainWithdrawsReadinessFirstAndClosesTheFrontAfterTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		server := &fakeServer{}
		l, _, _ := newServingLifecycle(s, server, 5*time.Second, 5*time.Second)
		begun := time.Now()
		done := make(chan error, 2)
		for range 2 { // two callers share one drain
			go func() { _, err := l.Drain(context.Background(), "SIGTERM"); done <- err }()
		}
		synctest.Wait()
		require.Equal(t, messages.Draining, l.Phase(), "at once")
		l.Unready("rules", "x")
		l.Ready("rules")
		synctest.Wait()
		require.Equal(t, messages.Draining, l.Phase(), "nothing flips it back")
		require.Zero(t, server.drains.Load(), "new work is still accepted")
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		require.Equal(t, 5*time.Second, time.Since(begun), "the wait, in virtual time")
		require.EqualValues(t, 1, server.drains.Load())
	})
}

func TestHurryEndsTheDrainWait(t *testing.T) {
	for name, before := range map[string]bool{"before the drain": true, "during the wait": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTestStage(t)
				l, _, _ := newServingLifecycle(s, &fakeServer{}, time.Hour, 5*time.Second)
				begun := time.Now()
				if before {
					l.Hurry()
				}
				done := make(chan error)
				go func() { _, err := l.Drain(context.Background(), "SIGTERM"); done <- err }()
				synctest.Wait()
				l.Hurry()
				l.Hurry()
				require.NoError(t, <-done)
				require.Zero(t, time.Since(begun))
			})
		})
	}
}

func TestDrainSurvivesCrashesOfTheLifecycleActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		server := &fakeServer{}
		l, told, crashes := newServingLifecycle(s, server, 5*time.Second, 5*time.Second)
		begun := time.Now()
		done := make(chan error, 1)
		go func() { _, err := l.Drain(context.Background(), "SIGTERM"); done <- err }()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		crashes(1)
		time.Sleep(time.Second)
		crashes(1)
		require.NoError(t, <-done)
		require.Equal(t, 5*time.Second, time.Since(begun), "the wait goes on where it was")
		require.Equal(t, []string{"starting", "warming", "serving", "draining", "stopping"}, told.all())
		require.EqualValues(t, 1, server.drains.Load())
	})
}

func TestLifecycleWithoutAnActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{}
		front := NewFront(FrontConfig{Server: server})
		l := NewLifecycle(LifecycleConfig{Parts: []string{"rules"}, Front: front, Wait: 5 * time.Second, Grace: time.Second})
		told := &phases{}
		defer l.Subscribe(told.told)()
		l.Warm()
		l.Ready("rules")
		require.Equal(t, messages.Serving, l.Phase(), "reports are applied where they are")
		l.Unready("rules", "restarted too often")
		require.Equal(t, messages.Degraded, l.Phase())

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := l.Drain(ctx, "SIGTERM")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, "answered within its context")
		require.Equal(t, messages.Draining, l.Phase(), "and readiness is withdrawn")
		_, err = l.Drain(t.Context(), "SIGTERM")
		require.NoError(t, err)
		require.EqualValues(t, 1, server.drains.Load())
		require.Equal(t, []string{"starting", "warming", "serving", "degraded", "draining", "stopping"}, told.all())
	})
}

func TestWatchdogWithdrawsLivenessOnlyWhenNoTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		l, _, _ := newServingLifecycle(s, &fakeServer{}, 0, 0)
		stop := l.Watch(5 * time.Second)
		time.Sleep(10 * time.Minute)
		require.True(t, l.Live())

		release := make(chan struct{})
		free := sync.OnceFunc(func() { close(release) })
		t.Cleanup(free)
		stuck := l.Subscribe(func(c messages.PhaseChange) {
			if c.To == messages.Degraded {
				<-release // holds the actor's turn
			}
		})
		l.Unready("rules", "x")
		time.Sleep(WatchdogLimit - 6*time.Second)
		require.True(t, l.Live())
		time.Sleep(6 * time.Second)
		require.False(t, l.Live())
		free()
		time.Sleep(6 * time.Second)
		require.True(t, l.Live())
		stuck()
		stop()
		time.Sleep(time.Hour)
		require.False(t, l.Live(), "nobody asks any more")
	})
}

// A report that waits for an actor which ends is overtaken by later ones that are applied
// without it, and changes nothing when it arrives, also where those said nothing new.
func TestAReportDoesNotOvertakeALaterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLifecycle(LifecycleConfig{Parts: []string{"rules", "model"}})
		newTestStage(t).spawn(l.Props(guard.Options{}))
		l.Warm()
		l.Ready("rules")
		l.Ready("model")
		synctest.Wait()
		release := make(chan struct{})
		l.Subscribe(func(c messages.PhaseChange) {
			if c.To == messages.Degraded {
				<-release // holds the actor's turn
			}
		})
		l.Unready("rules", "held")
		synctest.Wait()
		l.Unready("rules", "waits")
		l.Unready("model", "waits")
		l.at.Store(nil) // as when the actor begins to stop
		l.Ready("rules")
		l.Ready("model")
		require.Equal(t, messages.Serving, l.Phase())
		close(release)
		synctest.Wait()
		require.Equal(t, messages.Serving, l.Phase(), l.Snapshot().Reason)
	})
}

func TestAwaitServingEndsWithItsContext(t *testing.T) {
	l := NewLifecycle(LifecycleConfig{Parts: []string{"model"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, messages.Starting, l.AwaitServing(ctx))
}
