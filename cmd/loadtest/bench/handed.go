package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sallyport-mcp/sallyport/inference"
)

// handed makes a pass for the pool's callers without the pool: each tokenizes its text,
// hands the windows over a channel and waits until they were computed. Workers take as
// many as the next perfect batch has rows and run that batch, whichever windows they
// are. So nothing is queued by urgency, looked up, planned or kept to a deadline, and
// the batches are perfect: what it takes more than perfect batches alone is what so many
// waiting callers cost whoever serves them.
func (s *subject) handed(ctx context.Context, pool *rig, q *queue, b *batches) (run func() error) {
	hatch := newHatch(len(q.windows))
	var next atomic.Int64
	begin := pool.crowd.gather(min(aCrowd, len(q.texts)), func(int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(q.texts) {
				return
			}
			s.classifier.Plan(nil, q.texts[i].Text, inference.PlanOptions{Budget: mostWindows, Wide: s.wide})
			done := &sync.WaitGroup{}
			done.Add(len(q.of[i]))
			for range q.of[i] {
				hatch.windows <- done
			}
			done.Wait()
		}
	})
	return func() error {
		failed := make(chan error, 1)
		go func() {
			err := each(s.opts.Workers, len(b.runs), func(i int) error {
				mine := hatch.take(b.runs[i].Rows)
				_, _, err := s.session.Run(nil, b.runs[i])
				for _, w := range mine {
					w.Done()
				}
				return err
			})
			failed <- err
			for w := range hatch.windows { // after an error nobody else answers
				w.Done()
			}
		}()
		begin()
		close(hatch.windows)
		if err := <-failed; err != nil {
			return fmt.Errorf("callers behind a channel: %w", err)
		}
		return ctx.Err()
	}
}

// hatch is where windows change hands; each stands for the caller that waits for it.
type hatch struct {
	windows chan *sync.WaitGroup
	turn    chan struct{} // held by who collects
}

func newHatch(room int) *hatch {
	return &hatch{windows: make(chan *sync.WaitGroup, room), turn: make(chan struct{}, 1)}
}

// take waits for n windows. Only one worker collects at a time: many with a part of a
// batch each could hold the windows of all callers and wait for more for ever.
func (h *hatch) take(n int) []*sync.WaitGroup {
	h.turn <- struct{}{}
	defer func() { <-h.turn }()
	taken := make([]*sync.WaitGroup, n)
	for i := range taken {
		taken[i] = <-h.windows
	}
	return taken
}
