package actors

import (
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
)

// request is one Classify that has not been answered.
type request struct {
	msg      *messages.Classify
	deadline time.Time
	// urgent is when its windows should be read. What the gate reads may have the
	// judge still before it, and gets half of the time: so it goes ahead of what waits
	// for the judge, a run of which takes as long as many of the gate's, but not of
	// what has waited for half of its own time.
	urgent   time.Time
	admitted time.Time
	worked   uint64        // runs of its model that had given a score when it came
	estimate time.Duration // what it was expected to take, 0 when unknown
	scores   []float32
	flights  []*flight // one per window; nil where the score was cached
	left     int       // windows without a score or an error
	queued   int       // windows that no worker has come to
	cached   int
	shared   int
	computed int
	together int                  // sum of the batch sizes of those
	fault    *messages.ModelError // the first error that concerns one window only
	done     bool
	open     bool // in the chain of prev and next
	// prev and next chain the requests that are open.
	prev, next *request
	one        struct { // the memory of a request of one window, which most are
		flights [1]*flight
		score   [1]float32
		flight  flight
	}
}

// submission is the message of a caller with the memory that the pool needs for it.
type submission struct {
	messages.Classify
	request request
}

// overdue is the fault of a request whose time was over after its work had started.
// That is a fault of ours only where the model did nothing for anyone meanwhile:
// overload must not look like illness.
func (h *ModelPool) overdue(r *request) messages.ModelFault {
	if h.workedOf(r.msg.Stage) != r.worked {
		return messages.ModelLate
	}
	return messages.ModelTimeout
}

// blocks reports whether a score ends the request early.
func (r *request) blocks(index int, score float32) bool {
	at := r.msg.BlockAt
	if r.msg.BlockAts != nil {
		at = r.msg.BlockAts[index]
	}
	return at > 0 && float64(score) >= at
}

// requests are the open ones.
type requests struct{ first *request }

func (l *requests) add(r *request) {
	r.open, r.prev, r.next = true, nil, l.first
	if l.first != nil {
		l.first.prev = r
	}
	l.first = r
}

// remove takes a request off, if it is there.
func (l *requests) remove(r *request) {
	if !r.open {
		return
	}
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.open, r.prev, r.next = false, nil, nil
}

// rejectAll ends all of them with an error and leaves none.
func (p *poolActor) rejectAll(e *messages.ModelError) {
	for r := p.open.first; r != nil; r = p.open.first {
		p.open.remove(r)
		r.done = true
		p.h.cfg.Observer.Fault(e.Fault)
		r.msg.Reject(e)
	}
}

// workedOf is how many runs of a stage have given a score; 0 for a stage there is not.
func (h *ModelPool) workedOf(stage int) uint64 {
	if stage < 0 || stage >= len(h.worked) {
		return 0
	}
	return h.worked[stage].Load()
}
