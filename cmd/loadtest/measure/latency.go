package measure

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range of a histogram: a microsecond to ten minutes at three digits.
const (
	lowest, highest = 1, int64(10 * time.Minute / time.Microsecond)
	digits          = 3
)

// Latency collects durations. It is shared by every goroutine of a load and is a
// locked structure, because recording is far shorter than any message.
type Latency struct {
	mu sync.Mutex
	h  *hdrhistogram.Histogram
}

// NewLatency returns an empty one.
func NewLatency() *Latency { return &Latency{h: hdrhistogram.New(lowest, highest, digits)} }

// Record adds one duration; what is outside of the range counts at its end.
func (l *Latency) Record(d time.Duration) {
	v := min(max(d.Microseconds(), 0), highest)
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.h.RecordValue(v) // v is in range
}

// Count is how many durations were recorded.
func (l *Latency) Count() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.h.TotalCount()
}

// At is the duration that the share p of the recorded ones does not exceed, with p
// in [0, 1]; zero when nothing was recorded.
func (l *Latency) At(p float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.h.ValueAtQuantile(100*p)) * time.Microsecond
}

// Max is the longest recorded duration.
func (l *Latency) Max() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(l.h.Max()) * time.Microsecond
}
