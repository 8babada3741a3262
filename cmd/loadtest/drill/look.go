package drill

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/sidecar"
)

// The words of polls, and the health names that are followed.
const (
	serving     = "SERVING"
	notServing  = "NOT_SERVING"
	unreachable = "unreachable"

	readyService   = "agentgateway.dev.ext_mcp.ExtMcp"
	unknownService = "no.such.Service"
)

// pollLimit bounds one poll.
const pollLimit = time.Second

// pollAll looks at readiness every pollEvery after the signal, until stop.
func (r *run) pollAll(stop <-chan struct{}) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			r.poll(time.Now())
		}
	}
}

// poll asks both readiness probes once, as two probers would: at the same time, on
// connections of their own, and neither waits for an earlier answer.
func (r *run) poll(at time.Time) {
	ctx := r.ctx
	r.looks.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, pollLimit)
		defer cancel()
		state := unreachable
		if conn, err := r.sidecar.Dial(); err == nil {
			if got, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}); err == nil {
				state = got.GetStatus().String()
			}
			conn.Close()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.o.Polls = insert(r.o.Polls, Poll{At: at.Sub(r.zero), State: state})
		r.o.WasServing = r.o.WasServing || state == serving
	})
	r.looks.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, pollLimit)
		defer cancel()
		state := unreachable
		if code, _, err := sidecar.Get(ctx, r.sidecar.Admin, "/readyz"); err == nil {
			state = fmt.Sprint(code)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.o.Admin = insert(r.o.Admin, Poll{At: at.Sub(r.zero), State: state})
	})
}

// insert keeps polls in the order in which they were asked.
func insert(polls []Poll, p Poll) []Poll {
	i := len(polls)
	for i > 0 && polls[i-1].At > p.At {
		i--
	}
	polls = append(polls, Poll{})
	copy(polls[i+1:], polls[i:])
	polls[i] = p
	return polls
}

// follow opens a health stream on a connection of its own and returns once it has
// said something.
func (r *run) follow(name string) error {
	conn, err := r.sidecar.Dial()
	if err != nil {
		return err
	}
	stream, err := healthpb.NewHealthClient(conn).Watch(r.ctx, &healthpb.HealthCheckRequest{Service: name}, grpc.WaitForReady(true))
	if err != nil {
		conn.Close()
		return fmt.Errorf("watch %s: %w", name, err)
	}
	first := make(chan struct{})
	at := len(r.o.Watches)
	r.o.Watches = append(r.o.Watches, Watch{Name: name})
	r.looks.Go(func() {
		defer conn.Close()
		for n := 0; ; n++ {
			got, err := stream.Recv()
			r.mu.Lock()
			w := &r.o.Watches[at]
			if err != nil {
				w.Ended, w.Reason = time.Since(r.zero), status.Code(err).String()
			} else {
				w.Told = append(w.Told, Poll{At: time.Since(r.zero), State: got.GetStatus().String()})
				r.o.WasServing = r.o.WasServing || got.GetStatus() == healthpb.HealthCheckResponse_SERVING
			}
			r.mu.Unlock()
			if n == 0 {
				close(first)
			}
			if err != nil {
				return
			}
		}
	})
	<-first
	return nil
}
