package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
)

// SoakOptions are how long a sidecar is kept under a load that it can carry.
type SoakOptions struct {
	// Options name the sidecar and the load. Its Rate, when set, is the load;
	// else Share of the capacity, which is measured first.
	Options
	Share float64
}

// Check completes o and says what is wrong with it.
func (o *SoakOptions) Check() error {
	o.Fractions = nil
	var share error
	if o.Rate == 0 {
		o.Fractions = []float64{o.Share}
		if o.Share <= 0 || o.Share > 1 {
			share = fmt.Errorf("share is %v, want above 0 up to 1", o.Share)
		}
	}
	var short error
	if o.Duration < soakIntervals*10*time.Millisecond {
		short = fmt.Errorf("duration is %v, want %v or more", o.Duration, soakIntervals*10*time.Millisecond)
	}
	return errors.Join(share, short, o.Options.Check())
}

// Soak is what was seen over the time of a soak.
type Soak struct {
	opts      SoakOptions
	capacity  float64 // exchanges per second; 0 when it was not measured
	rate      float64
	offered   int
	fates     map[Fate]int
	lost      int
	intervals []*measure.Latency
	each      time.Duration // length of an interval
	watch     *watcher
	took      time.Duration
	clientCPU time.Duration
	loads     [2]string
	machine   string // and who has which of its CPUs
}

const (
	// soakIntervals is how many points of p99 a soak has.
	soakIntervals = 60
	// soakSamples is how many samples of memory it has.
	soakSamples = 600
	// capacityTime is how long the capacity is measured.
	capacityTime = 10 * time.Second
	// ahead is how many exchanges are ready before they are needed.
	ahead = 256
)

// RunSoak keeps a sidecar under load for as long as asked. Exchanges are made while
// they are needed, so that the load generator does not grow either.
func RunSoak(ctx context.Context, o SoakOptions) (result *Soak, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	// A sidecar that is started has to live that long.
	ctx, cancel := context.WithTimeout(ctx, o.Duration+startLimit+capacityTime+5*time.Minute)
	defer cancel()
	m, err := open(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	s := &Soak{opts: o, rate: o.Rate, fates: map[Fate]int{}, each: o.Duration / soakIntervals, machine: m.machine()}
	s.loads[0] = measure.LoadAverage()
	if s.rate == 0 {
		m.opts.Duration = min(o.Duration, peakPart*capacityTime)
		c, err := m.capacity(ctx)
		if err != nil {
			return nil, err
		}
		s.capacity, s.rate = c.rate, o.Share*c.rate
	}
	for range soakIntervals {
		s.intervals = append(s.intervals, measure.NewLatency())
	}
	m.opts.Progress.Step("soak at %.0f exchanges/s for %v", s.rate, o.Duration)
	if err := s.run(ctx, m); err != nil {
		return nil, err
	}
	s.loads[1] = measure.LoadAverage()
	return s, nil
}

func (s *Soak) run(ctx context.Context, m *mesh) error {
	schedule := traffic.Poisson(s.rate, s.opts.Duration, s.opts.Seed)
	s.offered = len(schedule)
	s.watch = &watcher{admin: m.admin, begin: time.Now(), every: max(s.opts.Duration/soakSamples, 10*time.Millisecond), probes: measure.NewLatency()}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	beside.Go(func() { s.watch.metrics(watching) })
	beside.Go(func() { s.watch.health(watching, m.probe) })
	made := make(chan exchange, ahead)
	var makeErr error
	beside.Go(func() {
		defer close(made)
		source := newSource(s.opts.RepeatShare, m.standing, s.opts.Seed+1)
		for range schedule {
			x, err := source.next()
			if err != nil {
				makeErr = err
				return
			}
			select {
			case made <- x:
			case <-watching.Done():
				return
			}
		}
	})
	var mu sync.Mutex
	usage, _ := measure.Of(func() error {
		measure.OpenLoop(ctx, schedule, mostOutstanding, func(i int, scheduled time.Time) {
			x, ok := <-made
			if !ok {
				return // there is an error to report
			}
			limited, cancel := context.WithDeadline(ctx, scheduled.Add(callLimit))
			defer cancel()
			fate := x.ask(limited, m.client())
			took := time.Since(scheduled)
			mu.Lock()
			defer mu.Unlock()
			s.fates[fate]++
			if fate.decided() {
				s.intervals[min(int(schedule[i]/s.each), len(s.intervals)-1)].Record(took)
			}
		}, func(int) {
			mu.Lock()
			defer mu.Unlock()
			s.lost++
		})
		return nil
	})
	stop()
	beside.Wait()
	s.took, s.clientCPU = usage.Wall, usage.CPU
	return errors.Join(ctx.Err(), makeErr)
}
