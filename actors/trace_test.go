package actors

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

const tracePack = `
version: 1
name: test
rules:
  - name: read-then-send
    action: block
    flow:
      within: 30m
      steps:
        - call: {tool: read}
        - call: {tool: send}
  - name: burst
    action: block
    rate: {tool: burst, max: 3, within: 60s}
`

var traceSet = sync.OnceValue(func() *rules.Set {
	pack, err := rules.Parse("test.yaml", []byte(tracePack))
	if err != nil {
		panic(err)
	}
	set, err := pack.Compile()
	if err != nil {
		panic(err)
	}
	return set
})

// traceKey spreads small numbers over shards: the number is the hash.
func traceKey(n int) (k messages.TraceKey) {
	binary.LittleEndian.PutUint64(k[:], uint64(n))
	return k
}

type traceRig struct {
	*Traces
	s    *testStage
	next byte
	lost []int
	made time.Time
	set  atomic.Int64 // by how many nanoseconds the wall clock was set; shards ask while a test sets it
}

// realTime is a time of the system's, whose monotonic part those of a bubble lack.
var realTime = time.Now()

func (r *traceRig) clock() time.Time {
	return setClock(realTime.Add(time.Since(r.made)), time.Duration(r.set.Load()))
}

func newTraceRig(s *testStage, cfg TracesConfig) (*traceRig, func(shard int)) {
	r := &traceRig{s: s, made: time.Now()}
	cfg.Now = r.clock
	cfg.OnLost = func(_, keys int) { r.lost = append(r.lost, keys) }
	r.Traces = NewTraces(cfg)
	var crashes []func()
	for _, shard := range r.Shards() {
		pid := s.spawn(shard.Props(guard.Options{}))
		crashes = append(crashes, func() { s.crash(pid); synctest.Wait() })
	}
	return r, func(shard int) { crashes[shard]() }
}

// call advances one key and returns the names of the rules that fired.
func (r *traceRig) call(n int, tool string, settle ...bool) []string {
	r.s.t.Helper()
	r.next++
	id := [16]byte{r.next}
	now := r.clock()
	ev := &rules.Event{Method: "tools/call", Tool: tool, Now: now}
	hits, err := r.Advance(context.Background(), traceKey(n), traceSet(), traceSet().Match(ev),
		rules.AdvanceInfo{ID: id, Now: now, Pending: 5 * time.Second})
	require.NoError(r.s.t, err)
	for _, commit := range settle {
		r.Settle(traceKey(n), id, commit)
	}
	var names []string
	for _, h := range hits {
		names = append(names, h.Rule)
	}
	return names
}

func TestTracesFollowEachKeyAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 4})
		require.Empty(t, r.call(1, "read", true))
		require.Empty(t, r.call(2, "send", true))
		require.Equal(t, []string{"read-then-send"}, r.call(1, "send", false))
		require.Equal(t, []string{"read-then-send"}, r.call(1, "send", false), "a denied call did not happen")
		require.Equal(t, 2, r.Keys())
		for range 3 {
			require.Empty(t, r.call(3, "burst", true))
		}
		require.Equal(t, []string{"burst"}, r.call(3, "burst", false))
	})
}

func TestTracesWithdrawnAndUnsettledSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 1})
		r.call(1, "read", false) // denied for another reason: it did not happen
		require.Empty(t, r.call(1, "send", true))
		r.call(2, "read") // its settlement never comes
		time.Sleep(time.Minute)
		require.Equal(t, []string{"read-then-send"}, r.call(2, "send", false), "pending steps count in the end")
	})
}

func TestTracesForgetTheLeastRecentlyUsedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		evicted := 0
		r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 1, MaxKeys: 3, OnEvicted: func() { evicted++ }})
		for n := range 3 {
			r.call(n, "read", true)
		}
		r.call(0, "other") // matches nothing, but it is a use
		r.call(3, "read", true)
		require.Equal(t, 3, r.Keys())
		require.Equal(t, 1, evicted)
		require.Equal(t, []string{"read-then-send"}, r.call(0, "send", true), "was used last")
		require.Empty(t, r.call(1, "send", true), "was not")
	})
}

func TestTracesForgetIdleKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 1, IdleTTL: time.Hour, OnEvicted: func() { t.Error("idling out is no eviction") }})
		r.call(1, "read", true)
		time.Sleep(30 * time.Minute)
		r.call(2, "read", true)
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		require.Equal(t, 1, r.Keys())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, r.Keys())
	})
}

func TestTraceShardCrashLosesItsKeysOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, crash := newTraceRig(newTestStage(t), TracesConfig{Shards: 2})
		for n := range 10 {
			r.call(n, "read", true)
		}
		crash(1)
		require.Equal(t, []int{5}, r.lost)
		require.Equal(t, 5, r.Keys())
		require.Empty(t, r.call(1, "send", true), "starts afresh")
		require.Equal(t, []string{"read-then-send"}, r.call(2, "send", true))
	})
}

func TestTraceCallerOfAPanicIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newTraceRig(newTestStage(t), TracesConfig{Shards: 1, MaxKeys: 1, OnEvicted: func() { panic("in a turn") }})
		r.call(1, "read", true)
		ev := &rules.Event{Method: "tools/call", Tool: "read", Now: time.Now()}
		_, err := r.Advance(context.Background(), traceKey(2), traceSet(), traceSet().Match(ev), rules.AdvanceInfo{Now: time.Now()})
		require.ErrorIs(t, err, guard.ErrPanic)
		require.Empty(t, r.call(1, "send", true), "and the shard starts afresh")
	})
}

// What is only told keeps a bounded place, too: a shard that hangs is not to fill the
// memory with it.
func TestTraceShardThatHangsKeepsABoundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		depth, hold := &guard.Depth{}, make(chan struct{})
		tr := NewTraces(TracesConfig{Shards: 1, OnEvicted: func() { <-hold }, MaxKeys: 1})
		s.spawn(tr.Shards()[0].Props(guard.Options{Capacity: 4, Depth: depth}))
		answered := make(chan error, 2)
		for n := range 2 {
			go func() {
				_, err := tr.Advance(t.Context(), traceKey(n), traceSet(), rules.Matched{}, rules.AdvanceInfo{Now: time.Now()})
				answered <- err
			}()
			synctest.Wait()
		}
		for range 20 {
			tr.Touch(traceKey(0))
			tr.Settle(traceKey(0), [16]byte{1}, true)
		}
		require.Equal(t, 4, depth.Len())
		close(hold)
		for range 2 {
			require.NoError(t, <-answered)
		}
	})
}

func TestTracesWithoutActors(t *testing.T) {
	tr := NewTraces(TracesConfig{Shards: 3, MaxKeys: 2})
	require.Len(t, tr.Shards(), 2, "no shard without room for a key")
	_, err := tr.Advance(t.Context(), traceKey(0), traceSet(), rules.Matched{}, rules.AdvanceInfo{})
	require.ErrorIs(t, err, guard.ErrDown)
	tr.Settle(traceKey(0), [16]byte{}, true)
	limits := 0
	for _, s := range NewTraces(TracesConfig{Shards: 7, MaxKeys: 100}).Shards() {
		limits += s.limit
	}
	require.Equal(t, 100, limits)
}

func BenchmarkTraceAdvance(b *testing.B) {
	s := guard.NewSystem(nil)
	w := guard.NewWarm(8)
	defer w.Close()
	tr := NewTraces(TracesConfig{})
	for _, shard := range tr.Shards() {
		pid := s.Root.Spawn(shard.Props(guard.Options{Dispatcher: w}))
		defer func() { _ = s.Root.StopFuture(pid).Wait() }()
	}
	set := traceSet()
	ev := &rules.Event{Method: "tools/call", Tool: "read", Now: time.Now()}
	matched := set.Match(ev)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		id := [16]byte{byte(n), byte(n >> 8)}
		if _, err := tr.Advance(context.Background(), traceKey(n%65536), set, matched, rules.AdvanceInfo{ID: id, Now: ev.Now}); err != nil {
			b.Fatal(err)
		}
		tr.Settle(traceKey(n%65536), id, true)
	}
}
