package batch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCostKnowsNothingAtFirst(t *testing.T) {
	var c Cost
	c.Observe(0, 1, time.Second)
	c.Observe(1, 0, time.Second)
	c.Observe(10, 10, 0)
	require.Zero(t, c.Run(100))
	require.Zero(t, c.Drain(100, 2))
	require.Zero(t, c.Rate())
}

func TestCostLearnsFixedAndPerTokenPart(t *testing.T) {
	var c Cost
	for i := range 60 {
		n := 16 << (i % 4)
		c.Observe(n, n, 8*time.Millisecond+time.Duration(n)*time.Millisecond)
	}
	require.InDelta(t, 264, c.Run(256).Milliseconds(), 2)
	require.InDelta(t, 24, c.Run(16).Milliseconds(), 2)
}

func TestCostIsProportionalForOneLength(t *testing.T) {
	var c Cost
	for range 10 {
		c.Observe(100, 100, 50*time.Millisecond)
	}
	require.InDelta(t, 100, c.Run(200).Milliseconds(), 1)
	require.InDelta(t, 2000, c.Rate(), 1)
	require.InDelta(t, 500, c.Drain(2000, 2).Milliseconds(), 1)
}

func TestCostRateLeavesPaddingOut(t *testing.T) {
	var c Cost
	for range 10 {
		c.Observe(90, 100, 50*time.Millisecond)
	}
	require.InDelta(t, 1800, c.Rate(), 1)
	require.InDelta(t, 100, c.Run(200).Milliseconds(), 1)
	require.InDelta(t, 500, c.Drain(900, 1).Milliseconds(), 1)
}

func TestCostFollowsAChange(t *testing.T) {
	var c Cost
	for range 200 {
		c.Observe(100, 100, 10*time.Millisecond)
	}
	for range 60 {
		c.Observe(100, 100, 40*time.Millisecond)
	}
	require.InDelta(t, 40, c.Run(100).Milliseconds(), 3)
}

func TestCostIsNeverNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Cost
		for range rapid.IntRange(1, 30).Draw(t, "runs") {
			c.Observe(1, rapid.IntRange(1, 512).Draw(t, "tokens"), time.Duration(rapid.IntRange(1, 1e9).Draw(t, "ns")))
		}
		require.GreaterOrEqual(t, c.Run(rapid.IntRange(0, 1024).Draw(t, "ask")), time.Duration(0))
		require.Positive(t, c.Rate())
	})
}
