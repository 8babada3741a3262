package mesh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// Result is everything that was measured.
type Result struct {
	opts    Options
	steps   []*Step
	loads   [2]string
	own     bool
	machine string // and who has which of its CPUs
}

const (
	// patience is how long a gateway waits, by its usual timeout.
	patience = 3 * time.Second
	// callLimit bounds one call of the load.
	callLimit = 10 * time.Second
	// mostOutstanding bounds the exchanges on their way.
	mostOutstanding = 20_000
	startLimit      = 2 * time.Minute
	stopLimit       = 30 * time.Second
	// peakPart is the part of a duration that the capacity is measured for, on each
	// side of an open loop.
	peakPart = 5
)

// mesh is a run on its way.
type mesh struct {
	opts    Options
	admin   string
	share   *measure.Share   // of the CPUs between sidecar and generator
	back    func() error     // takes the generator back to all CPUs
	process *sidecar.Process // that was started; nil for none
	dir     string           // of it
	conns   []*grpc.ClientConn
	probe   *grpc.ClientConn // of health checks, one of conns
	clients []extmcp.ExtMcpClient
	next    atomic.Uint64
	seed    uint64
	// standing are the texts that repeat through the whole run.
	standing []traffic.Text
}

// Run measures. It starts a sidecar unless one is named, and stops what it started.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	m, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	r := &Result{opts: m.opts, own: o.Addr == "", machine: m.machine()}
	r.loads[0] = measure.LoadAverage()
	fractions := o.Fractions
	if o.Rate > 0 {
		fractions = []float64{0}
	}
	for _, f := range fractions {
		s, err := m.step(ctx, f)
		if err != nil {
			return nil, err
		}
		r.steps = append(r.steps, s)
	}
	r.loads[1] = measure.LoadAverage()
	return r, nil
}

// open connects to the sidecar of the options, or to one that it starts, and
// returns once that serves. Whoever gets a mesh closes it.
func open(ctx context.Context, o Options) (m *mesh, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	m = &mesh{opts: o, admin: o.Admin, seed: o.Seed, standing: traffic.Standing(traffic.MCP, o.Seed)}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if m.share, err = measure.NewShare(o.SidecarCPUs); err != nil {
		return m, err
	}
	if m.back, err = m.share.Keep(); err != nil {
		return m, err
	}
	addr := o.Addr
	if addr == "" {
		if err := m.start(ctx); err != nil {
			return m, err
		}
		addr, m.admin = m.process.Addr, m.process.Admin
	}
	for range o.Connections + 1 {
		c, err := sidecar.Dial(addr)
		if err != nil {
			return m, err
		}
		m.conns = append(m.conns, c)
	}
	m.probe = m.conns[o.Connections]
	for _, c := range m.conns[:o.Connections] {
		m.clients = append(m.clients, extmcp.NewExtMcpClient(c))
	}
	ready, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := sidecar.AwaitServing(ready, m.probe); err != nil {
		return m, err
	}
	return m, m.acquaint(ctx)
}

// acquaint sends every text that will repeat once: a sidecar that has run for a while
// knows them.
func (m *mesh) acquaint(ctx context.Context) error {
	if m.opts.RepeatShare == 0 {
		return nil
	}
	source := newSource(0, nil, m.opts.Seed)
	xs := make([]exchange, len(m.standing))
	for i, t := range m.standing {
		var err error
		if xs[i], err = source.with(t); err != nil {
			return err
		}
	}
	_, err := m.closedLoop(ctx, xs, callLimit)
	return err
}

// start starts a sidecar in a folder of its own.
func (m *mesh) start(ctx context.Context) error {
	m.opts.Progress.Step("starting %s", m.opts.Sallyport)
	binary, err := filepath.Abs(m.opts.Sallyport)
	if err != nil {
		return err
	}
	if m.dir, err = os.MkdirTemp("", "sallyport-load-*"); err != nil {
		return err
	}
	m.process, err = sidecar.StartOn(ctx, m.share, binary, m.dir, sidecar.Env{"SHUTDOWN_DRAIN_S": "0"}.With(m.opts.Env))
	return err
}

// machine says on which CPUs the sidecar and the load generator run.
func (m *mesh) machine() string {
	all := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	switch theirs, own := m.share.CPUs(runtime.NumCPU()); {
	case m.share != nil:
		return fmt.Sprintf("%s: %d for the sidecar alone, %d for the load generator", all, theirs, own)
	case m.process != nil:
		return all + ", shared by the sidecar and the load generator"
	}
	return all
}

// close hangs up, and stops and clears away what was started.
func (m *mesh) close() (err error) {
	m.opts.Progress.Done()
	if m.back != nil {
		defer func() { err = errors.Join(err, m.back()) }()
	}
	for _, c := range m.conns {
		c.Close()
	}
	if m.process != nil {
		if err := m.process.Stop(stopLimit); err != nil {
			return err // its folder, with the log, stays
		}
	}
	if m.dir == "" {
		return nil
	}
	return os.RemoveAll(m.dir)
}

func (m *mesh) client() extmcp.ExtMcpClient {
	return m.clients[m.next.Add(1)%uint64(len(m.clients))]
}

// exchanges makes n that were not sent before, but for the share that repeats.
func (m *mesh) exchanges(n int) ([]exchange, error) {
	m.seed++
	return newSource(m.opts.RepeatShare, m.standing, m.seed).many(n)
}

// refusedPause is what a caller of a closed loop waits after a refusal.
const refusedPause = 10 * time.Millisecond

// mostPerSecond is how many exchanges a closed loop has ready for each of its seconds.
// It ends early when it has sent them all: sent again, they would be remembered, and
// the capacity would be that of a cache.
const mostPerSecond = 10_000

// capacity is what a sidecar does when so many callers wait for answers all the time.
type capacity struct {
	rate float64 // exchanges decided per second
	// cost is the sidecar's processor time for each of them, 0 when its process is not
	// ours to look at.
	cost time.Duration
	// known is the share of its look-ups of scores that it remembered.
	known share
}

// capacity measures it in a closed loop.
func (m *mesh) capacity(ctx context.Context) (capacity, error) {
	m.opts.Progress.Step("the capacity, in a closed loop of %d callers", m.opts.Callers)
	d := max(m.opts.Duration/peakPart, 50*time.Millisecond)
	xs, err := m.exchanges(int(d.Seconds() * mostPerSecond))
	if err != nil {
		return capacity{}, err
	}
	begin, cpu, looks := time.Now(), m.cpu(), m.looks(ctx)
	decided, err := m.closedLoop(ctx, xs, d)
	if err != nil {
		return capacity{}, err
	}
	return capacity{rate: float64(decided) / time.Since(begin).Seconds(), cost: (m.cpu() - cpu) / time.Duration(decided), known: m.looks(ctx).since(looks)}, nil
}

// closedLoop sends exchanges for so long, or until all are sent, and says how many were
// decided: none is an error.
func (m *mesh) closedLoop(ctx context.Context, xs []exchange, d time.Duration) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, callLimit+d)
	defer cancel()
	var next, decided, wrong atomic.Int64
	var callers sync.WaitGroup
	begin := time.Now()
	for range m.opts.Callers {
		callers.Go(func() {
			for time.Since(begin) < d && limited.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(xs) {
					return
				}
				if xs[i].ask(limited, m.client()).decided() {
					decided.Add(1)
					continue
				}
				wrong.Add(1)
				select { // nobody asks again at once
				case <-time.After(refusedPause):
				case <-limited.Done():
				}
			}
		})
	}
	callers.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if decided.Load() == 0 {
		return 0, fmt.Errorf("send exchanges one after the other: none of %d was decided", wrong.Load())
	}
	return decided.Load(), nil
}

// cpu is the processor time of a sidecar that was started here.
func (m *mesh) cpu() time.Duration {
	if m.process == nil {
		return 0
	}
	d, err := measure.CPUOf(m.process.PID())
	if err != nil {
		return 0 // it has ended, which somebody else will notice
	}
	return d
}
