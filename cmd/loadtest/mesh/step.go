package mesh

import (
	"context"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// Step is one open loop.
type Step struct {
	fraction  float64 // of the capacity; 0 when a rate was asked for
	rate      float64
	offered   int
	inTime    int
	fates     map[Fate]int
	lost      int
	late      int        // decided, but after patience
	peak      float64    // decided exchanges per second in a closed loop: mean of peaks
	peaks     [2]float64 // before and after
	goodput   float64    // decided in time, per second
	latency   *measure.Latency
	refusal   *measure.Latency // of what was not decided
	seconds   []second
	watch     *watcher
	took      time.Duration
	clientCPU time.Duration
	serverCPU time.Duration // 0 when the sidecar is not ours
	// decision is the processor time of one decision at capacity, 0 as above.
	decision time.Duration
	// known are the shares of remembered scores, at capacity and in the open loop:
	// decisions of the two cost alike only when these are alike.
	known     [2]share
	yardstick *yardstick // nil when it was not asked for
}

// second is what became of the exchanges that were to be sent in one second.
type second struct {
	latency                    *measure.Latency // of decided ones
	offered, inTime, undecided int
}

func newStep(offered int, rate float64, d time.Duration) *Step {
	s := &Step{rate: rate, offered: offered, fates: map[Fate]int{}, latency: measure.NewLatency(), refusal: measure.NewLatency()}
	for range int(d/time.Second) + 1 {
		s.seconds = append(s.seconds, second{latency: measure.NewLatency()})
	}
	return s
}

// step measures the capacity, runs one open loop, and measures the capacity again.
func (m *mesh) step(ctx context.Context, fraction float64) (*Step, error) {
	before, err := m.capacity(ctx)
	if err != nil {
		return nil, err
	}
	rate := m.opts.Rate
	if rate == 0 {
		rate = fraction * before.rate
	}
	schedule := traffic.Poisson(rate, m.opts.Duration, m.seed)
	xs, err := m.exchanges(len(schedule))
	if err != nil {
		return nil, err
	}
	s := newStep(len(schedule), rate, m.opts.Duration)
	s.fraction, s.decision, s.known[0] = fraction, before.cost, before.known
	m.opts.Progress.Step("open loop at %.0f exchanges/s: %d exchanges in %v", rate, len(schedule), m.opts.Duration)
	s.watch = &watcher{admin: m.admin, begin: time.Now(), every: sampleEvery, probes: measure.NewLatency()}
	watching, stop := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	watchers.Go(func() { s.watch.metrics(watching) })
	watchers.Go(func() { s.watch.health(watching, m.probe) })
	cpu, looks := m.cpu(), m.looks(ctx)
	usage, _ := measure.Of(func() error { m.openLoop(ctx, s, schedule, xs); return nil })
	s.serverCPU, s.known[1] = m.cpu()-cpu, m.looks(ctx).since(looks)
	stop()
	watchers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.took, s.clientCPU = usage.Wall, usage.CPU
	s.goodput = float64(s.inTime) / max(usage.Wall, m.opts.Duration).Seconds()
	after, err := m.capacity(ctx)
	if err != nil {
		return nil, err
	}
	s.peaks, s.peak = [2]float64{before.rate, after.rate}, (before.rate+after.rate)/2
	if m.opts.Yardstick {
		s.yardstick, err = m.measureYardstick(ctx, rate)
	}
	return s, err
}

// openLoop sends the exchanges by the schedule and records what became of them.
func (m *mesh) openLoop(ctx context.Context, s *Step, schedule []time.Duration, xs []exchange) {
	var mu sync.Mutex
	measure.OpenLoop(ctx, schedule, mostOutstanding, func(i int, scheduled time.Time) {
		limited, cancel := context.WithDeadline(ctx, scheduled.Add(callLimit))
		defer cancel()
		fate := xs[i].ask(limited, m.client())
		took := time.Since(scheduled)
		mu.Lock()
		defer mu.Unlock()
		s.record(fate, schedule[i], took)
	}, func(i int) {
		mu.Lock()
		defer mu.Unlock()
		s.lost++
		s.at(schedule[i]).offered++
	})
}

func (s *Step) at(scheduled time.Duration) *second {
	return &s.seconds[min(int(scheduled/time.Second), len(s.seconds)-1)]
}

func (s *Step) record(fate Fate, scheduled, took time.Duration) {
	sec := s.at(scheduled)
	s.fates[fate]++
	sec.offered++
	if !fate.decided() {
		s.refusal.Record(took)
		sec.undecided++
		return
	}
	s.latency.Record(took)
	sec.latency.Record(took)
	if took > patience {
		s.late++
		return
	}
	s.inTime++
	sec.inTime++
}

// undecided is how many exchanges got an answer that is no decision.
func (s *Step) undecided() int { return int(s.refusal.Count()) }
