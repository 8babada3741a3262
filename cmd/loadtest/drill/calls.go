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
	measure.OpenLoop(r.ctx, schedule, mostOutstanding, func(i int, _ time.Time) { one(i) }, func(i int) {
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

// slow starts two exchanges that are in flight when the signal comes: one that the
// sidecar needs seconds to decide, and one whose message arrives over a slow line.
// It returns when the sidecar is deciding the first.
func (r *run) slow(ctx context.Context) error {
	want := r.row.drainEnd() + time.Second
	if n := len(r.row.Signals); n > 1 {
		want = r.row.Signals[n-1] + 1500*time.Millisecond
	}
	size, err := r.heavySize(ctx, want)
	if err != nil {
		return err
	}
	r.slowCall("on a slow line", result(slowLineBytes), grpc.WithContextDialer(r.slowLine))
	r.slowCall("heavy", result(size))
	err = r.sidecar.Await(ctx, "an exchange was in flight", func() bool {
		m, err := sidecar.Metrics(ctx, r.sidecar.Admin)
		r.o.Busy = err == nil && m["mcp_guardrails_inflight"] > 0
		return r.o.Busy
	})
	return err
}

const (
	slowLineBytes = 256 << 10
	// beforeTheStop is how much of the message the slow line lets through at first:
	// less than the transport's first window, so that nothing but the line holds it up.
	beforeTheStop = 32 << 10
	// Sizes of the heavy exchange, in bytes: what is measured, and the most.
	sample, heaviest = 4 << 20, 160 << 20
)

// heavySize is how large a result must be to be decided for about so long.
func (r *run) heavySize(ctx context.Context, want time.Duration) (int, error) {
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
	return int(min(max(float64(sample)*want.Seconds()/took.Seconds(), sample), heaviest)), nil
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

func (r *run) slowCall(name string, body []byte, more ...grpc.DialOption) {
	start := time.Now()
	r.load.Go(func() {
		c := Call{Name: name}
		conn, err := r.sidecar.Dial(more...)
		if err == nil {
			defer conn.Close()
			err = decide(r.ctx, extmcp.NewExtMcpClient(conn), body)
		}
		end := time.Now()
		c.Result, c.Detail = classify(err)
		r.mu.Lock()
		defer r.mu.Unlock()
		c.Start, c.End = start.Sub(r.zero), end.Sub(r.zero)
		r.o.Slow = append(r.o.Slow, c)
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
		r.looks.Go(func() {
			// The signal comes later than the dial; the end of the drain counts from it.
			for {
				r.mu.Lock()
				signalled := len(r.o.Signals) > 0
				r.mu.Unlock()
				if signalled {
					break
				}
				if r.pause(pollEvery) {
					return
				}
			}
			r.wait(r.row.drainEnd() + r.row.Release)
			close(line.open)
		})
	}
	return line, nil
}

// pause waits and reports whether the run is over.
func (r *run) pause(d time.Duration) (over bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-r.sidecar.Exited():
		return true
	case <-r.ctx.Done():
		return true
	}
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
