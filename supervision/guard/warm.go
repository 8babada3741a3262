package guard

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// throughput is how many messages an actor handles before it yields the
// processor to others: the library's own default.
const throughput = 300

// Warm is a dispatcher that keeps a few goroutines parked between turns.
//
// The library's own dispatcher starts a goroutine each time an idle actor wakes,
// whose small stack then grows inside the actor's turn; that growth is about
// half of the cost of a hop. One Warm serves a whole tree. Its idle goroutines
// live until Close, so it must be closed by whoever made it.
type Warm struct {
	tasks   chan func()
	closed  chan struct{}
	once    sync.Once
	running atomic.Int32
	max     int32
}

var _ actor.Dispatcher = (*Warm)(nil)

// NewWarm returns a dispatcher that keeps at most maxIdle goroutines (at least
// one). More actors than that may run at once; the surplus runs on goroutines
// that end with their turn.
func NewWarm(maxIdle int) *Warm {
	return &Warm{tasks: make(chan func()), closed: make(chan struct{}), max: int32(max(maxIdle, 1))}
}

// Throughput is the number of messages per turn.
func (w *Warm) Throughput() int { return throughput }

// Schedule runs fn soon on another goroutine. It never blocks and keeps working
// after Close.
func (w *Warm) Schedule(fn func()) {
	select {
	case w.tasks <- fn: // unbuffered: taken only by a goroutine that is parked
		return
	default:
	}
	if w.running.Add(1) > w.max {
		w.running.Add(-1)
		go fn()
		return
	}
	go w.loop(fn)
}

func (w *Warm) loop(fn func()) {
	defer w.running.Add(-1)
	for {
		fn()
		fn = nil // a parked goroutine must not keep a dead actor reachable
		select {
		case fn = <-w.tasks:
		case <-w.closed:
			return
		}
	}
}

// Close lets the parked goroutines end. It may be called more than once.
func (w *Warm) Close() { w.once.Do(func() { close(w.closed) }) }
