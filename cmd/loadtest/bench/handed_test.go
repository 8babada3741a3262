package bench

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// More workers than there are windows to go round: whole batches are taken all the same.
func TestHatchGivesOutWholeBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHatch(0)
		var batches atomic.Int64
		for range 4 {
			go func() {
				h.take(3)
				batches.Add(1)
			}()
		}
		for sent := range 12 {
			synctest.Wait()
			require.EqualValues(t, sent/3, batches.Load())
			h.windows <- nil
		}
		synctest.Wait()
		require.EqualValues(t, 4, batches.Load())
	})
}
