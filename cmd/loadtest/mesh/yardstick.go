package mesh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// EchoCommand is the command line word under which this program is a server that
// passes everything at once; see Echo.
const EchoCommand = "echo"

// yardstickTime is the longest that the yardstick is under load.
const yardstickTime = 20 * time.Second

// yardstick is the same generator, at the same rate, against a bare server that
// decides nothing: what of the machine is gone before anybody has decided
// anything.
type yardstick struct {
	rate     float64
	offered  int
	answered int     // in time
	perCall  costs   // processor time
	room     int     // CPUs that the server may use
	apart    bool    // the generator has CPUs of its own
	cpus     float64 // that the server used
	client   float64 // CPUs of the generator
	latency  *measure.Latency
}

// costs are processor times of one call.
type costs struct{ client, server time.Duration }

// measureYardstick starts the bare server as a process of its own, as the sidecar
// is one, and sends it the load of a step.
func (m *mesh) measureYardstick(ctx context.Context, rate float64) (y *yardstick, err error) {
	m.opts.Progress.Step("the yardstick: a bare server at %.0f exchanges/s", rate)
	addr, pid, stop, err := startEcho(ctx, m.share)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	bare := &mesh{opts: m.opts, seed: m.seed + 1, standing: m.standing}
	defer func() {
		for _, c := range bare.conns {
			c.Close()
		}
	}()
	for range m.opts.Connections {
		c, err := sidecar.Dial(addr)
		if err != nil {
			return nil, err
		}
		bare.conns = append(bare.conns, c)
		bare.clients = append(bare.clients, extmcp.NewExtMcpClient(c))
	}
	schedule := traffic.Poisson(rate, min(m.opts.Duration, yardstickTime), bare.seed)
	xs, err := bare.exchanges(len(schedule))
	if err != nil {
		return nil, err
	}
	s := newStep(len(schedule), rate, min(m.opts.Duration, yardstickTime))
	before, err := measure.CPUOf(pid)
	if err != nil {
		return nil, err
	}
	usage, _ := measure.Of(func() error { bare.openLoop(ctx, s, schedule, xs); return nil })
	after, err := measure.CPUOf(pid)
	if err != nil {
		return nil, err
	}
	if s.inTime == 0 {
		return nil, fmt.Errorf("measure the yardstick: none of %d exchanges was answered", len(schedule))
	}
	sent := time.Duration(max(1, s.offered-s.lost))
	room, _ := m.share.CPUs(runtime.NumCPU())
	return &yardstick{rate: rate, room: room, apart: m.share != nil, offered: s.offered, answered: s.inTime, latency: s.latency,
		perCall: costs{client: usage.CPU / sent, server: (after - before) / sent},
		cpus:    (after - before).Seconds() / usage.Wall.Seconds(), client: usage.CPU.Seconds() / usage.Wall.Seconds()}, ctx.Err()
}

// startEcho runs this program as the bare server, on the sidecar's CPUs.
func startEcho(ctx context.Context, share *measure.Share) (addr string, pid int, stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", 0, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, self, EchoCommand) //nolint:gosec // this program itself
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = share.Start(cmd)
	}
	if err != nil {
		cancel()
		return "", 0, nil, fmt.Errorf("start the yardstick: %w", err)
	}
	stop = func() error {
		cancel()
		_ = cmd.Wait() // it was killed
		return nil
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", 0, nil, errors.Join(fmt.Errorf("start the yardstick: it does not say where it listens: %w", err), stop())
	}
	return strings.TrimSpace(line), cmd.Process.Pid, stop, nil
}

// ideal is how many exchanges a second could be decided at the step's rate if a
// refusal cost nothing but its transport, given what one decision costs: every
// call is paid for by transport first, and by the generator where it runs on the same
// CPUs, and the rest of them decides.
func (y *yardstick) ideal(decision time.Duration) float64 {
	call := y.perCall.server
	if !y.apart {
		call += y.perCall.client
	}
	left := float64(y.room) - y.rate*call.Seconds()
	more := (decision - y.perCall.server).Seconds()
	if left <= 0 || more <= 0 {
		return 0
	}
	return left / more
}
