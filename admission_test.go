package sallyport

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func noGauge(int64, int64) {}

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
				a := newAdmission(c.exchanges, c.bytes, noGauge)
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
		a := newAdmission(1, 1<<20, noGauge)
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
	a := newAdmission(2, 100, noGauge)
	require.Empty(t, a.enter(context.Background(), 1000), "oversize is the parser's to refuse")
	a.leave(1000)
}

func TestAdmissionHonoursTheCaller(t *testing.T) {
	a := newAdmission(1, 100, noGauge)
	require.Empty(t, a.enter(context.Background(), 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NotEmpty(t, a.enter(ctx, 1))
}
