package supervision

import (
	"sync"
	"time"
)

// timers are those of the tree that have not fired, so that its end can stop them.
// It has a lock because the end comes from outside the root's turn.
type timers struct {
	mu     sync.Mutex
	live   map[*time.Timer]struct{}
	closed bool
}

// after calls f after d, on a goroutine of its own, unless stop comes first.
func (s *timers) after(d time.Duration, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.live == nil {
		s.live = map[*time.Timer]struct{}{}
	}
	var t *time.Timer
	t = time.AfterFunc(d, func() {
		s.mu.Lock()
		delete(s.live, t)
		closed := s.closed
		s.mu.Unlock()
		if !closed {
			f()
		}
	})
	s.live[t] = struct{}{}
}

func (s *timers) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for t := range s.live {
		t.Stop()
	}
	s.live = nil
}
