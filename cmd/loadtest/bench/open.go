package bench

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/actors" //nolint:depguard // the pool itself is what this command measures
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/messages" //nolint:depguard // as above
)

// openRun is the outcome of texts that arrive by a schedule.
type openRun struct {
	mix      traffic.Mix
	fraction float64 // of the capacity measured beside it; 0 when a rate was asked for
	rate     float64 // texts per second
	offered  int
	answered int
	// came is tokens per second: what all texts had, and of that what was in texts that
	// no server could answer, for they take longer by themselves than anybody waits.
	came, hopeless float64
	// peak and goodput are tokens per second: what a closed loop gave just before and
	// after, and what was answered in time.
	peak, goodput float64
	perCPU        [2]float64 // tokens per second of processor time: at the peak, and of what was answered
	peaks         [2]float64 // before and after: far apart on a machine that others use
	deadline      time.Duration
	latency       *measure.Latency // from the scheduled moment to the answer
	added         *measure.Latency // the part in which no window of the text was computed
	ideal         *measure.Latency // the same in a queue that costs nothing
	plain         *plainRun        // the same arrivals without a pool; nil above capacity
	refused       map[string]int
	lost          int
	seen          *observed
	usage         measure.Usage
	// generator is the processor time of the load generator alone: the same arrivals
	// with nobody to ask.
	generator time.Duration
}

// mostOutstanding bounds the texts on their way.
const mostOutstanding = 50_000

// latePart is the part of a duration that the peak is measured for, on each side.
const latePart = 8

// openLoop measures one arrival rate: a closed loop for the peak, the open loop,
// and a closed loop again, because a busy machine's speed changes by the second.
func (s *subject) openLoop(ctx context.Context, mix traffic.Mix, pool, closed *rig, fraction, rate float64) (*openRun, error) {
	r := &openRun{mix: mix, fraction: fraction, rate: rate, latency: measure.NewLatency(), added: measure.NewLatency(), ideal: measure.NewLatency(), refused: map[string]int{}}
	// As service does: three batches, at least half a second.
	r.deadline = max(500*time.Millisecond, 3*pool.BatchCost())
	peak, err := s.peakQueue(mix)
	if err != nil {
		return nil, err
	}
	before, cpuBefore, err := s.peak(ctx, peak, closed)
	if err != nil {
		return nil, err
	}
	if rate == 0 {
		r.rate = fraction * before / s.meanTokens(mix, r.longest(before))
	}
	schedule := traffic.Poisson(r.rate, s.opts.Duration, s.opts.Seed)
	q := s.newQueue(s.arrivals(mix), true, func(texts, _ int) bool { return texts >= len(schedule) })
	if fraction < 1 {
		s.opts.Progress.Step("%s mix, open loop at %.1f texts/s without a pool: %d texts in %v", mix.Name, r.rate, len(schedule), s.opts.Duration)
		if r.plain, err = s.plain(ctx, q, schedule); err != nil {
			return nil, err
		}
	}
	s.opts.Progress.Step("%s mix, open loop at %.1f texts/s: %d texts in %v", mix.Name, r.rate, len(schedule), s.opts.Duration)
	r.offered = len(schedule)
	r.came = float64(q.tokens) / s.opts.Duration.Seconds()
	r.hopeless = float64(q.beyond(r.longest(before))) / s.opts.Duration.Seconds()
	r.seen = pool.observer.fresh()
	pool.watched.take()
	pool.noting.Store(true)
	answers := make([]span, len(schedule)) // zero: no answer
	var mu sync.Mutex
	begin := time.Now()
	r.usage, _ = measure.Of(func() error {
		measure.OpenLoop(ctx, schedule, mostOutstanding, func(i int, scheduled time.Time) {
			err := ask(ctx, pool, q.texts[i], scheduled.Add(r.deadline))
			end := time.Now()
			if err == nil {
				answers[i] = span{scheduled, end}
				return
			}
			kind := "other"
			if fault, ok := messages.ModelFaultOf(err); ok {
				kind = fault.String()
			}
			mu.Lock()
			defer mu.Unlock()
			r.refused[kind]++
		}, func(int) { r.lost++ })
		return nil
	})
	pool.noting.Store(false)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.generator = s.generator(ctx, schedule)
	tokens := r.account(q, schedule, begin, answers, pool)
	// What still ran when the schedule was over is counted, and so is its time.
	r.goodput = float64(tokens) / max(s.opts.Duration, r.usage.Wall).Seconds()
	after, cpuAfter, err := s.peak(ctx, peak, closed)
	if err != nil {
		return nil, err
	}
	r.perCPU = [2]float64{(cpuBefore + cpuAfter) / 2, float64(tokens) / r.usage.CPU.Seconds()}
	r.peaks, r.peak = [2]float64{before, after}, (before+after)/2
	return r, nil
}

// generator measures what the arrivals of a part of the schedule cost by themselves, a
// caller and a note each, and returns what all of them do.
func (s *subject) generator(ctx context.Context, schedule []time.Duration) time.Duration {
	part := schedule[:len(schedule)/latePart]
	if len(part) == 0 {
		return 0
	}
	s.opts.Progress.Step("the load generator alone: %d arrivals", len(part))
	answers := make([]span, len(part))
	u, _ := measure.Of(func() error {
		measure.OpenLoop(ctx, part, mostOutstanding, func(i int, scheduled time.Time) {
			answers[i] = span{scheduled, time.Now()}
		}, func(int) {})
		return nil
	})
	return u.CPU * time.Duration(len(schedule)) / time.Duration(len(part))
}

// ask leaves it to the pool to keep the deadline, which it does for those it lets in.
func ask(ctx context.Context, pool *rig, t traffic.Text, deadline time.Time) error {
	_, err := pool.Classify(ctx, []actors.ModelSegment{{Text: t.Text, Surface: t.Surface}}, actors.ModelLimits{Deadline: deadline})
	return err
}

// account turns answers into waits and returns the tokens of what was answered.
func (o *openRun) account(q *queue, schedule []time.Duration, begin time.Time, answers []span, pool *rig) (tokens int) {
	var ideal []arrival
	ran := pool.watched.take()
	for i, a := range answers {
		if a.end.IsZero() {
			continue
		}
		o.answered++
		tokens += q.textTokens(i)
		var spans []span
		var alone []time.Duration
		for _, w := range q.of[i] {
			if run, ok := ran[q.windows[w].Key]; ok {
				spans = append(spans, run.span)
				alone = append(alone, run.end.Sub(run.start)/time.Duration(max(1, run.windows)))
			}
		}
		took := a.end.Sub(a.start)
		o.latency.Record(took)
		o.added.Record(took - covered(a.start, a.end, spans))
		ideal = append(ideal, arrival{at: a.start.Sub(begin), runs: alone})
	}
	for _, w := range idealWaits(ideal, pool.workers) {
		o.ideal.Record(w)
	}
	return tokens
}

// arrivals draws the texts of an open loop.
func (s *subject) arrivals(mix traffic.Mix) *traffic.Source {
	return traffic.NewSource(mix, 0, s.opts.Seed+2)
}

// peakQueue holds the texts that the peak is measured with, before and after the same:
// the first of the open loop. Where a text takes long they are few, and others would have
// another peak.
func (s *subject) peakQueue(mix traffic.Mix) (*queue, error) {
	rate, err := s.speed(mix)
	if err != nil {
		return nil, err
	}
	want := int(rate * max(s.opts.Duration/latePart, 20*time.Millisecond).Seconds())
	return s.newQueue(s.arrivals(mix), true, enoughFor(want, 16)), nil
}

// peak is what a closed loop gives now, in tokens per second and per second of
// processor time.
func (s *subject) peak(ctx context.Context, q *queue, pool *rig) (perSecond, perCPU float64, err error) {
	s.opts.Progress.Step("the peak, in a closed loop of %d texts", len(q.texts))
	u, err := measure.Of(pool.prepare(ctx, q, aCrowd, 0).run)
	if err != nil {
		return 0, 0, fmt.Errorf("peak: %w", err)
	}
	return float64(q.tokens) / u.Wall.Seconds(), float64(q.tokens) / u.CPU.Seconds(), nil
}

// longest is the tokens of the longest text that counts towards the rate. Above capacity
// it is what can be computed at the peak before the deadline is over: where the model is
// slow the mix has longer ones, which come as well, and no server could answer.
func (o *openRun) longest(peak float64) int {
	if o.fraction <= 1 {
		return math.MaxInt
	}
	return int(peak * o.deadline.Seconds())
}

// meanSample is how many texts the mean length is taken of: that of the distribution, which
// the texts of a short pass meet badly, because a few long ones decide it.
const meanSample = 400

// meanTokens is the tokens of a text of the mix, where those longer than that count for
// nothing.
func (s *subject) meanTokens(mix traffic.Mix, longest int) float64 {
	q := s.newQueue(s.arrivals(mix), false, func(texts, _ int) bool { return texts >= meanSample })
	return math.Max(1, float64(q.tokens-q.beyond(longest))/meanSample)
}
