package sallyport_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/internal/report"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// callsPerKey is how many calls a caller makes before it is never seen again.
const callsPerKey = 10

// TestTraceMemoryIsFlatAtTheCap plays many more keys than are kept through the real shards with the default pack: once the cap is
// reached, memory no longer grows.
//
// It plays 120 000 calls. RULES_MEMORY_CALLS sets another number: 10000000 is the proof at the documented cap of 65 536 keys and takes
// some minutes. RULES_MEMORY_REPORT names an HTML file for the curve.
func TestTraceMemoryIsFlatAtTheCap(t *testing.T) {
	calls := 120_000
	if testing.Short() {
		calls = 24_000
	}
	if s := os.Getenv("RULES_MEMORY_CALLS"); s != "" {
		var err error
		calls, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	const players, samples = 4, 40
	keys := calls / callsPerKey
	limit := min(65_536, keys/8)
	m := newMemoryRun(t, limit)

	const warm = samples / 4 // by then twice as many keys have been seen as are kept
	var curve []memorySample
	for sample := range samples {
		var all sync.WaitGroup
		for p := range players {
			all.Go(func() { m.play(t, p, limit/players, calls/players/samples, uint64(sample)) })
		}
		all.Wait()
		curve = append(curve, m.measure((sample+1)*calls/samples))
	}

	m.table(t, curve)
	require.Greater(t, int(m.evicted.Load()), keys*3/4-limit)
	full := curve[warm]
	require.InDelta(t, limit, full.keys, float64(limit)/20)
	heap, rss := 0, 0
	for _, s := range curve[:warm+1] {
		heap, rss = max(heap, s.heap), max(rss, s.rss)
	}
	// The map of a shard may split its tables once more under churn, which is 50 bytes a key; the rest is noise.
	heap += heap/20 + 64*limit + 1<<20
	for _, s := range curve[warm:] {
		require.LessOrEqual(t, s.keys, limit)
		require.Less(t, s.heap, heap, "the heap grew after %d calls", s.calls)
		if rss > 0 && calls >= 1_000_000 {
			require.Less(t, s.rss, rss+rss/10, "the resident size grew after %d calls", s.calls)
		}
	}
	require.Less(t, full.heap/limit, 1024, "bytes per key")
}

type memorySample struct {
	calls, keys int
	heap, rss   int // bytes; rss is 0 where the system does not tell
}

// memoryRun is the shards and the events that are played.
type memoryRun struct {
	traces  *actors.Traces
	evicted atomic.Int64
	set     *rules.Set
	events  []rules.Matched
	base    int // bytes of heap before the first call
	begun   time.Time
}

func newMemoryRun(t *testing.T, limit int) *memoryRun {
	pack, err := rules.Load("")
	require.NoError(t, err)
	m := &memoryRun{begun: time.Date(2025, time.January, 6, 9, 0, 0, 0, time.UTC)}
	m.set, err = pack.Compile()
	require.NoError(t, err)
	for i := range 512 {
		ev := officeCall(i)
		m.events = append(m.events, m.set.Match(&ev))
	}
	m.traces = actors.NewTraces(actors.TracesConfig{MaxKeys: limit, Now: func() time.Time { return m.begun }, OnEvicted: func() { m.evicted.Add(1) }})
	system := guard.NewSystem(nil)
	for _, shard := range m.traces.Shards() {
		pid := system.Root.Spawn(shard.Props(guard.Options{Name: "trace"}))
		t.Cleanup(func() { require.NoError(t, system.Root.StopFuture(pid).Wait()) })
	}
	m.base = heapInUse()
	return m
}

// officeCall is the i-th call of an office agent.
func officeCall(i int) rules.Event {
	tools := [...]string{"search_emails", "read_text_file", "list_directory", "fetch", "send_email", "execute_sql", "list_events", "pods_list", "run_shell", "read_file", "search_code", "get_weather", "vault_read", "git_log"}
	return rules.Event{Service: "office", Tool: tools[(i*i+i/3)%len(tools)], Method: rules.MethodToolsCall, Args: map[string]any{
		"path": fmt.Sprintf("/srv/project/src/file%d.go", i), "size": int64(1000 + i), "to": []any{"x@corp.example"},
		"url": "https://api.corp.internal/v1/items?page=3",
	}}
}

// play makes n calls, one after the other, by callers who come and go: at any time about as many are active as fit.
func (m *memoryRun) play(t *testing.T, player, active, n int, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, uint64(player)))
	gap := 3 * time.Second / time.Duration(active)
	for i := range n {
		at := int(seed)*n + i
		// The active callers take turns. In every round a tenth of them have made their last call and are followed by new ones.
		turn := at % active
		caller := uint64((at/active+turn%callsPerKey)/callsPerKey*active + turn)
		var key messages.TraceKey
		// A key is a keyed hash in the engine: any spreading function does.
		binary.LittleEndian.PutUint64(key[:], (caller*4+uint64(player)+1)*0x9e3779b97f4a7c15)
		binary.LittleEndian.PutUint64(key[8:], caller)
		var id [16]byte
		binary.LittleEndian.PutUint64(id[:], uint64(at)*4+uint64(player))
		hits, err := m.traces.Advance(t.Context(), key, m.set, m.events[rnd.IntN(len(m.events))], rules.AdvanceInfo{ID: id, Now: m.begun.Add(time.Duration(at) * gap)})
		if err != nil {
			t.Errorf("call %d: %v", at, err)
			return
		}
		worst, fired := rules.Worst(hits)
		m.traces.Settle(key, id, !fired || worst.Action != rules.ActionBlock)
	}
}

func (m *memoryRun) measure(calls int) memorySample {
	return memorySample{calls: calls, keys: m.traces.Keys(), heap: heapInUse() - m.base, rss: residentSize()}
}

func heapInUse() int {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

func residentSize() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, ok := strings.CutPrefix(string(line), "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return kib << 10
		}
	}
	return 0
}

// table logs the curve, and writes it as a page when asked to.
func (m *memoryRun) table(t *testing.T, curve []memorySample) {
	last := curve[len(curve)-1]
	r := report.New("Memory of cross-call rules", fmt.Sprintf("%d calls of %d keys through the trace shards, default pack.", last.calls, last.calls/callsPerKey))
	r.Fact("keys kept", last.keys)
	r.Fact("keys evicted", int(m.evicted.Load()))
	r.Fact("heap per key", report.Bytes(last.heap/max(last.keys, 1)))
	rows := &report.Table{Columns: report.Columns("calls", "keys", "heap", "resident")}
	heap, rss := report.Series{Name: "heap of the shards"}, report.Series{Name: "resident size"}
	for i, s := range curve {
		if i%4 == 3 {
			rows.Row(s.calls, s.keys, report.Bytes(s.heap), report.Bytes(s.rss))
		}
		heap.Points = append(heap.Points, report.Point{X: float64(s.calls), Y: float64(s.heap) / (1 << 20)})
		rss.Points = append(rss.Points, report.Point{X: float64(s.calls), Y: float64(s.rss) / (1 << 20)})
	}
	r.Section("Over time", rows, &report.LineChart{
		Title: "Memory", X: report.Axis{Label: "calls"}, Y: report.Axis{Label: "memory", Unit: "MiB"}, Series: []report.Series{heap, rss},
	})
	var text bytes.Buffer
	require.NoError(t, r.Write(&text, report.TextEncoding))
	t.Log("\n" + text.String())
	if path := os.Getenv("RULES_MEMORY_REPORT"); path != "" {
		require.NoError(t, r.WriteFile(path))
	}
}
