//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/supervision"
)

// ending is one way to the end.
type ending struct {
	name string
	// keeps tells that no call of the drain wait may be lost.
	keeps bool
	// cut tells that exchanges, and lines of the trail, may be lost by intention.
	cut bool
	do  func(l *life) error
}

func (l *life) shutdown() error { return l.engine.Shutdown(context.Background()) }

var endings = []ending{
	{name: "shutdown", keeps: true, do: (*life).shutdown},
	{name: "shutdown thrice at once", keeps: true, do: func(l *life) error {
		var all sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			all.Go(func() { errs[i] = l.shutdown() })
		}
		all.Wait()
		return errors.Join(errs...)
	}},
	{name: "drain, then shutdown", keeps: true, do: func(l *life) error {
		return errors.Join(l.engine.Drain(context.Background()), l.shutdown())
	}},
	{name: "shutdown, lifecycle hurt all the way", keeps: true, do: func(l *life) error {
		return l.hurtMeanwhile("lifecycle")
	}},
	{name: "shutdown, front hurt all the way", keeps: true, do: func(l *life) error {
		return l.hurtMeanwhile("front")
	}},
	{name: "shutdown, everybody hurt all the way", cut: true, do: func(l *life) error { return l.hurtMeanwhile("") }},
	{name: "shutdown, hurried", do: func(l *life) error {
		return l.meanwhile(time.Duration(l.rnd.Int64N(int64(time.Second))), l.engine.Hurry)
	}},
	{name: "shutdown, forced", cut: true, do: func(l *life) error {
		return l.meanwhile(time.Duration(l.rnd.Int64N(int64(2*time.Second))), l.engine.Force)
	}},
	{name: "shutdown with little time", cut: true, do: func(l *life) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(l.rnd.Int64N(int64(time.Second))))
		defer cancel()
		return l.engine.Shutdown(ctx)
	}},
}

// meanwhile does something d into a shutdown.
func (l *life) meanwhile(d time.Duration, do func()) error {
	done := make(chan error, 1)
	go func() { done <- l.shutdown() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
	}
	do()
	return <-done
}

// hurtMeanwhile goes on hurting actors of a role, or all, while the engine shuts
// down.
func (l *life) hurtMeanwhile(who string) error {
	done := make(chan error, 1)
	go func() { done <- l.shutdown() }()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(time.Duration(l.rnd.Int64N(int64(60 * time.Millisecond)))):
		}
		for _, id := range victims(l.sys) {
			if role(id) == who || who == "" && l.rnd.IntN(4) == 0 {
				l.hurt(id)
			}
		}
	}
}

// exitSlack is what a shutdown may take beyond its budgets: a second by the
// specification, and as much again for each of the steps that are bounded by
// timers of their own. Time that was stolen does not count.
const exitSlack = 3 * time.Second

// finish ends the life and looks at what is left.
func (l *life) finish() {
	e := endings[l.rnd.IntN(len(endings))]
	sick := l.rnd.IntN(4) == 0 // the disk is ill at the end
	if sick {
		a := ailment(1 + l.rnd.IntN(int(ailments)-1))
		l.w.note("disk %v at the end", a)
		l.disk.set(a)
	}
	l.w.note("end: %s", e.name)
	l.w.count("end: " + e.name)
	began, stolen := time.Now(), l.w.stolen.Load()
	kept := began
	if e.keeps && l.engine.Status().Served { // else nobody was ever sent there, and it does not wait
		kept = began.Add(l.cfg.Drain - 300*time.Millisecond)
	}
	l.keptUntil.Store(kept.UnixNano())
	l.endStolen.Store(stolen)
	l.endBegan.Store(began.UnixNano())
	err := e.do(l)
	frozen := time.Duration(l.w.stolen.Load() - stolen)
	took := max(0, time.Since(began)-frozen)
	l.w.note("ended after %v: %v", took.Round(time.Millisecond), err)
	if limit := l.cfg.Drain + l.cfg.Grace + l.cfg.Cleanup + exitSlack; took > limit {
		l.w.violate("%s took %v, the budgets allow %v", e.name, took, limit)
	}
	if p := l.engine.Phase(); p != sallyport.Stopped {
		l.w.violate("after the end the phase is %v", p)
	}
	cutOff := errors.Is(err, supervision.ErrCutOff)
	// A forced end may cut off; nothing else is a failure unless something hurt it.
	if err != nil && !cutOff && !e.cut && !l.auditHurt && !l.disk.wasHurt() {
		l.w.violate("%s: %v", e.name, err)
	}
	v := l.engine.CheckRequest(context.Background(), &sallyport.Exchange{Method: "tools/call", Services: []string{"svc"}, HasBody: true, Body: calling("lookup", nil)})
	if !v.Denied() {
		l.w.violate("an engine that has ended passes")
	}
	l.disk.set(healthy)
	l.unloadAll()
	switch lost := l.lost.all; {
	case len(lost) == 0 || cutOff:
	case frozen > l.cfg.Grace/4:
		// Replies were decided within the grace, and nobody got the processor to send or
		// to read them.
		l.w.count("lost while the machine stood still")
	default:
		l.w.violate("%s: %d calls were lost, and the engine does not say so: %s", e.name, len(lost), lost[0])
	}
	if c, err := net.DialTimeout("tcp", l.lines.addr, time.Second); err == nil {
		c.Close()
		l.w.violate("the port is still open after the end")
	}
}

// unloadAll ends the load and waits for it.
func (l *life) unloadAll() {
	close(l.unload)
	l.load.Wait()
	l.healing.Wait()
	l.lines.close()
}

// leakTime is what goroutines of a life get to end after it.
const leakTime = 20 * time.Second

// leaks looks for goroutines that were not there before the life.
func (l *life) leaks(before goleak.Option) {
	var err error
	for end := time.Now().Add(leakTime); time.Now().Before(end); {
		if err = goleak.Find(before); err == nil {
			return
		}
	}
	text := err.Error()
	l.w.violate("goroutines are left: %s", text[:min(len(text), 6000)])
}

// checkTrail verifies the chain over all lives so far, and that what callers were
// told is in it or owned up to.
func (l *life) checkTrail() {
	if !l.sink.closed.Load() {
		// Left behind by a disk that hung at the end; it closes once the disk is healed.
		for end := time.Now().Add(leakTime); !l.sink.closed.Load(); {
			if time.Now().After(end) {
				l.w.violate("the trail is never closed")
				return
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	paths, err := filepath.Glob(l.trail + "*")
	if err != nil {
		l.w.violate("find the trail: %v", err)
		return
	}
	slices.SortFunc(paths, byFirstLine)
	sources, err := audit.Files(paths...)
	if err != nil {
		l.w.violate("open the trail: %v", err)
		return
	}
	report, err := audit.Verify(context.Background(), sources, audit.VerifyOptions{PublicKey: signKey.Public().(ed25519.PublicKey)})
	switch {
	case err != nil:
		l.w.violate("read the trail: %v", err)
	case !report.OK():
		l.w.violate("the trail does not verify: %+v", report.Problems[:min(3, len(report.Problems))])
	default:
		l.w.count("trail verified")
		l.owned(paths)
	}
}

// byFirstLine orders files by the number of their first line.
func byFirstLine(a, b string) int { return int(firstSeq(a)) - int(firstSeq(b)) }

func firstSeq(path string) uint64 {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(data) {
		var l struct {
			Seq uint64 `json:"seq"`
		}
		if json.Unmarshal(line, &l) == nil && l.Seq > 0 {
			return l.Seq
		}
	}
	return 1 << 62 // an empty file is the newest
}

// owned checks that every reference that a caller was told is in the trail, but
// for as many as the engine says it has dropped.
func (l *life) owned(paths []string) {
	known := map[string]bool{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			l.w.violate("read the trail: %v", err)
			return
		}
		for line := range bytes.Lines(data) {
			var r struct {
				Ref string `json:"ref"`
			}
			if json.Unmarshal(line, &r) == nil && r.Ref != "" {
				known[r.Ref] = true
			}
		}
	}
	dropped, err := l.metric("mcp_guardrails_audit_dropped_total")
	if err != nil {
		l.w.violate("read the metrics: %v", err)
		return
	}
	var missing []string
	for ref, what := range l.refs.all {
		if !known[ref] {
			missing = append(missing, what)
		}
	}
	if len(missing) > int(dropped) {
		slices.Sort(missing)
		l.w.violate("%d references are not in the trail, %v lines are said to be dropped: %s", len(missing), dropped, strings.Join(missing[:min(5, len(missing))], ", "))
	}
}

func (l *life) metric(name string) (float64, error) {
	families, err := l.registry.Gather()
	if err != nil {
		return 0, err
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue(), nil
		}
	}
	return 0, fmt.Errorf("no metric %q", name)
}

// figures are the counters and gauges of the engine, and how often a histogram was
// used, by name and labels.
func (l *life) figures() map[string]float64 {
	out := map[string]float64{}
	families, err := l.registry.Gather()
	if err != nil {
		l.w.note("metrics: %v", err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var name strings.Builder
			name.WriteString(f.GetName())
			for _, label := range m.GetLabel() {
				fmt.Fprintf(&name, " %s=%s", label.GetName(), label.GetValue())
			}
			out[name.String()] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}
