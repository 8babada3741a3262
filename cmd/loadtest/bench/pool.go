package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/sallyport-mcp/sallyport/actors" //nolint:depguard // the pool itself is what this command measures
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// rig is one running pool with its handle.
type rig struct {
	*actors.ModelPool
	observer *observer
	watched  *watched
	noting   atomic.Bool
	workers  int
	system   *actor.ActorSystem
	warm     *guard.Warm
	pid      *actor.PID
	crowd    crowd
}

// poolSpec is how a pool is set up.
type poolSpec struct {
	cache int // entries, -1 none
	gate  bool
	// roomy lifts the bound of the queue: a closed loop keeps more waiting than any
	// service should.
	roomy bool
}

// warmGoroutines are kept for the actors' turns, as the engine does.
const warmGoroutines = 8

// loadLimit bounds the load of a model, which includes its warm-up.
const loadLimit = 2 * time.Minute

// start brings up a pool as the engine does, with the subject as its judge.
func (s *subject) start(ctx context.Context, spec poolSpec) (*rig, error) {
	r := &rig{observer: &observer{}, workers: s.opts.Workers, system: guard.NewSystem(nil), warm: guard.NewWarm(warmGoroutines)}
	r.observer.fresh()
	cfg := actors.ModelPoolConfig{
		Workers: s.opts.Workers, Cache: spec.cache, Observer: r.observer, MaxWindows: mostWindows,
		Judge: actors.ModelStage{Unproved: s.opts.Unproved, Wide: s.wide, Load: func(context.Context) (actors.Classifier, error) {
			c, err := s.load()
			if err != nil {
				return nil, err
			}
			r.watched = &watched{Classifier: c, on: &r.noting}
			return r.watched, nil
		}},
	}
	if spec.roomy {
		cfg.QueueTokens = 1 << 30
	}
	if spec.gate {
		cfg.Gate = &actors.ModelStage{Load: s.loadGate}
		cfg.JudgeWindows = mostWindows
	}
	r.ModelPool = actors.NewModelPool(cfg)
	var err error
	if r.pid, err = r.system.Root.SpawnNamed(r.Props(guard.Options{Name: "modelpool", Dispatcher: r.warm}), "modelpool"); err != nil {
		return nil, fmt.Errorf("start the pool: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		_, ok, reason := r.Info()
		switch {
		case ok:
			return r, nil
		case strings.HasPrefix(reason, "load "), strings.HasPrefix(reason, "prove "):
			return nil, errors.Join(fmt.Errorf("start the pool: %s", reason), r.stop())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("start the pool: not ready: %s", reason), r.stop())
		}
	}
}

func (r *rig) stop() error {
	err := r.system.Root.StopFuture(r.pid).Wait()
	r.crowd.leave()
	r.Close()
	r.warm.Close()
	if err != nil {
		return fmt.Errorf("stop the pool: %w", err)
	}
	return nil
}

// How many texts are with the pool at once. The other contestants have the whole queue
// before them when they begin. A crowd is twice what an engine lets in by default, and
// as much as a plan looks at. A few is what keeps workers busy in service, where a repeat
// mostly comes after its first answer and not beside it.
const (
	aCrowd = 512
	aFew   = 16
)

// classifyAll sends all texts of q through the pool in their order, from so many
// callers that its queue is never short of work. blockAt of 0 never ends early.
func (r *rig) classifyAll(ctx context.Context, q *queue, callers int, blockAt float64) (cached, computed int, err error) {
	p := r.prepare(ctx, q, callers, blockAt)
	err = p.run()
	return p.cached, p.computed, err
}

// passing is a pass of all texts whose callers stand ready.
type passing struct {
	ctx              context.Context
	cancel           context.CancelFunc
	begin            func()
	cached, computed int // windows
	first            atomic.Pointer[error]
}

// prepare is the part of classifyAll that is the load generator's own.
func (r *rig) prepare(ctx context.Context, q *queue, callers int, blockAt float64) *passing {
	p := &passing{}
	p.ctx, p.cancel = context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("a pass took longer than ten minutes"))
	var next, cached, computed atomic.Int64
	callers = min(callers, len(q.texts))
	each := make([]actors.ModelSegment, callers)
	// As in service each caller has a context of its own: one for all of them would be a
	// channel, and its lock, that they all wait at.
	own := make([]context.Context, callers)
	for k := range own {
		var cancel context.CancelFunc
		own[k], cancel = context.WithCancel(p.ctx)
		context.AfterFunc(p.ctx, cancel)
	}
	begin := r.crowd.gather(callers, func(k int) {
		ctx, segments := own[k], each[k:k+1]
		n, c := 0, 0
		for {
			i := int(next.Add(1)) - 1
			if i >= len(q.texts) || p.first.Load() != nil {
				break
			}
			t := &q.texts[i]
			segments[0] = actors.ModelSegment{Text: t.Text, Surface: t.Surface, BlockAt: blockAt}
			got, err := r.Classify(ctx, segments, actors.ModelLimits{})
			if err != nil {
				p.fail(fmt.Errorf("text %d of %d: %w", i, len(q.texts), err))
				break
			}
			c += got.Cached
			n += got.Computed
		}
		cached.Add(int64(c))
		computed.Add(int64(n))
	})
	p.begin = func() {
		begin()
		p.cached, p.computed = int(cached.Load()), int(computed.Load())
	}
	return p
}

func (p *passing) fail(err error) { p.first.CompareAndSwap(nil, &err) }

// run lets the callers go.
func (p *passing) run() error {
	defer p.cancel()
	p.begin()
	if err := p.first.Load(); err != nil {
		return *err
	}
	return nil
}
