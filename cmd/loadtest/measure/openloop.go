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
	c := callers{do: do, most: max(1, outstanding)}
	defer c.leave()
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
		if !c.start(call{i, scheduled}) {
			lost(i)
		}
	}
	return len(schedule)
}

// call is one moment of a schedule.
type call struct {
	i         int
	scheduled time.Time
}

// callers are goroutines that are kept from one call to the next. A new one grows its
// stack inside its first call, which costs a few microseconds, several times what it
// costs to start it: that would be the generator's time, taken from the server beside
// it. Whoever became idle last is asked first: its stack is still in the caches.
type callers struct {
	do   func(i int, scheduled time.Time)
	most int
	all  sync.WaitGroup

	count int // of all; only who starts calls looks at it

	mu   sync.Mutex // what the callers and who starts their calls share
	idle []chan call
	over bool
}

// start has somebody make a call, and reports whether there was anybody left.
func (c *callers) start(next call) bool {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		calls := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		calls <- next // it is idle: there is room
		return true
	}
	c.mu.Unlock()
	if c.count == c.most {
		return false
	}
	c.count++
	calls := make(chan call, 1)
	calls <- next
	c.all.Go(func() { c.work(calls) })
	return true
}

// work is one caller.
func (c *callers) work(calls chan call) {
	for next := range calls {
		c.do(next.i, next.scheduled)
		if !c.rest(calls) {
			return
		}
	}
}

// rest makes a caller idle, unless nothing will come any more.
func (c *callers) rest(calls chan call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.idle = append(c.idle, calls)
	}
	return !c.over
}

// leave ends all callers, each when its call has ended.
func (c *callers) leave() {
	c.mu.Lock()
	c.over = true
	for _, calls := range c.idle {
		close(calls)
	}
	c.mu.Unlock()
	c.all.Wait()
}
