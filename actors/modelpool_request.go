package actors

import (
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
	"github.com/sallyport-mcp/sallyport/supervision/guard"
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
	left     int32     // windows without a score or an error
	queued   int32     // windows that no worker has come to
	cached   int32
	shared   int32
	computed int32
	place    int32                // among the open requests, from 1; 0: it is not open
	together int                  // sum of the batch sizes of those shared and computed
	fault    *messages.ModelError // the first error that concerns one window only
	done     bool
	one      struct { // the memory of a request of one window, which most are
		flights [1]*flight
		score   [1]float32
		flight  flight
	}
}

// submission is the message of a caller with the memory that the pool needs for it,
// and its promise.
type submission struct {
	messages.Classify
	request request
	promise guard.Promise[messages.Classification]
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

// requests are the open ones, in no order. Those that came last stand last, and change
// places with one that goes: their memory is the warmest.
type requests []*request

func (l *requests) add(r *request) {
	*l = append(*l, r)
	r.place = int32(len(*l))
}

// remove takes a request off, if it is there.
func (l *requests) remove(r *request) {
	if r.place == 0 {
		return
	}
	n := len(*l) - 1
	last := (*l)[n]
	(*l)[r.place-1], last.place = last, r.place
	(*l)[n], *l, r.place = nil, (*l)[:n], 0
}

// rejectAll ends all of them with an error and leaves none.
func (p *poolActor) rejectAll(e *messages.ModelError) {
	for n := len(p.open); n > 0; n = len(p.open) {
		r := p.open[n-1]
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
