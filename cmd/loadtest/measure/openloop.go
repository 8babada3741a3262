package measure

import (
	"context"
	"sync"
	"time"
)

// OpenLoop starts do(i, scheduled) on a goroutine of its own at every moment of the
// schedule, whether or not earlier ones have ended, and returns when all have. A
// latency is to be measured from the scheduled moment: then a server that stalls
// is charged for everybody who would have come meanwhile.
//
// At most outstanding run at once; beyond that lost(i) is called instead, so that a
// load that nobody takes away cannot fill the memory. When ctx ends no more are
// started. It returns how many moments were reached.
func OpenLoop(ctx context.Context, schedule []time.Duration, outstanding int, do func(i int, scheduled time.Time), lost func(i int)) (started int) {
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, max(1, outstanding))
	begin := time.Now()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for i, at := range schedule {
		scheduled := begin.Add(at)
		if wait := time.Until(scheduled); wait > 0 {
			timer.Reset(wait)
			select {
			case <-ctx.Done():
				return i
			case <-timer.C:
			}
		} else if ctx.Err() != nil {
			return i
		}
		select {
		case places <- struct{}{}:
			running.Go(func() {
				defer func() { <-places }()
				do(i, scheduled)
			})
		default:
			lost(i)
		}
	}
	return len(schedule)
}
