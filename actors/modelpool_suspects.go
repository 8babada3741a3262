package actors

import (
	"time"

	"github.com/sallyport-mcp/sallyport/messages"
)

// suspects are windows that were in a batch which failed. They run alone for a while:
// a window that the runtime cannot bear costs its callers a retry each time, and the
// windows beside it should not pay for it again. The poolActor's own, and bounded.
type suspects struct {
	until map[flightKey]time.Time
	order []flightKey // as they came
}

const (
	// suspectFor is how long a window is kept apart after its last failure.
	suspectFor = 5 * time.Minute
	// mostSuspects bounds the memory; the oldest are forgotten.
	mostSuspects = 1024
)

// suspicious reports whether a fault may be the window's own doing.
func suspicious(f messages.ModelFault) bool {
	switch f {
	case messages.ModelPoison, messages.ModelBadScore, messages.ModelPanic, messages.ModelHung:
		return true
	default:
		return false
	}
}

func (s *suspects) add(k flightKey, now time.Time) {
	if s.until == nil {
		s.until = map[flightKey]time.Time{}
	}
	if _, ok := s.until[k]; !ok {
		if len(s.order) == mostSuspects {
			delete(s.until, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, k)
	}
	s.until[k] = now.Add(suspectFor)
}

// has reports whether a window is to run alone now.
func (s *suspects) has(k flightKey, now time.Time) bool {
	if len(s.until) == 0 {
		return false
	}
	until, ok := s.until[k]
	return ok && now.Before(until)
}

// clear takes a window off that ran well alone.
func (s *suspects) clear(k flightKey) {
	if _, ok := s.until[k]; ok {
		s.until[k] = time.Time{} // its place in the order goes when its turn comes
	}
}
