//go:build cgo

package inference_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
)

// resident is the process's resident size in MiB, after Go gave back what it
// does not need.
func resident(t *testing.T) float64 {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	require.NoError(t, err)
	return float64(pages) * float64(os.Getpagesize()) / (1 << 20)
}

// ownThread keeps a test to one thread: the C library keeps memory for every thread that
// has allocated, and on a machine of many processors there would be ever more of them.
func ownThread(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

// RS-01: every new shape of a batch used to cost memory for good. The first checks take
// few shapes, the largest among them, so that most are new to the others: what stays of
// 20 000 checks must be within 5 % of what was resident, and a page for each new shape
// would be more. The race detector has tables of its own, and room for those.
func TestShapesCostNoMemory_RS01(t *testing.T) {
	ownThread(t)
	c, err := open(t, onnxtest.Files(t, onnxtest.Deberta), skipSelfTest)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	shapes := map[[2]int]bool{}
	checks := func(n, step int) (known int) {
		for range n {
			length := step * (1 + rng.IntN(c.Info().MaxTokens/step))
			// More than what the planner lets into a batch of such a model.
			batch := rows(c, 1+rng.IntN(max(1, min(16, 256/length))), length)
			shapes[[2]int{len(batch), length}] = true
			if _, err := c.Run(inference.RunControl{}, batch); err != nil {
				require.NoError(t, err)
			}
		}
		return len(shapes)
	}
	scale := 1
	if testing.Short() {
		scale = 10
	}
	few := checks(2_000/scale, 16)
	early := resident(t)
	all := checks(18_000/scale, 1)
	late := resident(t)
	t.Logf("resident after 2 000 checks of %d shapes: %.1f MiB, after 20 000 of %d: %.1f MiB", few, early, all, late)
	require.Greater(t, all, 10*few)
	bound := early / 20
	if raceEnabled {
		bound += 5
	}
	require.Less(t, late-early, bound, "MiB that 18 000 checks cost")
}

// RS-02: a model that is opened again and again gives its memory back. What
// may stay is slack of the allocators, some MB and more under the race detector: a
// leak would keep the 2.5 MB of the weights with every one of the 20 reloads.
func TestReloadsGiveMemoryBack_RS02(t *testing.T) {
	ownThread(t)
	lib := onnxtest.Library(t)
	library, err := inference.OpenRuntime(lib)
	require.NoError(t, err)
	defer func() { require.NoError(t, library.Close()) }()
	reload := func(n int) {
		for range n {
			c, err := inference.Open(inference.FS(defaultmodel.FS()), inference.Options{RuntimeLib: lib})
			require.NoError(t, err)
			require.NoError(t, c.Close())
		}
	}
	reload(10)
	early := resident(t)
	reload(20)
	late := resident(t)
	t.Logf("resident after 10 reloads: %.1f MiB, after 30: %.1f MiB", early, late)
	require.Less(t, late-early, 25.0, "MiB that 20 reloads cost")
}
