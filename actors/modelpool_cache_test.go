package actors

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPoolAnswersRepeatsWithoutTokenising(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, nil).ready()
		defer r.stop()
		first, err := r.read(time.Second, "one list of tools", "another text\nwith lines")
		require.NoError(t, err)
		r.model.reset()
		again, err := r.read(time.Second, "one list of tools", "another text\nwith lines")
		require.NoError(t, err)
		require.Zero(t, r.model.tokenised.Load())
		require.Zero(t, r.model.windows.Load())
		require.Equal(t, first.Score, again.Score)
		require.Equal(t, 3, again.Cached)
		require.True(t, again.Segments[1].Cached)
		require.Equal(t, first.Segments[1].Start, again.Segments[1].Start)

		// Another text with one known line computes only the new one.
		mixed, err := r.read(time.Second, "with lines\nnever seen before")
		require.NoError(t, err)
		require.Equal(t, 1, mixed.Cached)
		require.Equal(t, 1, mixed.Computed)
		r.rec.state(func() {
			require.Equal(t, [2]int{2, 3}, r.rec.cache["segment"])
			require.Equal(t, [2]int{1, 4}, r.rec.cache["window"])
		})
	})
}

func TestPoolWithoutCacheComputesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.Cache = -1 }).ready()
		defer r.stop()
		for range 3 {
			got, err := r.read(time.Second, "same text")
			require.NoError(t, err)
			require.Equal(t, 1, got.Computed)
		}
		require.EqualValues(t, 3, r.model.windows.Load())
	})
}
