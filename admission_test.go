package sallyport

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/telemetry"
)

func TestAdmissionShedsWhenFull(t *testing.T) {
	for name, c := range map[string]struct {
		exchanges   int
		bytes       int64
		first, next int
		shed        string
	}{
		"no place left": {exchanges: 1, bytes: 1 << 20, first: 10, next: 10, shed: "inflight"},
		"no bytes left": {exchanges: 9, bytes: 100, first: 60, next: 60, shed: "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdmission(c.exchanges, c.bytes, time.Now)
				require.Empty(t, a.enter(context.Background(), c.first))
				require.Equal(t, c.shed, a.enter(context.Background(), c.next))
				a.leave(c.first)
				require.Empty(t, a.enter(context.Background(), c.next))
				a.leave(c.next)
				require.Zero(t, a.inflight.Load())
				require.Zero(t, a.heldBytes.Load())
			})
		})
	}
}

func TestAdmissionAbsorbsAShortBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1, 1<<20, time.Now)
		require.Empty(t, a.enter(context.Background(), 1))
		got := make(chan string)
		go func() { got <- a.enter(context.Background(), 1) }()
		synctest.Wait()
		a.leave(1)
		require.Empty(t, <-got)
		a.leave(1)
	})
}

func TestAdmissionAdmitsMoreBytesThanTheBudgetAlone(t *testing.T) {
	a := newAdmission(2, 100, time.Now)
	require.Empty(t, a.enter(context.Background(), 1000), "oversize is the parser's to refuse")
	a.leave(1000)
}

func TestAdmissionHonoursTheCaller(t *testing.T) {
	a := newAdmission(1, 100, time.Now)
	require.Empty(t, a.enter(context.Background(), 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NotEmpty(t, a.enter(ctx, 1))
}

// entering starts n that ask for a place at once and returns where their answers come.
func entering(a *admission, n int) <-chan string {
	got := make(chan string, n)
	for range n {
		go func() { got <- a.enter(context.Background(), 1) }()
	}
	synctest.Wait()
	return got
}

func TestAdmissionKeepsNobodyWaitingInVainTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1, 1<<20, time.Now)
		require.Empty(t, a.enter(context.Background(), 1))

		burst := entering(a, 20)
		require.Empty(t, burst, "a burst waits, all of it")
		time.Sleep(admissionWait)
		synctest.Wait()
		require.Len(t, burst, 20)

		flood := entering(a, 20)
		require.Len(t, flood, 19, "one may hope, the others are told at once")
		time.Sleep(admissionWait)
		synctest.Wait()
		require.Len(t, flood, 20)

		time.Sleep(vainHold)
		require.Empty(t, entering(a, 20), "after a while it is a burst again")
		time.Sleep(admissionWait)
		synctest.Wait()
		a.leave(1)
	})
}

func TestAdmissionLineIsAsLongAsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places = 40
		a := newAdmission(places, 1<<20, time.Now)
		fill := func(n int) {
			for range n {
				require.Empty(t, a.enter(context.Background(), 1))
			}
		}
		fill(places)
		require.NotEmpty(t, a.enter(context.Background(), 1), "in vain")
		for range 20 {
			a.leave(1)
		}
		fill(20)
		time.Sleep(admissionWait)
		flood := entering(a, 30)
		require.Len(t, flood, 20, "twenty left within the wait, so ten may stand in line")
		for range 10 {
			a.leave(1)
		}
		synctest.Wait()
		require.Len(t, flood, 30)
		admitted := 0
		for range 30 {
			if <-flood == "" {
				admitted++
			}
		}
		require.Equal(t, 10, admitted, "everybody in line found a place")
		require.Zero(t, a.waiting.Load())
	})
}

// A caller who goes away says nothing about whether waiting is in vain.
func TestAdmissionOfACallerWhoLeftIsNotInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1, 100, time.Now)
		require.Empty(t, a.enter(context.Background(), 1))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.NotEmpty(t, a.enter(ctx, 1))
		require.Empty(t, entering(a, 5))
		time.Sleep(admissionWait)
	})
}

// TestAPlaceIsGivenBackWhenMemoryIsMissing: who is shed for its bytes keeps no place.
func TestAPlaceIsGivenBackWhenMemoryIsMissing(t *testing.T) {
	a := newAdmission(2, 10, time.Now)
	require.Empty(t, a.enter(t.Context(), 10))
	require.Equal(t, telemetry.ShedBytes, a.enter(t.Context(), 5))
	a.leave(10)
	require.Empty(t, a.enter(t.Context(), 1))
	require.Empty(t, a.enter(t.Context(), 1), "both places are free")
}

// What is shown of an engine that has nothing to do is nothing, whoever was the last to
// leave and whoever the last to say so.
func TestGaugesOfWhatIsInFlightEndAtZero(t *testing.T) {
	e, err := New(DefaultConfig())
	require.NoError(t, err)
	for range 200 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { e.CheckRequest(t.Context(), &Exchange{HasBody: true, Body: []byte("{}")}) })
		}
		wg.Wait()
		require.Zero(t, e.metrics.Inflight.Value())
		require.Zero(t, e.metrics.InflightBytes.Value())
	}
	require.Empty(t, e.admission.enter(t.Context(), 10))
	require.EqualValues(t, 1, e.metrics.Inflight.Value())
	require.EqualValues(t, 10, e.metrics.InflightBytes.Value())
}
