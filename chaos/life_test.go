//go:build chaos

package chaos

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/grpcapi"
	"github.com/sallyport-mcp/sallyport/inference"
	"github.com/sallyport-mcp/sallyport/inference/onnxtest"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	defaultmodel "github.com/sallyport-mcp/sallyport/models/default"
	judgemodel "github.com/sallyport-mcp/sallyport/models/judge"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// temper is what one life is like.
type temper struct {
	open      bool // fails open
	required  bool // nothing without an audit line
	slow      bool // a model that some words hold up
	impatient bool // harm from the first moment, before it serves
	wild      bool // no bound on the harm to one actor, and the root is hurt, too
	forgetful bool // trace shards are hurt, which costs them what they remember
}

func (v temper) String() string {
	s := ""
	for _, f := range []struct {
		on   bool
		name string
	}{{v.open, "open"}, {v.required, "audit required"}, {v.slow, "slow model"}, {v.impatient, "impatient"}, {v.wild, "wild"}, {v.forgetful, "forgetful"}} {
		if f.on {
			s += ", " + f.name
		}
	}
	return s
}

// life is one engine from its start to its end.
type life struct {
	w      *world
	rnd    *rand.Rand // of the director alone
	number int
	temper temper
	cfg    sallyport.Config
	policy sallyport.Policy

	sys      *actor.ActorSystem
	registry *prometheus.Registry
	engine   *sallyport.Engine
	server   *grpcapi.Server
	disk     *disk
	sink     *sink
	trail    string // the audit file
	packs    packs
	lines    *lines

	harmed    map[string]int // fatal harm by role, by the director alone
	ill       atomic.Bool    // the disk is, for a while
	auditHurt bool
	auditAt   atomic.Int64 // when the audit actor or the root was last hurt, Unix nanoseconds
	traceHurt atomic.Int64 // when a trace shard or the root was last hurt, Unix nanoseconds
	endBegan  atomic.Int64 // when the end was begun; 0 before
	endStolen atomic.Int64 // what was stolen before that
	keptUntil atomic.Int64 // calls that began before must not be lost
	refs      refs
	lost      lostCalls
	alone     atomic.Bool // nobody hurts it any more, nor sends what hurts
	load      sync.WaitGroup
	unload    chan struct{} // closed when the load must end
	reloads   chan string
	healing   sync.WaitGroup
}

// sink is an audit writer that says when it was closed.
type sink struct {
	*audit.Writer
	closed atomic.Bool
}

// Close closes the writer.
func (s *sink) Close() error {
	defer s.closed.Store(true)
	return s.Writer.Close()
}

func pick[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

const never = int64(1) << 62

// The bounds of a payload and of a message here: smaller than the defaults, so
// that what exceeds them is cheap to make.
const maxPayload, maxRecv = 1 << 20, 4 << 20

// conceive decides what the next life is like.
func (w *world) conceive(number int) *life {
	rnd := w.rnd
	l := &life{w: w, rnd: rnd, number: number, disk: newDisk(rnd.Uint64()), harmed: map[string]int{},
		unload: make(chan struct{}), reloads: make(chan string, 4), registry: prometheus.NewRegistry(), sys: guard.NewSystem(nil)}
	l.keptUntil.Store(never)
	l.temper = temper{open: rnd.IntN(4) == 0, required: rnd.IntN(2) == 0, slow: rnd.IntN(4) == 0,
		impatient: rnd.IntN(5) == 0, wild: rnd.IntN(4) == 0, forgetful: rnd.IntN(2) == 0}
	l.trail = filepath.Join(w.dir, "audit.jsonl")
	l.packs = packs{path: filepath.Join(w.dir, "pack.yaml"), number: number * 1000}

	c := sallyport.DefaultConfig()
	c.RulesPath, c.DenyTools = l.packs.path, []string{"danger"}
	if l.temper.open {
		c.Default.Failure = decision.FailOpen
		// Detectors that run out of time are something that could not be decided, and
		// passed: the machine must not be what is tested.
		c.ScannerTimeout = 20 * time.Second
	}
	src := inference.FS(defaultmodel.FS())
	switch {
	case l.temper.slow:
		src = inference.FS(onnxtest.Files(w.t, onnxtest.Slow))
		c.ModelWide = true
	case rnd.IntN(2) == 0:
		gate := src
		src, c.Gate = inference.FS(judgemodel.FS()), &gate
	}
	c.Model, c.RuntimeLib = &src, onnxtest.Library(w.t)
	c.ModelWorkers, c.ModelCache, c.ModelQueueTokens = pick(rnd, 1, 2), pick(rnd, 0, 1000), pick(rnd, 2048, 65_536)
	c.MaxInflight, c.MaxPayloadBytes = pick(rnd, 16, 64, 256), maxPayload
	c.Drain, c.Grace, c.Cleanup = pick(rnd, 0, 700*time.Millisecond, 1500*time.Millisecond), pick(rnd, time.Second, 3*time.Second), pick(rnd, time.Second, 2*time.Second)
	c.PinsFile, c.AuditRequired, c.System = filepath.Join(w.dir, "pins.json"), l.temper.required, l.sys
	c.Registerer = l.registry
	l.policy = c.Policy
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	c.Logger = zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), zap.WarnLevel))
	l.cfg = c
	return l
}

// signKey signs the checkpoints of every life of this process.
var signKey = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

// begin starts engine and server. An engine that is impatient is not yet serving.
func (l *life) begin() error {
	if err := l.packs.good(l.rnd); err != nil {
		return err
	}
	if err := l.start("127.0.0.1:0"); err != nil {
		return err
	}
	l.watchPhases()
	l.lines = dialLines(l.server.Addr().String(), l.w.seed)
	if l.temper.impatient {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if p := l.engine.AwaitServing(ctx); !p.Ready() {
		return fmt.Errorf("the engine is %v and not serving: %+v", p, l.engine.Status())
	}
	return nil
}

// start starts engine and server at an address.
func (l *life) start(addr string) error {
	writer, err := audit.Open(audit.Options{Path: l.trail, FS: l.disk, SignKey: signKey, Version: "chaos"})
	if err != nil {
		return err
	}
	l.sink = &sink{Writer: writer}
	l.cfg.Audit = l.sink
	if l.engine, err = sallyport.New(l.cfg); err != nil {
		return err
	}
	l.server, err = grpcapi.New(l.engine, grpcapi.Options{Addr: addr, MaxRecvBytes: maxRecv, Logger: l.cfg.Logger, Timeout: l.cfg.ScannerTimeout + 5*time.Second,
		Observer: grpcapi.Observer{Refused: l.engine.ServerRefused, Panicked: func(decision.Phase) { l.w.violate("the server recovered a panic") }}})
	if err != nil {
		return err
	}
	l.engine.Attach(l.server)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.engine.Start(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

// stillborn tries to start with something that is wrong: the start must say so and
// leave nothing behind.
func (l *life) stillborn() {
	what, addr := "an address in use", ""
	if l.rnd.IntN(2) == 0 {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			l.w.violate("take an address: %v", err)
			return
		}
		defer taken.Close()
		addr = taken.Addr().String()
		err = l.packs.good(l.rnd)
		if err != nil {
			l.w.violate("write the pack: %v", err)
			return
		}
	} else {
		var err error
		addr = "127.0.0.1:0"
		if what, err = l.packs.broken(l.rnd); err != nil {
			l.w.violate("write the pack: %v", err)
			return
		}
	}
	err := l.start(addr)
	l.w.note("stillborn, with %s: %v", what, err)
	l.w.count("stillborn")
	if err == nil {
		l.w.violate("it starts with %s", what)
		err = l.engine.Shutdown(context.Background())
		l.w.note("shut down: %v", err)
	}
	if !l.sink.closed.Load() {
		l.w.violate("a start that failed with %s leaves the trail open", what)
	}
}

// watchPhases checks that phases follow one another, and that there is no way back
// from the end.
func (l *life) watchPhases() {
	last := l.engine.Phase()
	first := true
	l.engine.Subscribe(func(c sallyport.PhaseChange) {
		l.server.SetServing(c.To.Ready())
		if d := l.engine.ExchangeTimeout() + 500*time.Millisecond; d > 0 {
			l.server.SetTimeout(d)
		}
		if !first && c.From != last {
			l.w.violate("phase %v was told after %v", c.From, last)
		}
		if last >= sallyport.Draining && c.To < last {
			l.w.violate("phase went back from %v to %v", last, c.To)
		}
		first, last = false, c.To
	})
}

// setDisk makes the disk ill for a while, unless it is. A full one stays so for long
// enough to be known.
func (l *life) setDisk(a ailment, d time.Duration) {
	if !l.ill.CompareAndSwap(false, true) {
		return
	}
	if a == full {
		d += 2 * knownTime
	}
	l.w.note("disk %v for %v", a, d.Round(time.Millisecond))
	l.w.count("disk " + a.String())
	l.disk.set(a)
	l.healing.Go(func() {
		select {
		case <-time.After(d):
		case <-l.unload:
		}
		if l.endBegan.Load() == 0 { // the end may want it ill
			l.disk.set(healthy)
		}
		l.ill.Store(false)
	})
}

// rotate moves the audit file away, as logrotate does.
func (l *life) rotate() {
	to := fmt.Sprintf("%s.%d.%d", l.trail, l.number, time.Now().UnixNano())
	err := os.Rename(l.trail, to)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.w.note("rotate the trail (%v): %v", err, l.engine.ReopenAudit(ctx))
	if ctx.Err() != nil {
		l.w.violate("ReopenAudit did not return within %v", patience)
	}
}
