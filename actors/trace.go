package actors

import (
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// TracesConfig is what the trace shards are made of.
type TracesConfig struct {
	// Shards is the number of actors the keys are spread over; zero is twice the
	// usable CPUs.
	Shards int
	// MaxKeys is the number of keys over all shards; the least recently used key of a
	// full shard is forgotten. Zero is 65 536.
	MaxKeys int
	// IdleTTL is how long a key without a call is kept; zero is seven days, the
	// longest a rule can look back.
	IdleTTL time.Duration
	// OnLost is told how many keys a shard's crash has cost. It must not block.
	OnLost func(shard, keys int)
	// OnEvicted is told of every key that a full shard forgot. It must not block.
	OnEvicted func()
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// idleSweep is the interval at which idle keys are looked for.
const idleSweep = time.Minute

// Traces is the handle of the trace shards, which own what is remembered of each
// trace key. A crash costs one shard its keys: what half a turn did to them is not
// known.
type Traces struct {
	cfg    TracesConfig
	began  time.Time
	shards []*TraceShard
}

// NewTraces returns the handle.
func NewTraces(cfg TracesConfig) *Traces {
	if cfg.Shards <= 0 {
		cfg.Shards = 2 * runtime.GOMAXPROCS(0)
	}
	if cfg.MaxKeys <= 0 {
		cfg.MaxKeys = 65536
	}
	cfg.Shards = min(cfg.Shards, cfg.MaxKeys)
	if cfg.IdleTTL <= 0 {
		cfg.IdleTTL = 7 * 24 * time.Hour
	}
	if cfg.OnLost == nil {
		cfg.OnLost = func(int, int) {}
	}
	if cfg.OnEvicted == nil {
		cfg.OnEvicted = func() {}
	}
	now := clock(cfg.Now)
	t := &Traces{cfg: cfg, began: now()}
	t.cfg.Now = func() time.Time { return t.elapsed(now()) }
	for i := range cfg.Shards {
		limit := cfg.MaxKeys / cfg.Shards
		if i < cfg.MaxKeys%cfg.Shards {
			limit++
		}
		t.shards = append(t.shards, &TraceShard{all: t, index: i, limit: limit})
	}
	return t
}

// elapsed is a time by the time that has passed since the traces began, which is not the
// wall clock's: when that is set forward nothing expires early, and when it is set back no
// window stands still until it has caught up.
func (t *Traces) elapsed(now time.Time) time.Time { return t.began.Add(now.Sub(t.began)) }

// Shards are the actors to spawn, in order.
func (t *Traces) Shards() []*TraceShard { return t.shards }

// Advance feeds matched, which came from set, to the automata of key and returns
// the rules that fire. An error means that the key's state is not known to have
// moved: guard.ErrFull, guard.ErrPanic, guard.ErrStopped, guard.ErrDown, or ctx's.
func (t *Traces) Advance(ctx context.Context, key messages.TraceKey, set *rules.Set, matched rules.Matched, info rules.AdvanceInfo) ([]rules.Hit, error) {
	m := &messages.Advance{Promise: guard.NewPromise[[]rules.Hit](), Key: key, Set: set, Matched: matched, Info: info}
	return ask(ctx, &t.shard(key).ref, m.Promise, m)
}

// ErrSpent is the answer to a result event whose token has brought one already.
var ErrSpent = errors.New("token has fed a result event already")

// AdvanceOnce is Advance for the result event that a token brings. A second one
// with the same token gets ErrSpent and changes nothing. A shard remembers as many
// tokens as keys; a crash forgets them with the keys.
func (t *Traces) AdvanceOnce(ctx context.Context, token [16]byte, key messages.TraceKey, set *rules.Set, matched rules.Matched, info rules.AdvanceInfo) ([]rules.Hit, error) {
	m := &messages.Advance{Promise: guard.NewPromise[[]rules.Hit](), Key: key, Set: set, Matched: matched, Info: info, Once: token}
	return ask(ctx, &t.shard(key).ref, m.Promise, m)
}

// Settle tells the key's shard how the exchange ended. It never waits.
func (t *Traces) Settle(key messages.TraceKey, id [16]byte, commit bool) {
	t.shard(key).send(&messages.Settle{Key: key, ID: id, Commit: commit})
}

// Touch keeps a key that is remembered from being the least recently used. It never
// waits and makes no key remembered.
func (t *Traces) Touch(key messages.TraceKey) { t.shard(key).send(&messages.Touch{Key: key}) }

// Turns counts what the key's shard has done so far. Where it stands still while a
// question waits, the shard hangs; where it moves, there is only much to do.
func (t *Traces) Turns(key messages.TraceKey) uint64 { return t.shard(key).turns.Load() }

// Keys is the number of keys remembered.
func (t *Traces) Keys() int {
	n := 0
	for _, s := range t.shards {
		n += int(s.keys.Load())
	}
	return n
}

func (t *Traces) shard(key messages.TraceKey) *TraceShard {
	// The key is a keyed hash already, so any of its bytes spread evenly.
	return t.shards[binary.LittleEndian.Uint64(key[:])%uint64(len(t.shards))]
}

// TraceShard is the handle of one shard.
type TraceShard struct {
	ref
	all   *Traces
	index int
	limit int
	keys  atomic.Int64
	turns atomic.Uint64
}

// Props describes the shard's actor, for one spawn.
func (s *TraceShard) Props(o guard.Options) *actor.Props {
	return s.props(func() actor.Actor { return newTraceActor(s) }, o)
}

// trace is what one key has come to.
type trace struct {
	state *rules.State
	used  time.Time
}

type traceSweep struct {
	guard.Quiet
	of *traceActor
}

// traceActor is one incarnation; it starts with no keys.
type traceActor struct {
	h     *TraceShard
	lru   *simplelru.LRU[messages.TraceKey, *trace]
	spent *simplelru.LRU[[16]byte, struct{}] // tokens that fed their event
	sweep *time.Timer
}

func newTraceActor(s *TraceShard) *traceActor {
	// The errors are for a size below one.
	lru, err := simplelru.NewLRU[messages.TraceKey, *trace](max(s.limit, 1), nil)
	if err != nil {
		panic(err)
	}
	spent, err := simplelru.NewLRU[[16]byte, struct{}](max(s.limit, 1), nil)
	if err != nil {
		panic(err)
	}
	if lost := s.keys.Swap(0); lost > 0 { // an incarnation before this one crashed
		s.all.cfg.OnLost(s.index, int(lost))
	}
	return &traceActor{h: s, lru: lru, spent: spent}
}

// Receive handles one message.
func (a *traceActor) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *actor.Started:
		a.arm()
	case *messages.Advance:
		if m.Settled() {
			a.h.turns.Add(1)
			return
		}
		if m.Once != [16]byte{} {
			if a.spent.Contains(m.Once) {
				a.h.turns.Add(1)
				m.Reject(ErrSpent)
				return
			}
			a.spent.Add(m.Once, struct{}{})
		}
		t := a.get(m.Key)
		in := m.Info
		in.Now = a.h.all.elapsed(in.Now)
		hits := m.Set.Advance(t.state, &m.Matched, in)
		a.h.turns.Add(1)
		m.Resolve(hits)
	case *messages.Touch:
		if t, ok := a.lru.Get(m.Key); ok {
			t.used = a.h.all.cfg.Now()
		}
		a.h.turns.Add(1)
	case *messages.Settle:
		a.h.turns.Add(1)
		if t, ok := a.lru.Peek(m.Key); ok {
			t.state.Settle(m.ID, m.Commit, a.h.all.cfg.Now())
		}
	case *traceSweep:
		if m.of == a {
			a.forgetIdle()
			a.arm()
		}
	case *actor.Restarting, *actor.Stopping:
		if a.sweep != nil {
			a.sweep.Stop()
		}
	}
}

func (a *traceActor) get(key messages.TraceKey) *trace {
	now := a.h.all.cfg.Now()
	if t, ok := a.lru.Get(key); ok {
		t.used = now
		return t
	}
	t := &trace{state: rules.NewState(), used: now}
	if a.lru.Add(key, t) {
		a.h.all.cfg.OnEvicted()
	}
	a.h.keys.Store(int64(a.lru.Len()))
	return t
}

// forgetIdle drops keys from the least recently used on.
func (a *traceActor) forgetIdle() {
	deadline := a.h.all.cfg.Now().Add(-a.h.all.cfg.IdleTTL)
	for {
		_, t, ok := a.lru.GetOldest()
		if !ok || t.used.After(deadline) {
			break
		}
		a.lru.RemoveOldest()
	}
	a.h.keys.Store(int64(a.lru.Len()))
}

func (a *traceActor) arm() { a.sweep = a.h.later(idleSweep, &traceSweep{of: a}) }
