package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

// Options are how the drill is run.
type Options struct {
	// Sallyport is the binary.
	Sallyport string
	// Traffic is for how long calls are started after the signal.
	Traffic time.Duration
	// Rows are what is run.
	Rows []Row
	// Progress is told each step.
	Progress *measure.Progress
}

// Verdict is a row with what it saw.
type Verdict struct {
	Row     Row
	Outcome *Outcome
	Checks  []Check
	// Err is set when the row could not be run at all.
	Err error
}

// Held reports whether everything held.
func (v *Verdict) Held() bool {
	return v.Err == nil && !slices.ContainsFunc(v.Checks, func(c Check) bool { return !c.Held })
}

const (
	callEvery = 20 * time.Millisecond
	pollEvery = 50 * time.Millisecond
	// callLimit bounds one call, startLimit a start up to SERVING.
	callLimit  = 20 * time.Second
	startLimit = 2 * time.Minute
	// killAfter is how far beyond its limit a process is killed.
	killAfter = 10 * time.Second
)

// Run runs the rows one after the other. It starts nothing more once ctx ends.
func Run(ctx context.Context, o Options) ([]*Verdict, error) {
	defer o.Progress.Done()
	if _, err := os.Stat(o.Sallyport); err != nil {
		return nil, fmt.Errorf("find the sidecar: %w", err)
	}
	var out []*Verdict
	for i, row := range o.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o.Progress.Step("row %d of %d: %s (%s)", i+1, len(o.Rows), row.Name, row.Story)
		v := &Verdict{Row: row}
		if row.Restarts > 0 {
			v.Outcome, v.Err = runRolling(ctx, o, row)
		} else {
			v.Outcome, v.Err = runRow(ctx, o, row)
		}
		if v.Err == nil {
			for _, expect := range row.Expect {
				v.Checks = append(v.Checks, expect(row, v.Outcome))
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// run is one row on its way.
type run struct {
	row     Row
	traffic time.Duration
	ctx     context.Context
	// starting ends when the sidecar has: no more calls are started then.
	starting context.Context
	dir      string
	env      sidecar.Env
	sidecar  *sidecar.Process
	zero     time.Time // the first stop signal
	// signalled is closed when it was sent.
	signalled chan struct{}
	load      sync.WaitGroup
	looks     sync.WaitGroup
	mu        sync.Mutex // guards the outcome while many look at once
	o         Outcome
}

func runRow(parent context.Context, o Options, row Row) (outcome *Outcome, err error) {
	binary, err := filepath.Abs(o.Sallyport)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sallyport-drill-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}()
	ctx, cancel := context.WithTimeout(parent, 10*time.Minute)
	defer cancel()
	r := &run{row: row, traffic: o.Traffic, ctx: ctx, dir: dir, signalled: make(chan struct{})}
	r.env = row.Env.With(sidecar.Env{
		"SHUTDOWN_DRAIN_S": seconds(row.Drain), "SHUTDOWN_GRACE_S": seconds(row.Grace), "SHUTDOWN_CLEANUP_S": seconds(row.Cleanup),
	})
	if row.Prepare != nil {
		if err := row.Prepare(r); err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
	}
	if r.sidecar, err = sidecar.Start(ctx, binary, dir, r.env); err != nil {
		return nil, err
	}
	starting, end := context.WithCancel(ctx)
	r.starting = starting
	go func() {
		defer end()
		select {
		case <-r.sidecar.Exited():
		case <-ctx.Done():
		}
	}()
	defer func() {
		select {
		case <-r.sidecar.Exited():
		default:
			r.sidecar.Kill()
		}
	}()
	if err := r.ready(); err != nil {
		return nil, err
	}
	if err := r.drill(); err != nil {
		return nil, err
	}
	// What still waits for a sidecar that has gone learns of it from the connection: it
	// must not be us who cuts a call off.
	last := time.AfterFunc(callLimit, cancel)
	defer last.Stop()
	r.load.Wait()
	r.looks.Wait()
	if err := r.steps(); err != nil {
		return nil, err
	}
	return &r.o, nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%g", d.Seconds()) }

// ready brings the sidecar to where the signal is to find it.
func (r *run) ready() error {
	ctx, cancel := context.WithTimeout(r.ctx, startLimit)
	defer cancel()
	conn, err := r.sidecar.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if r.row.Warming {
		err = r.sidecar.Await(ctx, "it was warming", func() bool {
			lines, _ := r.sidecar.Lines()
			return slices.ContainsFunc(lines, func(l sidecar.Line) bool { return l.Msg == "phase" && l.To == "warming" })
		})
	} else {
		err = sidecar.AwaitServing(ctx, conn)
	}
	if err != nil {
		return err
	}
	// Until the signal, times count from here.
	r.zero = time.Now()
	for _, name := range []string{readyService, unknownService} {
		if err := r.follow(name); err != nil {
			return err
		}
	}
	r.poll(time.Now())
	if r.row.Slow {
		if err := r.slow(ctx); err != nil {
			return fmt.Errorf("slow exchange: %w", err)
		}
	}
	if r.row.Before != nil {
		return r.row.Before(r)
	}
	return nil
}

// drill sends the signals and watches until the process has ended.
func (r *run) drill() error {
	// Everything before counts from the signal, too.
	r.mu.Lock()
	now := time.Now()
	r.shift(now.Sub(r.zero))
	r.zero = now
	r.mu.Unlock()
	if err := r.signal(); err != nil {
		return err
	}
	close(r.signalled)
	stop := make(chan struct{})
	r.looks.Go(func() { r.pollAll(stop) })
	r.load.Go(r.calls)
	for _, at := range r.row.Signals[1:] {
		if r.wait(at) {
			break
		}
		if err := r.signal(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	ended := r.wait(r.row.limit() + killAfter)
	if !ended {
		r.o.Killed = true
		r.sidecar.Kill()
	}
	close(stop)
	at, code := r.sidecar.Ended()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Exit, r.o.Code = at.Sub(r.zero), code
	return r.ctx.Err()
}

// wait waits until a moment after the signal or the end of the process, and
// reports whether the process has ended.
func (r *run) wait(until time.Duration) (ended bool) {
	timer := time.NewTimer(time.Until(r.zero.Add(until)))
	defer timer.Stop()
	select {
	case <-r.sidecar.Exited():
		return true
	case <-timer.C:
		return false
	case <-r.ctx.Done():
		return false
	}
}

func (r *run) signal() error {
	r.mu.Lock()
	at := time.Duration(0) // the first one is the zero of all times
	if len(r.o.Signals) > 0 {
		at = time.Since(r.zero)
	}
	r.o.Signals = append(r.o.Signals, Step{At: at, Name: stopSignal.String()})
	r.mu.Unlock()
	return r.sidecar.Signal(stopSignal)
}

// shift moves everything that was seen so far before the new zero.
func (r *run) shift(by time.Duration) {
	for i := range r.o.Polls {
		r.o.Polls[i].At -= by
	}
	for i := range r.o.Admin {
		r.o.Admin[i].At -= by
	}
	for i := range r.o.Watches {
		for k := range r.o.Watches[i].Told {
			r.o.Watches[i].Told[k].At -= by
		}
	}
}

// steps reads the order of the stop from the sidecar's log.
func (r *run) steps() error {
	lines, err := r.sidecar.Lines()
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Step != "" {
			r.o.Steps = append(r.o.Steps, Step{At: l.At.Sub(r.zero), Took: l.Took.Duration, Name: l.Step})
		}
	}
	return nil
}
