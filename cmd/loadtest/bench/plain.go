package bench

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/inference"
)

// plainRun is what the same arrivals wait without a pool: tokenized where they
// arrive, their windows through a channel to as many workers on the bare runtime,
// one by one and in order. It knows no deadline, no cache, no fault. What this
// machine and the load generator make a text wait, it waits here too; only the
// difference is the pool's.
type plainRun struct {
	latency, added *measure.Latency
}

type plainJob struct {
	window int
	done   *sync.WaitGroup
}

// plain serves the schedule without a pool.
func (s *subject) plain(ctx context.Context, q *queue, schedule []time.Duration) (*plainRun, error) {
	one := inOrder(q.windows, 1)
	ran := make([]span, len(q.windows))
	work := make(chan plainJob, len(q.windows))
	var workers sync.WaitGroup
	var failed sync.Once
	var failure error
	for range s.opts.Workers {
		workers.Go(func() {
			runtime.LockOSThread() // as the pool's workers
			for j := range work {
				start := time.Now()
				_, _, err := s.session.Run(nil, one.runs[j.window])
				ran[j.window] = span{start, time.Now()}
				if err != nil {
					failed.Do(func() { failure = err })
				}
				j.done.Done()
			}
		})
	}
	answers := make([]span, len(schedule))
	measure.OpenLoop(ctx, schedule, mostOutstanding, func(i int, scheduled time.Time) {
		s.classifier.Plan(nil, q.texts[i].Text, inference.PlanOptions{Budget: mostWindows, Wide: s.wide})
		var done sync.WaitGroup
		done.Add(len(q.of[i]))
		for _, w := range q.of[i] {
			work <- plainJob{w, &done}
		}
		done.Wait()
		answers[i] = span{scheduled, time.Now()}
	}, func(int) {})
	close(work)
	workers.Wait()
	if failure != nil {
		return nil, failure
	}
	r := &plainRun{latency: measure.NewLatency(), added: measure.NewLatency()}
	for i, a := range answers {
		if a.end.IsZero() {
			continue
		}
		spans := make([]span, len(q.of[i]))
		for k, w := range q.of[i] {
			spans[k] = ran[w]
		}
		took := a.end.Sub(a.start)
		r.latency.Record(took)
		r.added.Record(took - covered(a.start, a.end, spans))
	}
	return r, ctx.Err()
}
