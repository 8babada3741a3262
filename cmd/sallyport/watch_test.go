package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A burst of changes is one change, which counts when it is over; one that was taken
// back is none.
func TestFollowTellsOfAChangeOnceItIsOver(t *testing.T) {
	stamps := []string{"a", "a", "b", "c", "c", "c", "d", "c", "c", "gone", "gone", "c", "c", "e", "e"}
	told := []bool{false, false, false, false, true, false, false, false, false, false, true, false, true, false, true}
	ctx, cancel := context.WithCancel(t.Context())
	ticks, done := make(chan time.Time), make(chan struct{})
	at, calls := -1, make([]bool, len(stamps))
	go func() {
		defer close(done)
		follow(ctx, ticks, "a", func() string { at++; return stamps[at] }, func() { calls[at] = true })
	}()
	for range stamps {
		ticks <- time.Time{}
	}
	cancel()
	<-done
	require.Equal(t, told, calls)
}
