package sidecar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
)

// Env are settings of a sidecar by the name of the variable.
type Env map[string]string

// With is e and more, more winning.
func (e Env) With(more Env) Env {
	out := Env{}
	maps.Copy(out, e)
	maps.Copy(out, more)
	return out
}

// Process is one run of the binary.
type Process struct {
	// Addr serves gRPC, Admin HTTP.
	Addr, Admin string
	// Dir is the folder of this run, with its log and its audit trail.
	Dir    string
	cmd    *exec.Cmd
	exited chan struct{}
	cancel context.CancelFunc
	ended  time.Time
}

const (
	// lifetime bounds a process whatever happens to its test, unless the test says by
	// the deadline of its context that it takes longer.
	lifetime = 15 * time.Minute
	// attempts is how often a start is tried when another program takes the port
	// between its choice and its use.
	attempts = 3
	// look is how often a condition outside of the process is looked at.
	look = 10 * time.Millisecond
)

// Start runs binary in dir and returns once it listens. Settings of the caller's
// environment do not reach it, but for the place of the runtime library.
func Start(ctx context.Context, binary, dir string, settings Env) (*Process, error) {
	return StartOn(ctx, nil, binary, dir, settings)
}

// StartOn is Start on a part of the CPUs.
func StartOn(ctx context.Context, part *measure.Share, binary, dir string, settings Env) (*Process, error) {
	var err error
	for range attempts {
		var p *Process
		if p, err = launch(ctx, part, binary, dir, settings); err != nil {
			return nil, err
		}
		if err = p.awaitListening(ctx); err == nil {
			return p, nil
		}
		p.Kill()
		if !strings.Contains(err.Error(), "address already in use") {
			return nil, err
		}
	}
	return nil, err
}

func launch(ctx context.Context, part *measure.Share, binary, dir string, settings Env) (*Process, error) {
	p := &Process{Dir: dir, exited: make(chan struct{})}
	var err [2]error
	p.Addr, err[0] = freeAddr()
	p.Admin, err[1] = freeAddr()
	if err := errors.Join(err[:]...); err != nil {
		return nil, fmt.Errorf("find free ports: %w", err)
	}
	all := Env{
		"LISTEN_ADDR": p.Addr, "ADMIN_ADDR": p.Admin, "AUDIT_LOG_PATH": filepath.Join(dir, "audit.jsonl"),
		"PATH": os.Getenv("PATH"), "HOME": dir, "TMPDIR": dir,
	}
	if lib := os.Getenv("ONNXRUNTIME_LIB"); lib != "" {
		all["ONNXRUNTIME_LIB"] = lib
	}
	all = all.With(settings)
	log, e := os.Create(p.logFile())
	if e != nil {
		return nil, e
	}
	defer func() { _ = log.Close() }() // the child has its own handle
	// The process outlives ctx: whoever stops the test still wants to stop it in order.
	limit := lifetime
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(limit, time.Until(deadline))
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	p.cancel = cancel
	p.cmd = exec.CommandContext(bound, binary, "serve")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p.cmd.Env = append(p.cmd.Env, name+"="+all[name])
	}
	p.cmd.Stderr = log
	if err := part.Start(p.cmd); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	go func() {
		_ = p.cmd.Wait() // the code is in ProcessState
		p.ended = time.Now()
		cancel()
		close(p.exited)
	}()
	return p, nil
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (p *Process) logFile() string { return filepath.Join(p.Dir, "sallyport.log") }

// PID is the process's.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Ended is the moment and the code of the exit, after Exited is closed. A process
// that a signal killed has the code -1.
func (p *Process) Ended() (time.Time, int) { return p.ended, p.cmd.ProcessState.ExitCode() }

// Signal sends a signal.
func (p *Process) Signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("send %v: %w", s, err)
	}
	return nil
}

// Kill ends the process at once and waits for its end.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have gone
	<-p.exited
	p.cancel()
}

// Stop asks the process to end, as an orchestrator does, and kills it when it does
// not within limit.
func (p *Process) Stop(limit time.Duration) error {
	defer p.cancel()
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.Kill()
		return fmt.Errorf("the sidecar did not end within %v after SIGTERM", limit)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the sidecar ended with exit code %d (log: %s)", code, p.logFile())
	}
	return nil
}

// Await looks until cond holds, the process ends, or ctx does.
func (p *Process) Await(ctx context.Context, what string, cond func() bool) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for !cond() {
		select {
		case <-p.exited:
			if cond() {
				return nil
			}
			return fmt.Errorf("the sidecar ended before %s: %s", what, p.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

func (p *Process) awaitListening(ctx context.Context) error {
	return p.Await(ctx, "it listened", func() bool {
		data, _ := os.ReadFile(p.logFile())
		return bytes.Contains(data, []byte(`"msg":"listening"`))
	})
}

// lastWords is the end of the log.
func (p *Process) lastWords() string {
	data, _ := os.ReadFile(p.logFile())
	return string(data[max(0, len(data)-600):])
}

// Dial makes a connection of its own. Options may replace the dialer.
func (p *Process) Dial(more ...grpc.DialOption) (*grpc.ClientConn, error) {
	return Dial(p.Addr, more...)
}

// largestMessage bounds what a call may carry, in bytes.
const largestMessage = 256 << 20

// Dial makes a connection to an address on this machine; elsewhere it refuses: a
// load test must not fall on a stranger.
func Dial(addr string, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	target := addr
	if !strings.HasPrefix(addr, "unix:") {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, fmt.Errorf("address %q: %w", addr, err)
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return nil, fmt.Errorf("address %q is not on this machine: loads are sent to loopback only", addr)
		}
		target = "passthrough:///" + addr
	}
	return grpc.NewClient(target, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestMessage), grpc.MaxCallSendMsgSize(largestMessage)),
	}, more...)...)
}

// AwaitServing waits until readiness is SERVING.
func AwaitServing(ctx context.Context, conn *grpc.ClientConn) error {
	for {
		watch, err := healthpb.NewHealthClient(conn).Watch(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
		if err != nil {
			return fmt.Errorf("wait for SERVING: %w", err)
		}
		for {
			r, err := watch.Recv()
			if err != nil {
				if ctx.Err() != nil {
					return fmt.Errorf("wait for SERVING: %w", err)
				}
				break // once more
			}
			if r.GetStatus() == healthpb.HealthCheckResponse_SERVING {
				return nil
			}
		}
	}
}
