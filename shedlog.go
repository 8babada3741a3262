package sallyport

import (
	"sync"
	"time"
)

// shedLines is how many shed exchanges a second get an audit line of their own;
// the others are reported together, with the exact count, when the second is over.
const shedLines = 100

// shedLog samples the audit lines of shed exchanges. It is a lock and not an
// actor because it exists for the moments in which queues are full.
type shedLog struct {
	mu      sync.Mutex
	second  int64
	lines   int
	skipped int64
}

// allow reports whether this exchange gets a line of its own, and how many
// earlier ones are owed a common line, which the caller must now write.
func (s *shedLog) allow(now time.Time) (own bool, owed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if second := now.Unix(); second != s.second {
		owed, s.skipped = s.skipped, 0
		s.second, s.lines = second, 0
	}
	if s.lines < shedLines {
		s.lines++
		return true, owed
	}
	s.skipped++
	return false, owed
}

// due returns what is owed for seconds that are over.
func (s *shedLog) due(now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Unix() == s.second {
		return 0
	}
	owed := s.skipped
	s.skipped = 0
	return owed
}

// rest returns what is still owed, at the end.
func (s *shedLog) rest() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	owed := s.skipped
	s.skipped = 0
	return owed
}
