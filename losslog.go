package sallyport

import (
	"sync/atomic"
	"time"
)

// lossLog decides which lost audit lines are worth a line in the log: the first, and
// then one a second with the count. A full disk would otherwise be told about itself
// as often as something is asked, by a log that may lie on the same disk.
type lossLog struct {
	unsaid  atomic.Int64 // lost since the last line
	second  atomic.Int64 // of the last line
	failing atomic.Bool
}

// lost counts one line and returns how many to report now, 0 for none.
func (l *lossLog) lost(now time.Time) int64 {
	l.failing.Store(true)
	l.unsaid.Add(1)
	if last, second := l.second.Load(), now.Unix(); last == second || !l.second.CompareAndSwap(last, second) {
		return 0
	}
	return l.unsaid.Swap(0)
}

// written reports whether this line is the first after lost ones, and how many of
// those were not reported yet.
func (l *lossLog) written() (recovered bool, unsaid int64) {
	if !l.failing.Load() || !l.failing.CompareAndSwap(true, false) {
		return false, 0
	}
	return true, l.unsaid.Swap(0)
}
