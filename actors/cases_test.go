package actors

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/batch"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
)

// The tests here are named after public reports about programs of this kind; the
// number says which.

// TestRS06RotatingSessionsDoNotExhaustMemory: the store of sessions has a cap and
// not only a time to live. A flood of sessions of one call each leaves no more than
// the cap, each forgotten one is counted, and a session that goes on calling is not
// among them.
func TestRS06RotatingSessionsDoNotExhaustMemory(t *testing.T) {
	const sessions, limit = 100_000, 4096
	synctest.Test(t, func(t *testing.T) {
		s := newTestStage(t)
		var evicted atomic.Int64
		r, _ := newTraceRig(s, TracesConfig{Shards: 4, MaxKeys: limit, OnEvicted: func() { evicted.Add(1) }})
		set := traceSet()
		advance := func(key messages.TraceKey, tool string, id int) []rules.Hit {
			var info rules.AdvanceInfo
			info.ID[0], info.ID[1], info.ID[2], info.ID[3], info.Now = byte(id), byte(id>>8), byte(id>>16), 1, r.clock()
			m := set.Match(&rules.Event{Service: "a", Tool: tool, Method: "tools/call", Now: info.Now})
			hits, err := r.Advance(t.Context(), key, set, m, info)
			require.NoError(t, err)
			r.Settle(key, info.ID, len(hits) == 0)
			return hits
		}
		const alive = 7
		live := traceKey(alive)
		require.Empty(t, advance(live, "read", 0))
		for i := range sessions {
			advance(traceKey(1000+i), "other", i)
			if i%(limit/16) == 0 {
				require.Empty(t, advance(live, "other", i))
			}
		}
		synctest.Wait()
		require.LessOrEqual(t, r.Keys(), limit)
		require.GreaterOrEqual(t, int(evicted.Load()), sessions-limit)
		require.Len(t, advance(live, "send", 1), 1, "the live session is still known")
		require.Empty(t, advance(traceKey(1000), "send", 1), "the first of the flood is forgotten")
	})
}

// TestRS12StalledActorRefusesAtOnce: while the only worker hangs and the queue is
// bounded, what is too much is refused at once, nobody waits beyond its deadline,
// and nobody burns a processor: the bubble comes to rest although 500 callers and a
// full queue are waiting.
func TestRS12StalledActorRefusesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, bound, patience = 500, 64, 3 * time.Second
		release := make(chan struct{})
		stalled := false
		model := &fakeModel{run: func(control inference.RunControl, _ []inference.Window) error {
			if stalled {
				<-release
			}
			return nil
		}}
		r := newRig(t, model, func(c *ModelPoolConfig) {
			c.QueueTokens, c.Cache = bound, -1
			c.Judge.Limits = batch.Limits{Windows: 1}
		}).ready()
		defer r.stop()
		stalled = true
		var mu sync.Mutex
		took := map[messages.ModelFault][]time.Duration{}
		served := 0
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				begin := time.Now()
				_, err := r.read(patience, fmt.Sprintf("text %d", i))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					served++
					return
				}
				fault, ok := messages.ModelFaultOf(err)
				require.True(t, ok, "%v", err)
				took[fault] = append(took[fault], time.Since(begin))
			})
		}
		synctest.Wait() // spinning would keep this from returning
		mu.Lock()
		refused := len(took[messages.ModelQueueFull])
		require.GreaterOrEqual(t, refused, callers-bound, "%v", took)
		for _, d := range took[messages.ModelQueueFull] {
			require.Zero(t, d, "refused at once")
		}
		mu.Unlock()
		time.Sleep(2 * time.Second)
		stalled = false
		close(release)
		all.Wait()
		for fault, waits := range took {
			for _, d := range waits {
				require.LessOrEqual(t, d, patience, fault)
			}
		}
		require.Positive(t, served)
	})
}

// TestRS13PanicsAreTheMarkersOwn: texts on which the scanner panics are answered
// with an error long before their deadline, those beside them are scored, restarts
// are counted, and no goroutine is left. A model that goes on panicking beyond the
// restart limit counts as lost: then nobody waits for it, and it comes back by
// itself.
func TestRS13PanicsAreTheMarkersOwn(t *testing.T) {
	for name, markers := range map[string]int{"below the restart limit": 8, "beyond it": 20} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const normal, patience = 200, time.Minute
				var panics atomic.Int64
				model := &fakeModel{run: func(_ inference.RunControl, b []inference.Window) error {
					if batchHas(b, "marker") {
						panics.Add(1)
						panic(errors.New("the scanner cannot bear this"))
					}
					return nil
				}}
				r := newRig(t, model, func(c *ModelPoolConfig) {
					c.Workers = 2
					c.Judge.Limits = batch.Limits{Windows: 1} // a panic is that of its whole batch
				}).ready()
				defer r.stop()
				begin := time.Now()
				var all sync.WaitGroup
				var mu sync.Mutex
				outcomes := map[string]int{}
				for i := range markers + normal {
					word := "plain"
					if i%(normal/markers+1) == 0 {
						word = "marker"
					}
					all.Go(func() {
						_, err := r.read(patience, fmt.Sprintf("%s %d", word, i))
						mu.Lock()
						defer mu.Unlock()
						if err == nil {
							outcomes[word+" scored"]++
							return
						}
						fault, ok := messages.ModelFaultOf(err)
						require.True(t, ok, "%v", err)
						outcomes[word+" "+fault.String()]++
					})
				}
				all.Wait()
				require.Less(t, time.Since(begin), patience, "nobody waited for its deadline")
				require.Zero(t, outcomes["marker scored"])
				if markers <= 10 {
					require.Equal(t, map[string]int{"marker panic": markers, "plain scored": normal}, outcomes)
				} else {
					require.Positive(t, outcomes["plain lost"])
				}
				time.Sleep(2 * time.Minute) // back-offs and the limit's window are over
				// Who was told that the model is lost may have been in a run that panicked then.
				r.rec.state(func() { require.EqualValues(t, panics.Load(), r.rec.restarted) })
				require.Zero(t, r.panics.Load(), "no actor panicked")
				_, err := r.read(patience, "plain again")
				require.NoError(t, err, "it came back by itself")
			})
		})
	}
}
