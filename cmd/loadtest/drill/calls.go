package drill

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
)

// mostOutstanding bounds the calls on their way.
const mostOutstanding = 20_000

// calls starts calls by a schedule that no answer delays: on a new connection
// each, or many on one.
func (r *run) calls() {
	schedule := traffic.Even(callEvery, r.traffic)
	one := func(i int) { r.call(i) }
	if n := r.row.OneConn; n > 0 {
		schedule = traffic.Even(time.Second/time.Duration(n), r.row.Drain)
		conn, err := r.sidecar.Dial()
		if err != nil {
			r.add(Call{Name: "call 0", Result: CutOff, Detail: err.Error()})
			return
		}
		defer conn.Close()
		client := extmcp.NewExtMcpClient(conn)
		one = func(i int) { r.askOn(client, i) }
	}
	measure.OpenLoop(r.starting, schedule, mostOutstanding, func(i int, _ time.Time) { one(i) }, func(i int) {
		r.add(Call{Name: fmt.Sprintf("call %d", i), Start: schedule[i], End: schedule[i], Result: CutOff, Detail: "too many on their way"})
	})
}

func (r *run) add(c Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Calls = append(r.o.Calls, c)
}

// call makes one call on a connection of its own.
func (r *run) call(i int) {
	conn, err := r.sidecar.Dial()
	if err != nil {
		r.add(Call{Name: fmt.Sprintf("call %d", i), Result: CutOff, Detail: err.Error()})
		return
	}
	defer conn.Close()
	r.askOn(extmcp.NewExtMcpClient(conn), i)
}

func (r *run) askOn(client extmcp.ExtMcpClient, i int) {
	ctx, cancel := context.WithTimeout(r.ctx, callLimit)
	defer cancel()
	c := Call{Name: fmt.Sprintf("call %d", i), Start: time.Since(r.zero)}
	got, err := client.CheckRequest(ctx, &extmcp.McpRequest{
		ServiceNames: []string{"drill"}, Method: "tools/call",
		McpRequest: fmt.Appendf(nil, `{"name":"lookup","arguments":{"number":%d}}`, i),
	})
	c.End = time.Since(r.zero)
	c.Result, c.Detail = classify(err)
	if err == nil && got.GetPass() == nil {
		c.Result, c.Detail = Denied, got.GetError().GetReason()
	}
	r.add(c)
}

// slow starts exchanges that are in flight over the signal: one whose message
// arrives over a slow line, and, unless the row ends before that is through, heavy
// ones that are being decided at the signal and at the end of the drain wait. It
// returns when the sidecar is deciding.
func (r *run) slow(ctx context.Context) error {
	line, err := r.sidecar.Dial(grpc.WithContextDialer(r.slowLine))
	if err != nil {
		return err
	}
	r.slowCall("on a slow line", line, result(slowLineBytes))
	if r.row.Release < 0 {
		return nil
	}
	size, err := r.heavySize(ctx)
	if err != nil {
		return err
	}
	body := result(size)
	if end := r.row.drainEnd(); end > 0 {
		conn, err := r.sidecar.Dial()
		if err != nil {
			return err
		}
		if err := sidecar.AwaitServing(ctx, conn); err != nil { // so that it is open before the listener closes
			conn.Close()
			return err
		}
		r.afterSignal(func() {
			if r.wait(end - heavyBefore) {
				conn.Close()
				return
			}
			r.slowCall("heavy at the drain's end", conn, body)
		})
	}
	conn, err := r.sidecar.Dial()
	if err != nil {
		return err
	}
	r.slowCall("heavy at the signal", conn, body)
	return r.sidecar.Await(ctx, "an exchange was being decided", func() bool {
		m, err := sidecar.Metrics(ctx, r.sidecar.Admin)
		r.o.Busy = err == nil && m["mcp_guardrails_inflight"] > 0
		return r.o.Busy
	})
}

const (
	slowLineBytes = 256 << 10
	// beforeTheStop is how much of the message the slow line lets through at first:
	// less than the transport's first window, so that nothing but the line holds it up.
	beforeTheStop = 32 << 10
	// Sizes of the heavy exchange, in bytes: what is measured, and the most.
	sample, heaviest = 8 << 20, 128 << 20
	// heavyTakes is what the heavy exchange should take, heavyBefore how long before
	// the end of the drain wait the second one begins.
	heavyTakes, heavyBefore = 1200 * time.Millisecond, 150 * time.Millisecond
)

// heavySize is how large a result must be to take about as long as it should.
func (r *run) heavySize(ctx context.Context) (int, error) {
	conn, err := r.sidecar.Dial()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	client := extmcp.NewExtMcpClient(conn)
	body := result(sample)
	begin := time.Now()
	if err := decide(ctx, client, body); err != nil {
		return 0, err
	}
	took := max(time.Since(begin), time.Millisecond)
	return int(min(max(float64(sample)*heavyTakes.Seconds()/took.Seconds(), sample), heaviest)), nil
}

// result is a harmless tool result of about so many bytes.
func result(bytes int) []byte {
	const line = "The meeting was moved to Thursday, and the minutes are in the usual folder. "
	return []byte(`{"content":[{"type":"text","text":"` + strings.Repeat(line, bytes/len(line)) + `"}]}`)
}

func decide(ctx context.Context, client extmcp.ExtMcpClient, body []byte) error {
	got, err := client.CheckResponse(ctx, &extmcp.McpResponse{ServiceNames: []string{"drill"}, Method: "tools/call", McpResponse: body})
	if err == nil && got.GetPass() == nil {
		return fmt.Errorf("not passed: %s", got.GetError().GetReason())
	}
	return err
}

// slowCall makes one call on a connection that is its own and closes it.
func (r *run) slowCall(name string, conn *grpc.ClientConn, body []byte) {
	start := time.Now()
	r.load.Go(func() {
		defer conn.Close()
		c := Call{Name: name}
		err := decide(r.ctx, extmcp.NewExtMcpClient(conn), body)
		end := time.Now()
		c.Result, c.Detail = classify(err)
		r.mu.Lock()
		defer r.mu.Unlock()
		c.Start, c.End = start.Sub(r.zero), end.Sub(r.zero)
		r.o.Slow = append(r.o.Slow, c)
	})
}

// afterSignal does something on a goroutine once the first stop signal was sent.
func (r *run) afterSignal(do func()) {
	r.load.Go(func() {
		select {
		case <-r.signalled:
			do()
		case <-r.ctx.Done():
		}
	})
}

// slowLine dials a connection that stops in the middle of the message until some
// time after the drain wait, or for ever.
func (r *run) slowLine(ctx context.Context, _ string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", r.sidecar.Addr)
	if err != nil {
		return nil, err
	}
	line := &slowConn{Conn: c, open: make(chan struct{}), closed: make(chan struct{})}
	if r.row.Release >= 0 {
		r.afterSignal(func() {
			r.wait(r.row.drainEnd() + r.row.Release)
			close(line.open)
		})
	}
	return line, nil
}

// slowConn writes only so much until it is opened.
type slowConn struct {
	net.Conn
	once    sync.Once
	open    chan struct{}
	closed  chan struct{}
	written int // by the one goroutine that writes
}

// Write holds back what is beyond the limit.
func (c *slowConn) Write(p []byte) (int, error) {
	n := min(len(p), max(0, beforeTheStop-c.written))
	if n > 0 {
		w, err := c.Conn.Write(p[:n])
		c.written += w
		if err != nil || w == len(p) {
			return w, err
		}
	}
	select {
	case <-c.open:
	case <-c.closed:
		return n, net.ErrClosed
	}
	w, err := c.Conn.Write(p[n:])
	return n + w, err
}

// Close lets go of a write that is held back.
func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
