package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/messages"
)

// timed is a model of a known speed: 2 ms a pass and 100 µs a padded token.
func timed() *fakeModel {
	return &fakeModel{forgetful: true, perWindow: 96, run: func(_ inference.RunControl, b []inference.Window) error {
		longest := 0
		for _, w := range b {
			longest = max(longest, len(w.IDs))
		}
		time.Sleep(2*time.Millisecond + time.Duration(longest*len(b))*100*time.Microsecond)
		return nil
	}}
}

// request is a text of one to four windows that nobody has asked about before.
func distinct(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for line := range 1 + rnd.IntN(4) {
		fmt.Fprintf(&b, "%d-%d", n, line)
		for range 5 + rnd.IntN(80) {
			b.WriteString(" w")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// openLoop sends so many requests a second for so long, whatever comes back, and
// returns the tokens of those that were answered and how long they took.
func openLoop(t *testing.T, r *rig, rate float64, length, patience time.Duration) (good int, latency []time.Duration, faults map[messages.ModelFault]int) {
	rnd := rand.New(rand.NewPCG(7, uint64(rate)))
	faults = map[messages.ModelFault]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for n, start := 0, time.Now(); time.Since(start) < length; n++ {
		text := distinct(rnd, n+int(rate)*1_000_000)
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			begin := time.Now()
			_, err := r.Classify(ctx, []ModelSegment{{Text: text}}, ModelLimits{})
			took := time.Since(begin)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				f, ok := messages.ModelFaultOf(err)
				require.True(t, ok)
				faults[f]++
				return
			}
			good += len(strings.Fields(text))
			latency = append(latency, took)
		})
		time.Sleep(time.Duration(rnd.ExpFloat64() / rate * float64(time.Second)))
	}
	wg.Wait()
	slices.Sort(latency)
	return good, latency, faults
}

// Overload is shed at once and not at the deadline: at one and a half and at three
// times the capacity the pool gets as much done as at its peak.
func TestPoolKeepsItsGoodputUnderOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, timed(), func(c *ModelPoolConfig) { c.Workers, c.Cache, c.Observer = 2, -1, nil }).ready()
		defer r.stop()
		const patience = 500 * time.Millisecond
		// The peak, from a queue that is never empty.
		var wg sync.WaitGroup
		peak := 0
		var mu sync.Mutex
		begin := time.Now()
		for c := range 16 {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(8, uint64(c)))
				for n := 0; time.Since(begin) < 10*time.Second; n++ {
					text := distinct(rnd, 1_000_000_000+c*1_000_000+n)
					_, err := r.Classify(context.Background(), []ModelSegment{{Text: text}}, ModelLimits{})
					require.NoError(t, err)
					mu.Lock()
					peak += len(strings.Fields(text))
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		perSecond := float64(peak) / time.Since(begin).Seconds()
		const meanTokens = 2.5 * 45.5
		for _, load := range []float64{0.7, 1.5, 3} {
			start := time.Now()
			good, latency, faults := openLoop(t, r, load*perSecond/meanTokens, 20*time.Second, patience)
			goodput := float64(good) / time.Since(start).Seconds() / perSecond
			t.Logf("load %.1f: goodput %.2f of the peak, p50 %v p99 %v, %d answered, refused %v", load, goodput,
				latency[len(latency)/2], latency[len(latency)*99/100], len(latency), faults)
			if load < 1 {
				require.Empty(t, faults)
				continue
			}
			require.Greater(t, goodput, 0.9)
			require.NotZero(t, faults[messages.ModelUnreachable]+faults[messages.ModelQueueFull])
			// A standing queue is none: what is answered has waited for a few batches.
			require.Less(t, latency[len(latency)/2], patience/5)
			late := faults[messages.ModelTimeout]
			require.Less(t, float64(late), 0.02*float64(len(latency)), "refused at once, not at the deadline")
		}
	})
}
