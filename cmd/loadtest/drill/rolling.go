package drill

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// The times of a rolling restart, ten times shorter than those of a cluster: a
// readiness probe every second, a second until routers have heard of it, and a
// drain wait of ten.
const (
	rollingPoll  = 100 * time.Millisecond
	rollingLag   = 100 * time.Millisecond
	rollingDrain = time.Second
	// rollingGap is the time between two restarts.
	rollingGap = 500 * time.Millisecond
	// mostRolling bounds the whole of it.
	mostRolling = 20 * time.Minute
)

// Restart is one replica that was replaced. Times count from the first signal.
type Restart struct {
	Replica                       int
	Signal, Unlisted, Exit, Ready time.Duration
	Code                          int
}

// RollingRow is the row of a rolling restart of two replicas: so many restarts
// under so many pairs of calls a second.
func RollingRow(restarts, pairs int) Row {
	return Row{
		Name: "rolling", Story: fmt.Sprintf("two replicas, restarted in turn %d times, behind a client that calls as the gateway does", restarts),
		Drain: rollingDrain, Grace: 5 * time.Second, Cleanup: 2 * time.Second, Signals: []time.Duration{0},
		Restarts: restarts, Pairs: pairs,
		Expect: []Expectation{exits(0), allServed(2 * pairs * restarts), unlistedBeforeClosing, bothServed(pairs)},
	}
}

// replica is a place whose sidecar is replaced.
type replica struct {
	process *sidecar.Process
	ready   bool // as the router has heard
	probe   *grpc.ClientConn
}

// rolling is a rolling restart on its way.
type rolling struct {
	o       Options
	row     Row
	dir     string
	binary  string
	gateway *gateway
	zero    time.Time

	mu       sync.Mutex // the router, the callers and the restarts meet here
	replicas [2]*replica
	out      Outcome
}

func runRolling(parent context.Context, o Options, row Row) (outcome *Outcome, err error) {
	ctx, cancel := context.WithTimeout(parent, mostRolling)
	defer cancel()
	r := &rolling{o: o, row: row, gateway: newGateway(), zero: time.Now()}
	defer r.gateway.close()
	if r.binary, err = filepath.Abs(o.Sallyport); err != nil {
		return nil, err
	}
	if r.dir, err = os.MkdirTemp("", "sallyport-rolling-*"); err != nil {
		return nil, err
	}
	defer func() {
		for _, x := range r.replicas {
			if x != nil {
				x.probe.Close()
				x.process.Kill()
			}
		}
		if err == nil {
			err = os.RemoveAll(r.dir)
		}
	}()
	for i := range r.replicas {
		if err := r.start(ctx, i, i); err != nil {
			return nil, err
		}
	}
	looking, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { r.look(looking) })
	if err := r.awaitListed(ctx, 2); err != nil {
		return nil, err
	}
	r.zero = time.Now()
	calling, hangUp := context.WithCancel(ctx)
	defer hangUp()
	var load sync.WaitGroup
	load.Go(func() { r.load(ctx, calling) })
	err = r.restarts(ctx)
	hangUp()
	load.Wait()
	stop()
	beside.Wait()
	return &r.out, err
}

// start starts the n-th sidecar in a place.
func (r *rolling) start(ctx context.Context, place, n int) error {
	dir := filepath.Join(r.dir, fmt.Sprint("run-", n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	p, err := sidecar.Start(ctx, r.binary, dir, sidecar.Env{
		"SHUTDOWN_DRAIN_S": seconds(r.row.Drain), "SHUTDOWN_GRACE_S": seconds(r.row.Grace), "SHUTDOWN_CLEANUP_S": seconds(r.row.Cleanup),
		// Replicas that share it know each other's calls.
		"EXCHANGE_KEY": "a key of the rolling drill",
	})
	if err != nil {
		return err
	}
	probe, err := p.Dial()
	if err != nil {
		p.Kill()
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.replicas[place]; old != nil {
		old.probe.Close()
	}
	r.replicas[place] = &replica{process: p, probe: probe}
	return nil
}

// look polls readiness and tells the gateway, after as long as routers take to
// hear of a change.
func (r *rolling) look(ctx context.Context) {
	tick := time.NewTicker(rollingPoll)
	defer tick.Stop()
	var told sync.WaitGroup
	defer told.Wait()
	for {
		for _, x := range r.current() {
			limited, cancel := context.WithTimeout(ctx, pollLimit)
			got, err := healthpb.NewHealthClient(x.probe).Check(limited, &healthpb.HealthCheckRequest{Service: readyService})
			cancel()
			ready := err == nil && got.GetStatus() == healthpb.HealthCheckResponse_SERVING
			told.Go(func() {
				select {
				case <-ctx.Done():
				case <-time.After(rollingLag):
					r.tell(x, ready)
				}
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (r *rolling) current() []*replica {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*replica
	for _, x := range r.replicas {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// tell takes a replica on or off the gateway's list.
func (r *rolling) tell(x *replica, ready bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.ready == ready {
		return
	}
	x.ready = ready
	var list []string
	for _, y := range r.replicas {
		if y != nil && y.ready {
			list = append(list, y.process.Addr)
		}
	}
	r.gateway.route(list)
}

func (r *rolling) listed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, x := range r.replicas {
		if x != nil && x.ready {
			n++
		}
	}
	return n
}

// awaitListed waits until so many replicas are on the list.
func (r *rolling) awaitListed(ctx context.Context, n int) error {
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return poll(limited, func() bool { return r.listed() == n })
}

// poll looks until cond holds.
func poll(ctx context.Context, cond func() bool) error {
	tick := time.NewTicker(rollingPoll / 10)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the replicas: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

// load makes pairs of calls by a schedule until calling ends.
func (r *rolling) load(ctx, calling context.Context) {
	schedule := traffic.Poisson(float64(r.row.Pairs), mostRolling, 1)
	measure.OpenLoop(calling, schedule, mostOutstanding, func(i int, _ time.Time) {
		limited, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		var token string
		var err error
		r.one(fmt.Sprint("call ", i), func() (replica string, e error) {
			replica, token, err = r.gateway.request(limited, i)
			return replica, err
		})
		if err == nil {
			r.one(fmt.Sprint("result ", i), func() (string, error) { return r.gateway.response(limited, i, token) })
		}
	}, func(i int) {
		r.add(Call{Name: fmt.Sprint("call ", i), Start: schedule[i], End: schedule[i], Result: CutOff, Detail: "too many on their way"}, "")
	})
}

func (r *rolling) one(name string, do func() (string, error)) {
	c := Call{Name: name, Start: time.Since(r.zero)}
	where, err := do()
	c.End = time.Since(r.zero)
	c.Result, c.Detail = gatewayResult(err)
	r.add(c, where)
}

func (r *rolling) add(c Call, where string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Calls = append(r.out.Calls, c)
	for i, x := range r.replicas {
		if x != nil && x.process.Addr == where && c.Result == OK {
			r.out.Served[i]++
		}
	}
}

// restarts replaces one replica after the other. The row's exit is the slowest.
func (r *rolling) restarts(ctx context.Context) error {
	for n := range r.row.Restarts {
		r.o.Progress.Step("restart %d of %d", n+1, r.row.Restarts)
		select {
		case <-time.After(rollingGap):
		case <-ctx.Done():
			return ctx.Err()
		}
		place := n % len(r.replicas)
		x := r.current()[place]
		at := time.Since(r.zero)
		restart := Restart{Replica: place, Signal: at}
		if err := x.process.Signal(stopSignal); err != nil {
			return err
		}
		if err := r.awaitListed(ctx, 1); err != nil {
			return err
		}
		restart.Unlisted = time.Since(r.zero)
		timer := time.NewTimer(r.row.limit() + killAfter)
		select {
		case <-x.process.Exited():
		case <-timer.C:
			r.out.Killed = true
			x.process.Kill()
		}
		timer.Stop()
		ended, code := x.process.Ended()
		restart.Exit, restart.Code = ended.Sub(r.zero), code
		r.out.Exit, r.out.Code = max(r.out.Exit, restart.Exit-at), max(r.out.Code, code)
		if err := r.start(ctx, place, len(r.replicas)+n); err != nil {
			return err
		}
		if err := r.awaitListed(ctx, 2); err != nil {
			return err
		}
		restart.Ready = time.Since(r.zero)
		r.out.Restarts = append(r.out.Restarts, restart)
	}
	select {
	case <-time.After(rollingGap):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unlistedBeforeClosing expects every replica to have left the list before its
// drain wait was over: otherwise the run was lucky, or the wait too short.
func unlistedBeforeClosing(row Row, o *Outcome) Check {
	c := Check{Promise: fmt.Sprintf("every replica is off the list before its drain wait of %v is over", row.Drain), Held: len(o.Restarts) == row.Restarts}
	var longest time.Duration
	for _, s := range o.Restarts {
		longest = max(longest, s.Unlisted-s.Signal)
	}
	c.Held = c.Held && longest < row.Drain
	c.Seen = fmt.Sprintf("%d restarts, off the list after %v at most", len(o.Restarts), longest.Round(time.Millisecond))
	return c
}

// bothServed expects both replicas to have taken calls, at least so many.
func bothServed(least int) Expectation {
	return func(_ Row, o *Outcome) Check {
		var seen []string
		c := Check{Promise: fmt.Sprintf("both replicas served, at least %d calls each", least), Held: true}
		for i, n := range o.Served {
			c.Held = c.Held && n >= least
			seen = append(seen, fmt.Sprintf("replica %d: %d", i+1, n))
		}
		c.Seen = strings.Join(seen, ", ")
		return c
	}
}
