package bench

import "sync"

// crowd are callers that are kept from one pass to the next. A new goroutine grows its
// stack inside its first call, which takes a few microseconds: where a text takes
// sixty, that is the load generator's cost and not the pool's. In service the
// goroutines that call have grown theirs in the transport.
type crowd struct {
	work chan func()
	size int
}

// gather makes callers 0 to n-1 ready to do something. They do it once begin is
// called, which returns when all have.
func (c *crowd) gather(n int, do func(caller int)) (begin func()) {
	if c.work == nil {
		c.work = make(chan func())
	}
	for ; c.size < n; c.size++ {
		go func() {
			for f := range c.work {
				f()
			}
		}()
	}
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(n)
	done.Add(n)
	for i := range n {
		c.work <- func() {
			defer done.Done()
			ready.Done()
			<-start
			do(i)
		}
	}
	ready.Wait()
	return func() {
		close(start)
		done.Wait()
	}
}

// leave ends the callers.
func (c *crowd) leave() {
	if c.work != nil {
		close(c.work)
	}
}
