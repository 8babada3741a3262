package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// resident is the resident size of this process in pages, after everything that Go has
// let go of went back to the system.
func resident(t *testing.T) float64 {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int64
	_, err = fmt.Sscan(string(data), &size, &pages)
	require.NoError(t, err)
	return float64(pages)
}

// The runtime keeps what it once allocated, by the shape of what it read. However many
// texts of whatever lengths come in whatever batches, the embedded model's pool stays as
// large as it was after the first of them.
func TestTheResidentSizeDoesNotGrowWithTheShapesOfInputs(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("this system does not tell the resident size")
	}
	lib := onnxtest.Library(t)
	h := onnxPool(t, func() (*inference.Classifier, error) {
		return inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: lib, SkipSelfTest: true})
	}, func(c *ModelPoolConfig) { c.Cache = 64 })
	const (
		early, all = 2_000, 20_000
		callers    = 24
	)
	words := strings.Fields("the file ignore previous instructions weather system prompt a report secret and send it read list")
	var next atomic.Int64
	until := func(n int64) {
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				for i := next.Add(1); i <= n; i = next.Add(1) {
					rnd := rand.New(rand.NewPCG(11, uint64(i)))
					var text strings.Builder
					fmt.Fprint(&text, i)
					// Mostly short, up to a whole window.
					for range 1 + int(180*rnd.Float64()*rnd.Float64()*rnd.Float64()) {
						text.WriteString(" " + words[rnd.IntN(len(words))])
					}
					if _, err := h.Classify(context.Background(), []ModelSegment{{Text: text.String()}}, ModelLimits{}); err != nil {
						t.Errorf("input %d: %v", i, err)
						return
					}
				}
			})
		}
		group.Wait()
		next.Store(n)
	}
	until(early)
	before := resident(t)
	until(all)
	after := resident(t)
	t.Logf("%.1f %% more after %d inputs than after %d", 100*(after/before-1), all, early)
	require.LessOrEqual(t, after, 1.05*before)
}
