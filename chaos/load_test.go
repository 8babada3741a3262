//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Workers of a life, and what they rest at most between two calls.
const (
	workers     = 8
	longestRest = 20 * time.Millisecond
)

// refs are the references that callers were told, for the trail to know.
type refs struct {
	mu  sync.Mutex
	all map[string]string // and of what
}

func (r *refs) add(ref, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]string{}
	}
	r.all[ref] = what
}

// lostCalls are calls of the end that got no answer, to be judged when it is known
// whether the engine says so.
type lostCalls struct {
	mu  sync.Mutex
	all []string
}

func (c *lostCalls) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, what)
}

// kinds spreads the mix over a list to pick from.
func (l *life) kinds() []string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(mix)) {
		if l.excluded(kind) {
			continue
		}
		for range mix[kind] {
			out = append(out, kind)
		}
	}
	return out
}

// hog is the kind that keeps a worker of the model from everybody else for as long as
// a run may take.
const hog = "stuck in the model"

// excluded are kinds that this life's model does not know.
func (l *life) excluded(kind string) bool {
	if l.temper.slow {
		return kind == "injection"
	}
	return kind == hog
}

// startLoad keeps calls going until unload is closed.
func (l *life) startLoad() {
	kinds := l.kinds()
	for n := range uint64(workers) {
		rnd := rand.New(rand.NewPCG(l.w.seed, streamWorker+uint64(l.number)*100+n))
		l.load.Go(func() {
			for i := 0; !l.unloaded(); i++ {
				switch i % 20 {
				case 10:
					l.flow(fmt.Sprintf("flow-%d-%d-%d", l.number, n, i))
				case 15:
					l.askGate()
				default:
					if kind := kinds[rnd.IntN(len(kinds))]; kind != hog || !l.alone.Load() {
						l.call(newExchange(kind, rnd), rnd)
					}
				}
				l.rest(time.Duration(rnd.Int64N(int64(longestRest))))
			}
		})
	}
	l.load.Go(l.probe)
}

func (l *life) unloaded() bool {
	select {
	case <-l.unload:
		return true
	default:
		return l.w.broken()
	}
}

func (l *life) rest(d time.Duration) {
	select {
	case <-time.After(d):
	case <-l.unload:
	}
}

// call makes one call, now and then one that is given up, and judges the answer.
func (l *life) call(x exchange, rnd *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	impatient := rnd.IntN(12) == 0
	if impatient {
		short, stop := context.WithTimeout(ctx, time.Duration(rnd.Int64N(int64(20*time.Millisecond))))
		defer stop()
		ctx = short
	}
	ln := l.lines.take()
	began, stolen, illSince := time.Now(), l.w.stolen.Load(), l.disk.fullSince()
	r, err := x.ask(ctx, ln)
	switch {
	case err == nil:
		l.judge(x, r)
		switch {
		case !l.unwritable(began, illSince) || l.w.stolen.Load() != stolen:
		case r.letThrough():
			l.w.violate("%s: passed without its audit line, %v after the disk was full", x.kind, began.Sub(illSince))
		default:
			l.w.count("refused for want of its line")
		}
	case impatient && (ctx.Err() != nil || status.Code(err) == codes.DeadlineExceeded):
		l.w.count("given up")
	default:
		l.failed(x.kind, ln, moment{began, stolen}, err, x.transport)
	}
}

// knownTime is what the engine gets to find out that the disk is full: another
// caller's line has to fail first.
const knownTime = time.Second

// unwritable reports whether a call that began so cannot have got the line without
// which nothing may happen: the disk was full all the time and long before, and
// nobody has hurt the actor that found out.
func (l *life) unwritable(began, illSince time.Time) bool {
	return l.temper.required && !illSince.IsZero() && began.Sub(illSince) > knownTime &&
		l.disk.fullSince().Equal(illSince) && l.auditAt.Load() < illSince.Add(-settleTime).UnixNano()
}

// judge holds an answer against what may be answered.
func (l *life) judge(x exchange, r reply) {
	w := x.want
	if l.temper.open && x.byModel && r.letThrough() {
		l.w.count("passed unseen, by policy")
		return
	}
	if wrong := judge(w, x.forbidden, r); wrong != "" {
		l.w.violate("%s: %s (%+v)", x.kind, wrong, r.err)
	}
	if r.letThrough() {
		l.w.count("let through")
		if r.ref != "" {
			l.refs.add(r.ref, x.kind)
		}
		return
	}
	l.w.count("refused: " + r.err.GetCode().String())
	var data refusal
	if json.Unmarshal(r.err.GetMcpError(), &data) == nil && r.err.GetCode() != extmcp.AuthorizationError_RESOURCE_EXHAUSTED {
		l.refs.add(data.Ref, x.kind) // what is shed is sampled in the trail
	}
}

// moment is a time, and how much had been stolen until then.
type moment struct {
	time.Time
	stolen int64
}

func (w *world) now() moment { return moment{time.Now(), w.stolen.Load()} }

// failed judges a call that got no answer. Where nothing ran after its begin, it begins
// when that was over: till then it may not have had a connection.
func (l *life) failed(what string, ln *line, began moment, err error, transport bool) {
	code := status.Code(err)
	switch {
	case transport && code == codes.ResourceExhausted:
		l.w.count("stopped by the transport")
	case ln.cut.Load():
		l.w.count("disconnected")
	case code == codes.DeadlineExceeded:
		l.w.violate("%s hangs: no answer within %v", what, patience)
	case l.endBegan.Load() != 0 && l.keptUntil.Load() <= l.endBegan.Load() && strings.Contains(err.Error(), "while dialing"):
		l.w.count("too late to connect") // its connection was cut before, and nobody waits for new ones
	case l.endBegan.Load() != 0 && (code == codes.Unavailable || code == codes.Canceled):
		l.w.count("refused at the end")
		if before := l.keptUntil.Load() - began.UnixNano() - (l.w.stolen.Load() - began.stolen); before > 0 {
			l.lost.add(fmt.Sprintf("%s, begun %v before the end of the drain wait: %v", what, time.Duration(before), err))
		}
	default:
		l.w.violate("%s got no answer: %v", what, err)
	}
}

// ask sends the exchange.
func (x exchange) ask(ctx context.Context, ln *line) (reply, error) {
	if x.raw {
		method := extmcp.ExtMcp_CheckRequest_FullMethodName
		var out []byte
		if err := ln.conn.Invoke(ctx, method, &x.body, &out, grpc.ForceCodecV2(rawCodec{})); err != nil {
			return reply{}, err
		}
		var r extmcp.McpRequestResult
		if err := proto.Unmarshal(out, &r); err != nil {
			return reply{}, err
		}
		return requestReply(&r), nil
	}
	meta, err := structpb.NewStruct(map[string]any{"session": x.session})
	if err != nil {
		return reply{}, err
	}
	if x.response {
		r, err := ln.mcp.CheckResponse(ctx, &extmcp.McpResponse{ServiceNames: []string{"svc"}, Method: x.method, MetadataContext: meta, McpResponse: x.body})
		return responseReply(r), err
	}
	r, err := ln.mcp.CheckRequest(ctx, &extmcp.McpRequest{ServiceNames: []string{"svc"}, Method: x.method, MetadataContext: meta, McpRequest: x.body})
	return requestReply(r), err
}

// settleTime is how long what hurts a trace shard may lie in queues before it does.
const settleTime = 6 * time.Second

// flow makes the two calls of a forbidden sequence. The second must not be passed
// when the first was, unless the shard that remembers it was hurt meanwhile.
func (l *life) flow(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began := time.Now()
	for i, tool := range []string{"vault_read", "web_post"} {
		ln, at := l.lines.take(), l.w.now()
		x := exchange{kind: "flow: " + tool, method: "tools/call", session: session, body: calling(tool, map[string]any{"n": 1})}
		r, err := x.ask(ctx, ln)
		if err != nil {
			l.failed(x.kind, ln, at, err, false)
			return
		}
		if i == 0 {
			l.judge(x, r)
			if !r.letThrough() {
				return
			}
			continue
		}
		if r.letThrough() && l.traceHurt.Load() > began.Add(-settleTime).UnixNano() {
			l.w.count("flow forgotten with its shard")
			return
		}
		x.want = denied
		l.judge(x, r)
		l.w.count("flow refused")
	}
}

// askGate asks as another actor of the same system would.
func (l *life) askGate() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m := &messages.Check{Promise: guard.NewPromise[sallyport.Verdict](), Exchange: &sallyport.Exchange{
		Method: "tools/call", Services: []string{"svc"}, HasBody: true, Body: calling("shell", map[string]any{"n": 1})}}
	pid := l.engine.PID()
	if pid == nil {
		return
	}
	l.sys.Root.Send(pid, m)
	v, err := m.Await(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		l.w.violate("the gate hangs: no answer within %v", patience)
	case err != nil:
		l.w.count("gate: no answer, said so")
	case !v.Denied():
		l.w.violate("the gate passed a forbidden tool: %+v", v)
	default:
		l.w.count("gate: refused")
	}
}

const (
	probeEvery = 50 * time.Millisecond
	// flipTime is what readiness gets to leave when the end begins.
	flipTime = 100 * time.Millisecond
)

// probe asks for readiness and liveness, as an orchestrator does.
func (l *life) probe() {
	ln := dial(l.lines.addr)
	defer ln.conn.Close()
	client := healthpb.NewHealthClient(ln.conn)
	for !l.unloaded() {
		for _, name := range []string{"", "liveness"} {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			began := time.Now()
			r, err := client.Check(ctx, &healthpb.HealthCheckRequest{Service: name})
			cancel()
			ending := l.endBegan.Load()
			serving := r.GetStatus() == healthpb.HealthCheckResponse_SERVING
			switch {
			case err != nil && ending == 0:
				l.w.violate("health check of %q: %v", name, err)
			case err != nil:
			case name == "" && serving && ending != 0 && began.UnixNano() > ending+int64(flipTime):
				l.servingAtTheEnd(began)
			case name != "" && !serving && ending == 0:
				l.w.violate("liveness is %v", r.GetStatus())
			case name == "" && serving:
				l.w.count("ready")
			case name == "":
				l.w.count("not ready")
			}
		}
		l.rest(probeEvery)
	}
}

// servingAtTheEnd judges a readiness that did not leave in time: what was stolen
// since the end began is known a moment later.
func (l *life) servingAtTheEnd(asked time.Time) {
	<-time.After(2 * pause)
	late := asked.Sub(time.Unix(0, l.endBegan.Load())) - time.Duration(l.w.stolen.Load()-l.endStolen.Load())
	if late > flipTime {
		l.w.violate("readiness is SERVING %v after the end began", late)
	}
}
