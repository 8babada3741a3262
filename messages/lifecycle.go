package messages

import (
	"time"

	"github.com/sallyport-mcp/sallyport/supervision/guard"
)

// Phase is where the process stands between start and exit.
type Phase uint8

const (
	// Starting: the tree is being spawned.
	Starting Phase = iota
	// Warming: everything runs, not everything is proved.
	Warming
	// Serving: ready.
	Serving
	// Degraded: was ready, is not now, may be again.
	Degraded
	// Draining: told to stop; still answers. There is no way back from here on.
	Draining
	// Stopping: the front is closed, parts are being stopped.
	Stopping
	// Stopped: nothing runs.
	Stopped
)

var phaseNames = [...]string{"starting", "warming", "serving", "degraded", "draining", "stopping", "stopped"}

// String is the word used in logs, metrics and status pages.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}

// Ready reports whether readiness is SERVING in this phase.
func (p Phase) Ready() bool { return p == Serving }

// Final reports whether the process is on its way out; nothing leads back from a
// final phase to one that is not.
func (p Phase) Final() bool { return p >= Draining }

// PhaseChange tells a subscriber what changed. Changes of one process reach a
// subscriber in order; fast ones may be told as one.
type PhaseChange struct {
	From, To Phase
	At       time.Time
	// Reason says why, for a person.
	Reason string
}

// Part is one thing that must be ready before the process is.
type Part struct {
	// Name is e.g. "listeners", "rules", "model".
	Name  string
	Ready bool
	// Since is when Ready or Reason last changed.
	Since time.Time
	// Reason says what is missing; empty when ready.
	Reason string
	// Report is the number of the latest report about it; see Ready.
	Report uint64
}

// Lifecycle is what the lifecycle actor last published.
type Lifecycle struct {
	// Seq grows by one with every published change.
	Seq   uint64
	Phase Phase
	// Since and Reason belong to Phase.
	Since  time.Time
	Reason string
	// Parts are in the order they were declared.
	Parts []Part
	// Served is whether Serving was ever reached.
	Served bool
	// DrainAt is when the drain wait began; zero before.
	DrainAt time.Time
}

// Ready reports that a part is ready. Reports are numbered as they are made, because one
// can arrive after a later one: that of an actor which ends is applied when its mailbox is
// emptied, and meanwhile reports are applied without it.
type Ready struct {
	Part   string
	Report uint64
}

// Unready reports that a part is not, or no longer, ready; see Ready.
type Unready struct {
	Part, Reason string
	Report       uint64
}

// Warm reports that everything is spawned: the first one enters Warming, a second
// one lets the phase follow from the parts.
type Warm struct{}

// Drain begins, or joins, the drain; the promise is resolved when the front is
// closed.
type Drain struct{ *guard.Promise[Drained] }

// Hurry ends the drain wait at once.
type Hurry struct{ guard.Quiet }

// Drained is how the front's drain ended.
type Drained struct {
	// Cut is whether accepted work was cut off because the grace was over.
	Cut bool
	// Took is the time of the drain itself, without the wait before it.
	Took time.Duration
	// Err is what the server reported, if anything.
	Err error
}

// Ping is the watchdog's question; the actor answers it with its own turn.
type Ping struct{ *guard.Promise[time.Time] }
