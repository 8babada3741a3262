package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/inference"
)

// saving is what one economy saves on the same traffic: the pool with it against
// the pool without it.
type saving struct {
	name, note      string
	with, without   []measure.Usage
	computedWith    int // windows that were computed in the last round
	computedWithout int
}

// ratio is how much less processor time the texts take, round by round.
func (s *saving) ratios() []float64 {
	return measure.Ratios(cpuSeconds(s.without), cpuSeconds(s.with))
}

func cpuSeconds(u []measure.Usage) []float64 {
	out := make([]float64, len(u))
	for i := range u {
		out[i] = u[i].CPU.Seconds()
	}
	return out
}

// blockedShare is the share of payloads that a block ends early where early exit is
// measured.
const blockedShare = 0.1

// economies measures the cache, early exit and, when asked for, the gate on one mix.
func (s *subject) economies(ctx context.Context, mix traffic.Mix, plain *rig) (out []*saving, err error) {
	rate, err := s.speed(mix)
	if err != nil {
		return nil, err
	}
	perPass := int(rate * s.opts.Duration.Seconds() / float64(4*s.opts.Rounds))
	enough := enoughFor(perPass, leastTexts)

	cached := &saving{name: "score cache", note: fmt.Sprintf("%.0f %% of the texts repeat an earlier one", 100*s.opts.RepeatShare)}
	if err := s.economy(ctx, mix, cached, func(round int) *queue {
		return s.newQueue(traffic.NewSource(mix, s.opts.RepeatShare, s.opts.Seed+100+uint64(round)), false, enough)
	}, poolSpec{cache: 65_536, roomy: true}, plain, 0); err != nil {
		return nil, err
	}
	out = append(out, cached)

	early := &saving{name: "early exit", note: fmt.Sprintf("%.0f %% of the texts block", 100*blockedShare)}
	// Texts of several windows: with one, there is nothing to leave out.
	q := s.newQueue(traffic.NewSource(traffic.Long, 0, s.opts.Seed+200), true, enoughFor(perPass, leastTexts/2))
	at, err := s.blockingScore(q)
	if err != nil {
		return nil, err
	}
	if err := s.economy(ctx, traffic.Long, early, func(int) *queue { return q }, poolSpec{cache: -1, roomy: true}, plain, at); err != nil {
		return nil, err
	}
	out = append(out, early)

	if s.opts.Gate {
		gated := &saving{name: "gate in front of the judge", note: "the embedded model reads everything first"}
		q := s.newQueue(traffic.NewSource(mix, 0, s.opts.Seed+300), true, enough)
		if err := s.economy(ctx, mix, gated, func(int) *queue { return q }, poolSpec{cache: -1, roomy: true, gate: true}, plain, 0); err != nil {
			return nil, err
		}
		out = append(out, gated)
	}
	return out, nil
}

// economy runs the same queue through a pool of its own and through the plain one,
// in turns. A cache begins each round empty, because the texts are others.
func (s *subject) economy(ctx context.Context, mix traffic.Mix, e *saving, queueOf func(round int) *queue, spec poolSpec, plain *rig, blockAt float64) (err error) {
	own, err := s.start(ctx, spec)
	if err != nil {
		return err
	}
	defer func() {
		if stop := own.stop(); err == nil {
			err = stop
		}
	}()
	for round := range s.opts.Rounds {
		q := queueOf(round)
		for _, who := range measure.Turn(2, round) {
			if err := ctx.Err(); err != nil {
				return err
			}
			pool, at, word := own, blockAt, "with"
			if who == 1 {
				pool, at, word = plain, 0, "without"
			}
			s.opts.Progress.Step("%s mix, round %d of %d: %s %s", mix.Name, round+1, s.opts.Rounds, word, e.name)
			pass := pool.prepare(ctx, q, aFew, at)
			u, err := measure.Of(pass.run)
			if err != nil {
				return fmt.Errorf("%s %s: %w", word, e.name, err)
			}
			if who == 0 {
				e.with, e.computedWith = append(e.with, u), pass.computed
			} else {
				e.without, e.computedWithout = append(e.without, u), pass.computed
			}
		}
	}
	return nil
}

// blockingScore is the score that blockedShare of the texts reach.
func (s *subject) blockingScore(q *queue) (float64, error) {
	scores := make([]float64, len(q.texts))
	err := each(s.opts.Workers, len(q.texts), func(i int) error {
		for _, w := range q.of[i] {
			got, err := s.classifier.Run(inference.RunControl{}, q.windows[w:w+1])
			if err != nil {
				return err
			}
			scores[i] = max(scores[i], float64(got[0]))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.Sort(scores)
	return scores[int(float64(len(scores)-1)*(1-blockedShare))], nil
}

// shapeRun is the resident size over many differently shaped inputs, and what the
// process does when they are over.
type shapeRun struct {
	inputs   []float64
	resident []float64 // bytes
	// idle is the share of one CPU that the process uses after the load; rest holds it
	// by seconds since then, from the last input on.
	idle         float64
	rest         [][2]float64
	early, final float64 // bytes, after a tenth and at the end
}

// idleFor is how long the idle process is watched.
const idleFor = 3 * time.Second

// idleLook is how often.
const idleLook = 100 * time.Millisecond

// shapes follows the resident size while texts of every length pass through.
func (s *subject) shapes(ctx context.Context, pool *rig) (*shapeRun, error) {
	r := &shapeRun{}
	mix := traffic.Mix{Name: "every length", Parts: []traffic.Part{{Surface: "result", Weight: 1, Lengths: traffic.Lengths{{P: 0, Chars: 4}, {P: 1, Chars: 4000}}}}}
	src := traffic.NewSource(mix, 0, s.opts.Seed+400)
	step := max(1, s.opts.Shapes/50)
	for done := 0; done < s.opts.Shapes; {
		n := min(step, s.opts.Shapes-done)
		cpu, begin := measure.CPU(), time.Now()
		s.opts.Progress.Step("resident size: input %d of %d", done, s.opts.Shapes)
		q := s.newQueue(src, false, func(texts, _ int) bool { return texts >= n })
		if _, _, err := pool.classifyAll(ctx, q, aFew, 0); err != nil {
			return nil, err
		}
		done += n
		size, err := measure.Resident(0)
		if err != nil {
			return nil, err
		}
		r.inputs, r.resident = append(r.inputs, float64(done)), append(r.resident, float64(size))
		if r.early == 0 && done*10 >= s.opts.Shapes {
			r.early = float64(size)
		}
		r.final = float64(size)
		r.rest = [][2]float64{{-time.Since(begin).Seconds(), share(cpu, begin)}, {0, share(cpu, begin)}}
	}
	s.opts.Progress.Step("after the load: is the process idle?")
	after, ended := measure.CPU(), time.Now()
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	for cpu, begin := after, ended; time.Since(ended) < min(idleFor, s.opts.Duration); {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
		r.rest = append(r.rest, [2]float64{time.Since(ended).Seconds(), share(cpu, begin)})
		cpu, begin = measure.CPU(), time.Now()
	}
	r.idle = share(after, ended)
	return r, nil
}

// share is how many CPUs this process used since.
func share(cpu time.Duration, since time.Time) float64 {
	return (measure.CPU() - cpu).Seconds() / time.Since(since).Seconds()
}
