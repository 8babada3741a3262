package sallyport

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestAdmissionShedsWhenFull(t *testing.T) {
	for name, c := range map[string]struct {
		exchanges   int
		bytes       int64
		first, next int
	}{
		"no place left": {exchanges: 1, bytes: 1 << 20, first: 10, next: 10},
		"no bytes left": {exchanges: 9, bytes: 100, first: 60, next: 60},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdmission(c.exchanges, c.bytes)
				require.True(t, a.enter(context.Background(), c.first))
				require.False(t, a.enter(context.Background(), c.next))
				a.leave(c.first)
				require.True(t, a.enter(context.Background(), c.next))
				a.leave(c.next)
				require.Zero(t, a.inflight.Load())
				require.Zero(t, a.heldBytes.Load())
			})
		})
	}
}

func TestAdmissionAbsorbsAShortBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(1, 1<<20)
		require.True(t, a.enter(context.Background(), 1))
		got := make(chan bool)
		go func() { got <- a.enter(context.Background(), 1) }()
		synctest.Wait()
		a.leave(1)
		require.True(t, <-got)
		a.leave(1)
	})
}

func TestAdmissionAdmitsMoreBytesThanTheBudgetAlone(t *testing.T) {
	a := newAdmission(2, 100)
	require.True(t, a.enter(context.Background(), 1000), "oversize is the parser's to refuse")
	a.leave(1000)
}

func TestAdmissionHonoursTheCaller(t *testing.T) {
	a := newAdmission(1, 100)
	require.True(t, a.enter(context.Background(), 1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.False(t, a.enter(ctx, 1))
}
