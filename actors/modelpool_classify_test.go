package actors

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
)

func TestPoolExitsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{run: costs(10*time.Millisecond, 0), perWindow: 100}, func(c *ModelPoolConfig) {
			c.Judge.Limits = batch.Limits{Windows: 2}
		}).ready()
		defer r.stop()
		var text strings.Builder
		text.WriteString("something evil first\n")
		for i := range 60 {
			fmt.Fprintf(&text, "line number %d\n", i)
		}
		start := time.Now()
		got, err := r.read(time.Minute, text.String())
		require.NoError(t, err)
		require.Equal(t, 10*time.Millisecond, time.Since(start))
		require.True(t, got.Segments[0].Blocked)
		require.Equal(t, 60, got.Skipped, "the rest of its own batch is not waited for either")
		synctest.Wait()
		r.rec.state(func() { require.Zero(t, r.rec.queueWindows) })
		require.EqualValues(t, 2, r.model.windows.Load())

		// The block is remembered: nothing is computed to say it again.
		got, err = r.read(time.Minute, "harmless\n"+text.String())
		require.NoError(t, err)
		require.True(t, got.Segments[0].Blocked)
		require.Zero(t, got.Computed)
		require.EqualValues(t, 2, r.model.windows.Load())

		// Without a threshold everything is read.
		all, err := r.Classify(context.Background(), []ModelSegment{{Text: text.String()}}, ModelLimits{})
		require.NoError(t, err)
		require.Zero(t, all.Skipped)
		require.False(t, all.Segments[0].Blocked)
		require.Equal(t, 61, all.Segments[0].Windows)
	})
}

func TestPoolCountsWhatIsBeyondTheWindowLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{}, func(c *ModelPoolConfig) { c.MaxWindows = 3 }).ready()
		defer r.stop()
		got, err := r.read(time.Second, "a\nb", "c\nd\ne")
		require.NoError(t, err)
		require.Equal(t, 2, got.Dropped)
		require.True(t, got.Segments[0].Complete())
		require.Equal(t, 2, got.Segments[1].Dropped)

		// An incomplete result is not kept as if it were the whole.
		got, err = r.Classify(context.Background(), seg("c\nd\ne"), ModelLimits{MaxWindows: 9})
		require.NoError(t, err)
		require.Equal(t, 3, got.Segments[0].Windows)
		require.Zero(t, got.Dropped)
	})
}

func TestPoolReadsFlaggedSpansInNarrowWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{perWindow: 2}, func(c *ModelPoolConfig) { c.Judge.Wide = true }).ready()
		defer r.stop()
		text := "a b c d e f g h\ni j k l\nm n o p q r s t"
		flagged := []inference.Span{{Start: 19, End: 20}, {Start: 17, End: 19}, {Start: 18, End: 19}}
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: text, Flagged: flagged}}, ModelLimits{})
		require.NoError(t, err)
		require.Equal(t, 5, got.Segments[0].Windows, "three wide ones, and the flagged line in two narrow ones")
		lengths := map[int]int{}
		for _, shape := range r.model.shapes() {
			for _, n := range shape {
				lengths[n]++
			}
		}
		require.Equal(t, map[int]int{8: 2, 4: 1, 2: 2}, lengths)

		// What was flagged decides what is read, so the segment is not known as a whole.
		got, err = r.Classify(context.Background(), []ModelSegment{{Text: text}}, ModelLimits{})
		require.NoError(t, err)
		require.False(t, got.Segments[0].Cached)
		require.Equal(t, 3, got.Segments[0].Windows)
		require.Zero(t, got.Computed)
	})
}

func TestPoolReadsOnWhereTheTokenizerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &fakeModel{max: 16}, nil).ready()
		defer r.stop()
		text := strings.Repeat("seven b\n", 10) + "evil 11"
		got, err := r.Classify(context.Background(), []ModelSegment{{Text: text}}, ModelLimits{})
		require.NoError(t, err)
		require.Equal(t, 11, got.Segments[0].Windows)
		require.Equal(t, "evil 11", text[got.Segments[0].Start:got.Segments[0].End])
	})
}
