package actors

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
)

// What the pool adds to a window, as opposed to calling the model directly: the
// difference of "direct" and "pool". A hit in either cache is the price of a
// repeat.
func BenchmarkModelPool(b *testing.B) {
	model := &fakeModel{forgetful: true}
	r := newRig(b, model, func(c *ModelPoolConfig) { c.Workers, c.Cache, c.Observer = 2, 1024, nil })
	defer r.stop()
	r.ready()
	text := func(i int64) string { return fmt.Sprintf("a b c d e f g %d", i) }
	ctx := context.Background()
	var n atomic.Int64

	b.Run("direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w := model.plan(text(n.Add(1)))
			if _, err := model.Run(inference.RunControl{}, w); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.Classify(ctx, []ModelSegment{{Text: text(n.Add(1))}}, ModelLimits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	// Many callers who wait at once: what it costs to serve them, for nothing is computed.
	for _, callers := range []int{64, 1024} {
		b.Run(fmt.Sprintf("pool/%d-callers", callers), func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(max(callers/runtime.GOMAXPROCS(0), 1))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := r.Classify(ctx, []ModelSegment{{Text: text(n.Add(1))}}, ModelLimits{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
	for _, size := range []int{256, 31 << 10} {
		b.Run(fmt.Sprintf("segment-hit/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			long := fmt.Sprintf("%*d", size, 1)
			_, err := r.Classify(ctx, []ModelSegment{{Text: long}}, ModelLimits{})
			require.NoError(b, err)
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := r.Classify(ctx, []ModelSegment{{Text: long}}, ModelLimits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// One lock for the whole cache: what it costs when every CPU asks at once.
func BenchmarkScoreCache(b *testing.B) {
	c := newScoreCache(65_536)
	for i := range 65_536 {
		c.putWindow(cacheKey{byte(i), byte(i >> 8)}, 0.5)
	}
	b.Run("window-hit", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			if _, ok := c.window(cacheKey{byte(i), byte(i >> 8)}); !ok {
				b.Fatal("miss")
			}
		}
	})
	b.Run("window-hit/all-cpus", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				if _, ok := c.window(cacheKey{byte(i), byte(i >> 8)}); !ok {
					b.Fatal("miss")
				}
			}
		})
	})
}
