package guard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestPromiseFirstOutcomeWins(t *testing.T) {
	first := errors.New("first")
	p := guard.NewPromise[string]()
	require.False(t, p.Settled())
	p.Reject(first)
	require.False(t, p.Resolve("late"))
	p.Reject(errors.New("later"))
	v, err := p.Await(t.Context())
	require.ErrorIs(t, err, first)
	require.Empty(t, v)
	require.True(t, p.Settled())

	p = guard.NewPromise[string]()
	require.True(t, p.Resolve("v"))
	p.Reject(first)
	v, err = p.Await(t.Context())
	require.NoError(t, err)
	require.Equal(t, "v", v)
}

func TestPromiseRacingOutcomesReachEveryWaiterAlike(t *testing.T) {
	for range 200 {
		p := guard.NewPromise[int]()
		var winners atomic.Int32
		var wg sync.WaitGroup
		seen := make([]int, 8)
		for i := range seen {
			wg.Go(func() {
				v, err := p.Await(context.Background())
				if err != nil {
					v = -1
				}
				seen[i] = v
			})
			wg.Go(func() {
				if i%2 == 0 {
					p.Reject(errors.New("no"))
				} else if p.Resolve(i) {
					winners.Add(1)
				}
			})
		}
		wg.Wait()
		require.LessOrEqual(t, winners.Load(), int32(1))
		for _, v := range seen {
			require.Equal(t, seen[0], v)
		}
	}
}

func TestPromiseAwaitEndsWithItsContext(t *testing.T) {
	cause := errors.New("caller left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	p := guard.NewPromise[int]()
	_, err := p.Await(ctx)
	require.ErrorIs(t, err, cause)
	p.Resolve(1)
	v, err := p.Await(ctx)
	require.NoError(t, err, "an outcome that is there beats an ended context")
	require.Equal(t, 1, v)
	<-p.Done()
}

func TestNilPromiseIsAMessageNobodyWaitsFor(t *testing.T) {
	var p *guard.Promise[int]
	require.False(t, p.Resolve(1))
	p.Reject(guard.ErrFull)
	require.False(t, p.Settled())
	require.Nil(t, p.Done())
	_, err := p.Await(t.Context())
	require.ErrorIs(t, err, guard.ErrDown)
	require.Equal(t, "promise(none)", p.String())
}

func TestPromiseHidesTheMessageThatEmbedsIt(t *testing.T) {
	const secret = "AKIA-very-secret"
	type message struct {
		*guard.Promise[string]
		Text  string
		Bytes []byte
	}
	m := &message{Promise: guard.NewPromise[string](), Text: secret, Bytes: []byte(secret)}
	m.Resolve(secret)
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("dead letter", "message", m)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&log, verb, m)
	}
	require.NotContains(t, log.String(), secret)
	require.NotContains(t, log.String(), fmt.Sprintf("%x", secret))
	require.NotContains(t, log.String(), "65 75 73 65")
	require.Contains(t, log.String(), "promise(settled)")
}
