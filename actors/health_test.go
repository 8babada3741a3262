package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

var requiredScanners = []string{"content", "model", "rules"}

// healthLog records transitions.
type healthLog struct {
	mu   sync.Mutex
	list []bool
}

func (l *healthLog) add(v messages.HealthView) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, v.Degraded)
}

func (l *healthLog) all() []bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]bool(nil), l.list...)
}

func newTestHealth(s *testStage, cfg HealthConfig) (*Health, *healthLog, func()) {
	log := &healthLog{}
	cfg.Scanners, cfg.OnChange = requiredScanners, log.add
	h := NewHealth(cfg)
	pid := s.spawn(h.Props(guard.Options{}))
	return h, log, func() { s.crash(pid); synctest.Wait() }
}

func record(h *Health, scanner string, kind messages.OutcomeKind, n int) {
	for range n {
		h.Record(scanner, kind)
		h.Flush() // one at a time, in order
	}
	synctest.Wait()
}

func TestHealthDegradesStrictlyAboveTheRate(t *testing.T) {
	cases := map[string]struct {
		good, bad int
		degraded  bool
	}{
		"all good":                  {100, 0, false},
		"too few samples":           {0, 19, false},
		"enough samples":            {0, 20, true},
		"exactly half":              {50, 50, false},
		"one more than half":        {49, 51, true},
		"half of the least samples": {10, 10, false},
		"just above, few samples":   {9, 11, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, log, _ := newTestHealth(newTestStage(t), HealthConfig{})
				record(h, "model", messages.OutcomeOK, tc.good)
				record(h, "model", messages.OutcomeTimeout, tc.bad)
				require.Equal(t, tc.degraded, h.View().Degraded)
				if tc.degraded {
					require.Equal(t, []bool{true}, log.all())
					require.Contains(t, h.View().Reason, "model: ")
				} else {
					require.Empty(t, log.all())
				}
			})
		})
	}
}

func TestHealthyScannerCannotHideADeadOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, _ := newTestHealth(newTestStage(t), HealthConfig{})
		for range 20 {
			record(h, "content", messages.OutcomeOK, 10)
			record(h, "model", messages.OutcomeError, 1)
		}
		require.Less(t, h.View().All.Bad, h.View().All.Samples/5)
		require.True(t, h.View().Degraded)
	})
}

func TestHealthCountsAllScannersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _, _ := newTestHealth(newTestStage(t), HealthConfig{})
		record(h, "not a required one", messages.OutcomeError, 20)
		require.True(t, h.View().Degraded)
		require.Equal(t, "20 of the last 20 scanner runs failed", h.View().Reason)
	})
}

func TestHealthOutcomesArriveWithinTheirBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{})
		for range 200 {
			h.Record("model", messages.OutcomeError)
		}
		time.Sleep(batchTime)
		synctest.Wait()
		require.Equal(t, []bool{true}, log.all())
		require.Equal(t, messages.Ring{Samples: 100, Bad: 100}, h.View().Scanners["model"])
	})
}

// canaryWorld is a scanner that works or does not, as seen by canaries.
type canaryWorld struct {
	h     *Health
	works atomic.Bool
	sent  atomic.Int32
}

func (w *canaryWorld) canary(context.Context) error {
	w.sent.Add(1)
	if !w.works.Load() {
		w.h.Record("model", messages.OutcomeError)
		return errors.New("canary failed")
	}
	w.h.Record("model", messages.OutcomeOK)
	return nil
}

func TestHealthRecoversWithoutTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &canaryWorld{}
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{Canary: w.canary})
		w.h = h
		record(h, "model", messages.OutcomeError, 100)
		begun := time.Now()
		require.True(t, h.View().Degraded)
		time.Sleep(30 * time.Second)
		require.InDelta(t, 150, w.sent.Load(), 2, "five a second")
		require.Equal(t, []bool{true}, log.all(), "degraded while it does not work")
		w.works.Store(true)
		healed := time.Now()
		for h.View().Degraded {
			time.Sleep(50 * time.Millisecond)
			require.Less(t, time.Since(healed), time.Minute)
		}
		require.Equal(t, []bool{true, false}, log.all())
		// Half of the window must be good again, which takes ten seconds of canaries.
		require.InDelta(t, 10, time.Since(healed).Seconds(), 0.5)
		require.Greater(t, time.Since(begun), degradedMin)
		sent := w.sent.Load()
		time.Sleep(time.Minute)
		require.Equal(t, sent, w.sent.Load(), "no canaries while healthy")
	})
}

func TestHealthStaysDegradedForFiveSecondsAtLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &canaryWorld{}
		w.works.Store(true)
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{Canary: w.canary})
		w.h = h
		record(h, "model", messages.OutcomeError, 20)
		record(h, "model", messages.OutcomeOK, 80)
		time.Sleep(degradedMin - time.Millisecond)
		synctest.Wait()
		require.Equal(t, []bool{true}, log.all(), "twenty good canaries are not enough")
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, []bool{true, false}, log.all())
	})
}

func TestHealthWantsTenGoodCanariesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		var mu sync.Mutex
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{Canary: func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			n++
			if n%10 == 0 { // nine good ones, a bad one
				return errors.New("bad")
			}
			return nil
		}})
		record(h, "model", messages.OutcomeError, 20)
		record(h, "model", messages.OutcomeOK, 80)
		time.Sleep(time.Minute)
		require.Equal(t, []bool{true}, log.all())
	})
}

func TestHealthCanariesThatHangAreBoundedAndBad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var live, most atomic.Int32
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{CanaryTimeout: 3 * time.Second, Canary: func(ctx context.Context) error {
			most.Store(max(most.Load(), live.Add(1)))
			defer live.Add(-1)
			<-ctx.Done()
			return ctx.Err()
		}})
		record(h, "model", messages.OutcomeError, 20)
		record(h, "model", messages.OutcomeOK, 80)
		time.Sleep(time.Minute)
		require.EqualValues(t, canariesInFlight, most.Load())
		require.Equal(t, []bool{true}, log.all())
		// What is still under way ends with the actor.
	})
}

// A degradation survives the crash of its actor; its windows start empty.
func TestHealthCrashWhileDegraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &canaryWorld{}
		h, log, crash := newTestHealth(newTestStage(t), HealthConfig{Canary: w.canary})
		w.h = h
		record(h, "model", messages.OutcomeError, 20)
		since := h.View().Since
		crash()
		require.True(t, h.View().Degraded)
		require.Equal(t, since, h.View().Since)
		w.works.Store(true)
		time.Sleep(30 * time.Second)
		require.False(t, h.View().Degraded)
		require.Equal(t, []bool{true, false}, log.all())
	})
}

// TestLC10NoFlapping: a short blip does not flip, a sustained failure flips once, recovery flips back once; a failure
// rate that goes to and fro about the threshold flips at most once each way in each time that readiness must stay away.
func TestLC10NoFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &canaryWorld{}
		w.works.Store(true)
		h, log, _ := newTestHealth(newTestStage(t), HealthConfig{Canary: w.canary})
		w.h = h
		traffic := func(d time.Duration, bad func(i int) bool) {
			for i := range int(d / (100 * time.Millisecond)) {
				kind := messages.OutcomeOK
				if bad(i) {
					kind = messages.OutcomeTimeout
				}
				record(h, "model", kind, 1)
				time.Sleep(100 * time.Millisecond)
			}
		}
		never := func(int) bool { return false }
		traffic(20*time.Second, never)
		traffic(5*time.Second, func(i int) bool { return i%5 < 3 }) // 60 % for five seconds
		require.Empty(t, log.all(), "a short blip")
		w.works.Store(false)
		traffic(30*time.Second, func(int) bool { return true })
		require.Equal(t, []bool{true}, log.all())
		w.works.Store(true)
		traffic(time.Minute, never)
		require.Equal(t, []bool{true, false}, log.all())

		// Half of the runs fail, and now and then one more or one less than half.
		traffic(2*time.Minute, func(i int) bool { return i%2 == 0 || i%97 == 0 })
		near := log.all()[2:]
		require.LessOrEqual(t, len(near), 2*2*60/5, "%v", near)
		traffic(2*time.Minute, never)
		last := log.all()
		require.False(t, last[len(last)-1])
		for i, degraded := range last {
			require.Equal(t, i%2 == 0, degraded, "every transition is one")
		}
	})
}

func TestHealthWithoutAnActorCountsWhatItLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHealth(HealthConfig{})
		for range 100 {
			h.Record("model", messages.OutcomeError)
		}
		time.Sleep(time.Second)
		require.EqualValues(t, 100, h.Lost())
		require.False(t, h.View().Degraded)
	})
}

// The window agrees with counting over the tail of everything that was added.
func TestWindowProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 10).Draw(t, "size")
		w := newWindow(size)
		var all []bool
		for _, bad := range rapid.SliceOfN(rapid.Bool(), 0, 50).Draw(t, "outcomes") {
			w.add(bad)
			all = append(all, bad)
			tail := all[max(0, len(all)-size):]
			sum := 0
			for _, b := range tail {
				if b {
					sum++
				}
			}
			require.Equal(t, messages.Ring{Samples: len(tail), Bad: sum}, w.ring())
		}
	})
}

func BenchmarkHealthRecord(b *testing.B) {
	s := guard.NewSystem(nil)
	h := NewHealth(HealthConfig{Scanners: requiredScanners})
	pid := s.Root.Spawn(h.Props(guard.Options{Capacity: 1 << 20}))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			h.Record("content", messages.OutcomeOK)
		}
	})
	_ = s.Root.StopFuture(pid).Wait()
}
