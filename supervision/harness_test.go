package supervision

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport/actors"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/rules"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// crash makes any actor of a testRig panic, quit makes it stop by itself.
type (
	crash struct{ guard.Quiet }
	quit  struct{ guard.Quiet }
)

// rig is a tree under test with everything it was given.
type rig struct {
	t      *testing.T
	cfg    Config
	tree   *Tree
	server *server
	sink   *sink
	seen   *observer
	builds atomic.Int32
	broken atomic.Pointer[error] // what the next builds return

	mu   sync.Mutex
	pids map[string]*actor.PID
}

const testPack = `
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
`

var testSet = sync.OnceValue(func() *rules.Set {
	pack, err := rules.Parse("test.yaml", []byte(testPack))
	if err != nil {
		panic(err)
	}
	set, err := pack.Compile()
	if err != nil {
		panic(err)
	}
	return set
})

func newRig(t *testing.T) *rig {
	t.Helper()
	// A Stop that crosses an end is a dead letter, whose throttle in the library holds
	// a goroutine for some (virtual) milliseconds. Runs after everything else.
	t.Cleanup(func() { time.Sleep(time.Second) })
	r := &rig{t: t, server: newServer(), sink: &sink{}, seen: &observer{}, pids: map[string]*actor.PID{}}
	r.cfg = Config{
		Observer: r.seen,
		Budgets:  Budgets{Drain: 5 * time.Second, Grace: 5 * time.Second, Cleanup: 2 * time.Second},
		Front:    r.server,
		Audit:    actors.AuditConfig{Sink: r.sink},
		Health:   actors.HealthConfig{Scanners: []string{decision.ScannerContent, decision.ScannerRules}},
		Rules:    actors.RulesConfig{Build: r.build},
		Traces:   actors.TracesConfig{Shards: 2},
		Check: func(_ context.Context, e *decision.Exchange) decision.Verdict {
			if e.Method == "deny" {
				return decision.Verdict{Outcome: decision.Deny}
			}
			return decision.Verdict{Outcome: decision.Allow}
		},
		decorate: r.decorate,
	}
	return r
}

func (r *rig) build(context.Context) (*messages.Tuple, error) {
	r.builds.Add(1)
	if err := r.broken.Load(); err != nil {
		return nil, *err
	}
	return &messages.Tuple{Version: testSet().Version(), Rules: testSet()}, nil
}

// decorate makes an actor crashable and notes where it is.
func (r *rig) decorate(name string, p *actor.Props) *actor.Props {
	return p.Configure(
		actor.WithOnInit(func(c actor.Context) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.pids[name] = c.Self()
		}),
		actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(c actor.ReceiverContext, env *actor.MessageEnvelope) {
				switch env.Message.(type) {
				case crash:
					panic("crash by test")
				case quit:
					c.(actor.Context).Stop(c.Self())
				default:
					next(c, env)
				}
			}
		}))
}

func (r *rig) start() *Tree {
	r.t.Helper()
	tree, err := Start(r.t.Context(), r.cfg)
	require.NoError(r.t, err)
	r.tree = tree
	return tree
}

// serve starts the tree in a bubble, sees it serve, and stops it at the end.
func (r *rig) serve() *Tree {
	r.t.Helper()
	tree := r.start()
	r.t.Cleanup(func() {
		tree.Force()
		_ = tree.Stop(context.Background())
	})
	synctest.Wait()
	require.Equal(r.t, messages.Serving, tree.Lifecycle.Phase(), tree.Lifecycle.Snapshot().Reason)
	return tree
}

func (r *rig) send(name string, message any) {
	r.mu.Lock()
	pid := r.pids[name]
	r.mu.Unlock()
	require.NotNil(r.t, pid, name)
	r.tree.sys.Root.Send(pid, message)
}

// names are those of all actors below the root.
func (r *rig) names() []string {
	var names []string
	for _, s := range r.tree.specs {
		names = append(names, s.name)
	}
	return names
}

// server is a fake front.
type server struct {
	bind    error
	work    time.Duration // what accepted work still takes
	gate    chan struct{} // Serve returns when it is closed
	once    sync.Once
	drained atomic.Pointer[time.Time]
}

func newServer() *server { return &server{gate: make(chan struct{})} }

func (s *server) Listen() error { return s.bind }
func (s *server) Serve() error  { <-s.gate; return nil }
func (s *server) Stop()         { s.once.Do(func() { close(s.gate) }) }
func (s *server) Drain(ctx context.Context) error {
	now := time.Now()
	s.drained.Store(&now)
	if s.work == 0 {
		return nil
	}
	select {
	case <-time.After(s.work):
		return nil
	case <-s.gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sink is a fake audit trail.
type sink struct {
	mu     sync.Mutex
	lines  int
	err    error
	hang   chan struct{} // Flush and Close wait for it, when given
	closed bool
}

func (s *sink) Append(*audit.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("closed")
	}
	if s.err != nil {
		return s.err
	}
	s.lines++
	return nil
}

func (s *sink) wait() {
	if s.hang != nil {
		<-s.hang
	}
}

func (s *sink) Flush() error { s.wait(); return nil }
func (s *sink) Close() error {
	s.wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// observer counts.
type observer struct {
	NoObserver
	mu       sync.Mutex
	phases   []messages.Phase
	restarts map[string]int
	reloads  []messages.ReloadReport
	lostKeys int
	steps    []string
	health   []bool
}

func (o *observer) lock() func() { o.mu.Lock(); return o.mu.Unlock }

func (o *observer) ActorRestarted(label string) {
	defer o.lock()()
	if o.restarts == nil {
		o.restarts = map[string]int{}
	}
	o.restarts[label]++
}

func (o *observer) PhaseChanged(c messages.PhaseChange) {
	defer o.lock()()
	if n := len(o.phases); n == 0 || o.phases[n-1] != c.To {
		o.phases = append(o.phases, c.To)
	}
}

func (o *observer) HealthChanged(v messages.HealthView) {
	defer o.lock()()
	o.health = append(o.health, v.Degraded)
}

func (o *observer) Reloaded(r messages.ReloadReport) {
	defer o.lock()()
	o.reloads = append(o.reloads, r)
}

func (o *observer) TraceShardLost(_, keys int) {
	defer o.lock()()
	o.lostKeys += keys
}

func (o *observer) Stepped(s StepReport) {
	defer o.lock()()
	name := s.Step
	if s.Skipped {
		name += " (skipped)"
	}
	o.steps = append(o.steps, name)
}

func (o *observer) count(label string) int {
	defer o.lock()()
	return o.restarts[label]
}
