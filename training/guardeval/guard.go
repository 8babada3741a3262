package main

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/decision"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/messages"
)

// guard is a running engine with a user's settings, and the lines of its trail.
type guard struct {
	engine *sallyport.Engine
	model  string // identity of the classifier, "off" without one
	mu     sync.Mutex
	lines  map[string]chan *audit.Record // by exchange id, of those that were asked about
	seen   atomic.Value                  // identity of the classifier, as the trail tells it
}

// listRoute is the route of tool lists. Removing a bad tool from its list, as the
// default does, and refusing a list of that one tool are the same judgement; the trail
// tells the severity of findings only for the second.
const listRoute = "tool-lists"

// start runs an engine. What differs from [sallyport.DefaultConfig] decides nothing:
// time enough on a busy machine, no waiting for traffic to go elsewhere at the end.
func start(ctx context.Context, model classifiers, runtime string, workers int) (*guard, error) {
	g := &guard{lines: map[string]chan *audit.Record{}, model: modelOff}
	cfg := sallyport.DefaultConfig()
	cfg.Model, cfg.Gate = model.judge, model.gate
	cfg.RuntimeLib, cfg.ModelWorkers = runtime, workers
	cfg.ScannerTimeout, cfg.ExchangeTimeout = time.Minute, 2*time.Minute
	cfg.Drain = 0
	cfg.Audit, cfg.AuditRequired = trail{g}, true
	lists := sallyport.ScopedProfile{Profile: cfg.Default, Routes: []string{listRoute}}
	lists.PoisonedTools = decision.ListDeny
	cfg.Profiles = []sallyport.ScopedProfile{lists}
	var err error
	if g.engine, err = sallyport.New(cfg); err != nil {
		return nil, err
	}
	if err := g.engine.Start(ctx); err != nil {
		return nil, err
	}
	if err := g.await(ctx); err != nil {
		return nil, errors.Join(err, g.stop())
	}
	return g, nil
}

// look is how often a model that cannot be loaded is noticed: an engine tries again,
// this command gives up.
const look = 200 * time.Millisecond

func (g *guard) await(ctx context.Context) error {
	for {
		once, cancel := context.WithTimeout(ctx, look)
		phase := g.engine.AwaitServing(once)
		cancel()
		if phase == messages.Serving {
			return nil
		}
		if err := errors.Join(g.engine.ModelError(), ctx.Err()); err != nil {
			return err
		}
	}
}

func (g *guard) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return g.engine.Shutdown(ctx)
}

// trail hands every audit line to whoever waits for it.
type trail struct{ g *guard }

func (t trail) Append(r *audit.Record) error {
	if r.Model != "" {
		t.g.seen.Store(r.Model)
	}
	t.g.mu.Lock()
	defer t.g.mu.Unlock()
	if c := t.g.lines[r.Exchange]; c != nil {
		c <- r
		delete(t.g.lines, r.Exchange)
	}
	return nil
}

func (trail) Flush() error { return nil }
func (trail) Close() error { return nil }

// answer is what the engine made of one text.
type answer struct {
	outcome decision.Outcome
	score   float64
	parts   [partCount]verdict // the worst that each part said
}

// verdict is what a part said: nothing, look at it, refuse it.
type verdict uint8

const (
	silent verdict = iota
	review
	block
)

// words tells the parts that spoke, by name.
func (a *answer) words() map[string]string {
	m := map[string]string{}
	for p, v := range a.parts {
		switch v {
		case review:
			m[part(p).String()] = "review"
		case block:
			m[part(p).String()] = "block"
		case silent:
		}
	}
	return m
}

// ask puts one text to the engine. id must be unique: it is the caller too, so that
// rules about many calls see one of each.
func (g *guard) ask(ctx context.Context, r row, id string) (answer, error) {
	line := make(chan *audit.Record, 1)
	g.mu.Lock()
	g.lines[id] = line
	g.mu.Unlock()
	x, err := exchange(r)
	if err != nil {
		return answer{}, err
	}
	x.ID, x.Principal = id, id
	check := g.engine.CheckResponse
	if x.Phase == decision.Request {
		check = g.engine.CheckRequest
	}
	v := check(ctx, x)
	switch v.Outcome {
	case decision.Invalid, decision.Shed, decision.Error:
		return answer{}, fmt.Errorf("text %s was not judged: %s (%s)", id, v.Outcome, v.Cause)
	case decision.Allow, decision.Mutated, decision.Flagged, decision.Deny:
	}
	select {
	case rec := <-line:
		return answerOf(v, rec), nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// answerOf tells by the audit line which parts spoke.
func answerOf(v sallyport.Verdict, rec *audit.Record) answer {
	a := answer{outcome: v.Outcome, score: v.Score}
	speak := func(p part, said verdict) { a.parts[p] = max(a.parts[p], said) }
	for _, f := range rec.Findings {
		switch f.Severity {
		case decision.Review.String():
			speak(partOf(f), review)
		case decision.Block.String():
			speak(partOf(f), block)
		}
	}
	// What is no finding shows as the cause, which is the first that decided: a rule
	// comes before all findings, an incomplete look after them.
	said := review
	if v.Outcome == decision.Deny {
		said = block
	}
	switch {
	case strings.HasPrefix(v.Cause, "rule:"):
		speak(byRule, said)
	case v.Cause == "coverage":
		speak(byCoverage, said)
	}
	return a
}

// exchange puts a text where it belongs in a well-formed message.
func exchange(r row) (*sallyport.Exchange, error) {
	text, err := jsontext.AppendQuote(nil, r.text)
	if err != nil {
		return nil, fmt.Errorf("quote text: %w", err)
	}
	x := &sallyport.Exchange{Phase: decision.Response, Method: "tools/call", Services: []string{"upstream"}, HasBody: true}
	value := jsontext.Value(r.text)
	object := value.IsValid() && value.Kind() == '{'
	var body string
	switch {
	case r.at == inList && object:
		body = `{"tools":[` + r.text + `]}`
	case r.at == inTool, r.at == inList:
		body = `{"tools":[{"name":"lookup","description":` + string(text) + `,"inputSchema":{"type":"object"}}]}`
	case r.at == inParam:
		body = `{"tools":[{"name":"lookup","description":"Looks up a record.","inputSchema":{"type":"object","properties":{"value":{"type":"string","description":` + string(text) + `}}}}]}`
	case r.at == inParams && object:
		body = `{"name":"lookup","arguments":` + r.text + `}`
	case r.at == inParams:
		body = `{"name":"lookup","arguments":{"text":` + string(text) + `}}`
	default:
		body = `{"content":[{"type":"text","text":` + string(text) + `}]}`
	}
	switch r.at.String() {
	case "description":
		x.Method, x.Route = "tools/list", listRoute
	case "params":
		x.Phase = decision.Request
	}
	x.Body = []byte(body)
	return x, nil
}

// askAll asks about every text of every set, several at once; answers stand where
// their texts stand.
func (g *guard) askAll(ctx context.Context, sets []set, workers int, progress *measure.Progress) ([][]answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type place struct{ set, row int }
	places := make(chan place)
	answers := make([][]answer, len(sets))
	total := 0
	for i := range sets {
		answers[i] = make([]answer, len(sets[i].rows))
		total += len(sets[i].rows)
	}
	var done atomic.Int64
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for p := range places {
				s := &sets[p.set]
				a, err := g.ask(ctx, s.rows[p.row], s.name+"/"+strconv.Itoa(p.row))
				if err != nil {
					cancel(fmt.Errorf("set %s: %w", s.name, err))
					return
				}
				answers[p.set][p.row] = a
				if n := done.Add(1); n%1000 == 0 || n == int64(total) {
					progress.Step("%d of %d texts, now in %s", n, total, s.name)
				}
			}
		})
	}
feed:
	for i := range sets {
		for j := range sets[i].rows {
			select {
			case places <- place{i, j}:
			case <-ctx.Done():
				break feed
			}
		}
	}
	close(places)
	running.Wait()
	if m, ok := g.seen.Load().(string); ok {
		g.model = m
	}
	return answers, context.Cause(ctx)
}
