package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/inference"
)

// The contestants, in the order of the tables.
const (
	perfectBatches = iota
	oneByOne
	naiveBatches
	tokenizing     // no contestant: what the pool does besides
	oneReading     // one by one, with the tokenizing in between
	perfectHanded  // perfect batches for the pool's callers, without the pool
	perfectReading // perfect batches, with the tokenizing in between: next to the pool, which is judged by it
	thePool
	contestants
)

var contestantNames = [contestants]string{
	"bare runtime, perfect batches", "bare runtime, one by one", "bare runtime, naive batches of 8", "tokenizing alone",
	"one by one, tokenizing as it goes", "perfect batches for as many callers",
	"perfect batches, tokenizing as it goes", "the pool, from texts",
}

// naiveSize is how many texts a batcher takes that does not look at lengths.
const naiveSize = 8

// budgets are the padded tokens of a perfect batch that are tried; 1 is every
// window alone, longest first.
var budgets = []int{1, 128, 256, 512, 1024}

// comparison is the outcome of all rounds on one mix.
type comparison struct {
	mix    traffic.Mix
	texts  int
	queue  *queue
	budget int // of the perfect batches
	// runs holds what each contestant took in each round.
	runs [contestants][]measure.Usage
	// shape of each contestant's batches.
	shapes [contestants]shape
	waits  *measure.Latency // of the pool's batches
	sizes  map[int]int
}

type shape struct {
	batches  int
	perBatch float64
	padding  float64
}

// A pass has at least so many texts, because with fewer one long text would decide;
// but with a model that is slow they end where they take so many times as long as
// they were given.
const (
	leastTexts = 24
	longestFor = 8
)

// enoughFor says when a queue has the tokens that a pass takes and texts enough; one
// at least, however slow the model is.
func enoughFor(perPass, atLeast int) func(texts, tokens int) bool {
	perPass = max(perPass, 1)
	return func(texts, tokens int) bool {
		return tokens >= perPass && texts >= atLeast || tokens >= longestFor*perPass
	}
}

// compare lets every contestant run the same queue, round by round.
func (s *subject) compare(ctx context.Context, mix traffic.Mix, pool *rig) (*comparison, error) {
	o := s.opts
	rate, err := s.speed(mix)
	if err != nil {
		return nil, err
	}
	// Naive batches cost about as much as all others together.
	perPass := int(rate * o.Duration.Seconds() / float64(2*contestants*o.Rounds))
	q := s.newQueue(traffic.NewSource(mix, 0, o.Seed), true, enoughFor(perPass, leastTexts))
	c := &comparison{mix: mix, queue: q, texts: len(q.texts), waits: measure.NewLatency(), sizes: map[int]int{}}
	one, naive := inOrder(q.windows, 1), inOrder(q.windows, naiveSize)
	best, err := s.bestPerfect(q, c)
	if err != nil {
		return nil, err
	}
	for i, b := range []*batches{best, one, naive} {
		c.shapes[i] = shape{batches: len(b.runs), perBatch: float64(len(q.windows)) / float64(max(1, len(b.runs))), padding: b.padding()}
	}
	var pass *passing
	var handed func() error
	work := [contestants]func() error{
		perfectBatches: func() error { return s.runBare(best) },
		oneByOne:       func() error { return s.runBare(one) },
		naiveBatches:   func() error { return s.runBare(naive) },
		tokenizing:     func() error { s.tokenize(q); return nil },
		perfectReading: func() error { return s.readAndRun(q, best) },
		oneReading:     func() error { return s.readAndRun(q, one) },
		perfectHanded:  func() error { return handed() },
		thePool: func() error {
			err := pass.run()
			if err == nil && pass.computed != len(q.windows) {
				err = fmt.Errorf("the pool computed %d windows of %d", pass.computed, len(q.windows))
			}
			return err
		},
	}
	for round := range o.Rounds {
		for _, who := range measure.Turn(contestants, round) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			o.Progress.Step("%s mix, round %d of %d: %s", mix.Name, round+1, o.Rounds, contestantNames[who])
			seen := pool.observer.fresh()
			switch who {
			case thePool:
				pass = pool.prepare(ctx, q, aCrowd, 0)
			case perfectHanded:
				handed = s.handed(ctx, pool, q, best)
			}
			settle()
			u, err := measure.Of(work[who])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", contestantNames[who], err)
			}
			c.runs[who] = append(c.runs[who], u)
			if who == thePool {
				c.note(seen)
			}
		}
	}
	return c, nil
}

// settled is how long the Go runtime's monitor thread takes, with room to spare, from looking
// around every 20 µs to every 10 ms: fifty looks in vain, then twice the pause each time.
const settled = 40 * time.Millisecond

// settle lets every pass begin with the runtime in one state, whoever ran before. While all
// processors are in calls into C the monitor takes them away from the callers of C, and as
// long as it finds one to take it stays awake: a twentieth of the processor time, or
// nothing, depending on what the pass before left behind. One processor that is busy with
// Go, and one that is idle, put it to sleep; an idle process would not.
func settle() {
	for begin := time.Now(); time.Since(begin) < settled; {
		continue
	}
}

func (c *comparison) note(seen *observed) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	c.shapes[thePool] = shape{batches: seen.batches, perBatch: seen.perBatch(), padding: seen.padding()}
	c.waits = seen.wait
	for n, k := range seen.sizes {
		c.sizes[n] += k
	}
}

// perCPU and perWall are a contestant's tokens per second of either time, by round.
func (c *comparison) perCPU(who int) []float64 {
	return c.rates(who, func(u measure.Usage) time.Duration { return u.CPU })
}

func (c *comparison) perWall(who int) []float64 {
	return c.rates(who, func(u measure.Usage) time.Duration { return u.Wall })
}

func (c *comparison) rates(who int, of func(measure.Usage) time.Duration) []float64 {
	out := make([]float64, len(c.runs[who]))
	for i, u := range c.runs[who] {
		if d := of(u).Seconds(); d > 0 {
			out[i] = float64(c.queue.tokens) / d
		}
	}
	return out
}

// switches are a contestant's voluntary switches of threads in a hundred texts, by round.
func (c *comparison) switches(who int) []float64 {
	out := make([]float64, len(c.runs[who]))
	for i, u := range c.runs[who] {
		out[i] = 100 * float64(u.Switches) / float64(max(1, c.texts))
	}
	return out
}

// speed is how many tokens per second the bare runtime reads of such texts, roughly.
func (s *subject) speed(mix traffic.Mix) (float64, error) {
	s.opts.Progress.Step("%s mix: how fast is the model?", mix.Name)
	q := s.newQueue(traffic.NewSource(mix, 0, s.opts.Seed+1), true, func(texts, tokens int) bool { return texts >= 8 && tokens >= 512 || tokens >= 2048 })
	b := inOrder(q.windows, 1)
	fastest := 0.0
	for begin := time.Now(); fastest == 0 || time.Since(begin) < min(s.opts.Duration/20, time.Second); {
		u, err := measure.Of(func() error { return s.runBare(b) })
		if err != nil {
			return 0, err
		}
		fastest = max(fastest, float64(q.tokens)/u.Wall.Seconds())
	}
	return fastest, nil
}

// bestPerfect tries the budgets once each, and takes the one that costs the least
// processor time: the comparison is with the best that the runtime gives.
func (s *subject) bestPerfect(q *queue, c *comparison) (*batches, error) {
	var best *batches
	var least time.Duration
	for _, budget := range budgets {
		s.opts.Progress.Step("%s mix: perfect batches of %d padded tokens", c.mix.Name, budget)
		b := perfect(q.windows, budget)
		u, err := measure.Of(func() error { return s.runBare(b) })
		if err != nil {
			return nil, err
		}
		if best == nil || u.CPU < least {
			best, least, c.budget = b, u.CPU, budget
		}
	}
	return best, nil
}

// runBare runs batches on as many goroutines as the pool has workers; each takes
// the next one.
func (s *subject) runBare(b *batches) error {
	return each(s.opts.Workers, len(b.runs), func(i int) error {
		_, _, err := s.session.Run(nil, b.runs[i])
		return err
	})
}

// readAndRun is runBare by workers that tokenize between their batches as many texts
// as a batch has on average: the work that the pool does, without the pool. Tokenizer
// and model take each other's place in the processor's caches, so that the two
// together cost more than one after the other.
func (s *subject) readAndRun(q *queue, b *batches) error {
	texts, runs := len(q.texts), len(b.runs)
	return each(s.opts.Workers, runs, func(i int) error {
		for _, t := range q.texts[i*texts/runs : (i+1)*texts/runs] {
			s.classifier.Plan(nil, t.Text, inference.PlanOptions{Budget: mostWindows, Wide: s.wide})
		}
		_, _, err := s.session.Run(nil, b.runs[i])
		return err
	})
}

func (s *subject) tokenize(q *queue) {
	_ = each(s.opts.Workers, len(q.texts), func(i int) error {
		s.classifier.Plan(nil, q.texts[i].Text, inference.PlanOptions{Budget: mostWindows, Wide: s.wide})
		return nil
	})
}

// each calls do(0) to do(n-1) from so many goroutines and returns the first error.
func each(workers, n int, do func(i int) error) error {
	var next atomic.Int64
	var first atomic.Pointer[error]
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || first.Load() != nil {
					return
				}
				if err := do(i); err != nil {
					first.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	group.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}
