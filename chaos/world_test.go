//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The streams of random numbers of one seed.
const (
	streamDirector = iota + 1
	streamDisk
	streamLine
	streamWorker // and up, one a worker
)

// world is one run of one seed: several lives of an engine, one after the other.
type world struct {
	t    *testing.T
	seed uint64
	end  time.Time
	rnd  *rand.Rand // of the director alone
	dir  string
	ctx  context.Context //nolint:containedctx // ends with the first violation
	stop context.CancelFunc
	// stolen is how long nothing ran here that should have, in nanoseconds: a machine
	// that does something else is not what is tested.
	stolen atomic.Int64

	mu         sync.Mutex
	begun      time.Time
	history    tail
	log        tail
	lastMsg    string
	violations []string
	counts     map[string]int
}

func newWorld(t *testing.T, seed uint64, d time.Duration) *world {
	w := &world{t: t, seed: seed, end: time.Now().Add(d), begun: time.Now(), dir: t.TempDir(),
		rnd: rand.New(rand.NewPCG(seed, streamDirector)), history: tail{most: 120}, log: tail{most: 60}, counts: map[string]int{}}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

const (
	pulseEvery = 10 * time.Millisecond
	// pause is a gap between two pulses that is none of the engine's.
	pause = 100 * time.Millisecond
)

// pulse measures what is stolen, until the world ends.
func (w *world) pulse(ended <-chan struct{}) {
	for last := time.Now(); ; {
		select {
		case <-ended:
			return
		case <-time.After(pulseEvery):
		}
		now := time.Now()
		if gap := now.Sub(last) - pulseEvery; gap > pause {
			w.stolen.Add(int64(gap))
		}
		last = now
	}
}

// note remembers what was done.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history.add(fmt.Sprintf("%7.3f s  %s", time.Since(w.begun).Seconds(), fmt.Sprintf(format, args...)))
}

// count counts what was seen.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

const mostViolations = 20

// violate records that a promise does not hold, and ends the run.
func (w *world) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.note("VIOLATION: %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.violations) < mostViolations {
		w.violations = append(w.violations, text)
	}
	w.stop()
}

func (w *world) broken() bool { return w.ctx.Err() != nil }

// Write takes the engine's log.
func (w *world) Write(p []byte) (int, error) {
	var l struct {
		Level string `json:"level"`
		Msg   string `json:"msg"`
	}
	if err := json.Unmarshal(p, &l); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.Msg != w.lastMsg { // a sick disk has something to say for every line
		w.lastMsg = l.Msg
		w.log.add(string(p[:min(len(p)-1, longestLine)]))
	}
	return len(p), nil
}

// longestLine of the log is shown; what is longer is a stack.
const longestLine = 700

// report says what was seen, and when something was wrong, what led to it and how
// to see it again.
func (w *world) report(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var seen []string
	for _, what := range slices.Sorted(maps.Keys(w.counts)) {
		seen = append(seen, fmt.Sprintf("%s %d", what, w.counts[what]))
	}
	w.t.Logf("seed %d: %s; %v stolen", w.seed, strings.Join(seen, ", "), time.Duration(w.stolen.Load()).Round(time.Millisecond))
	if len(w.violations) == 0 {
		return
	}
	w.t.Logf("what was done last:\n%s", strings.Join(w.history.lines, "\n"))
	w.t.Logf("the engine's last warnings:\n%s", strings.Join(w.log.lines, "\n"))
	w.t.Errorf("seed %d broke %d promises:\n  %s\nrepeat it with: make chaos CHAOS_SEED=%d CHAOS_SECONDS=%d",
		w.seed, len(w.violations), strings.Join(w.violations, "\n  "), w.seed, int(d.Seconds()))
}

// tail is the end of something long.
type tail struct {
	most  int
	lines []string
}

func (t *tail) add(line string) {
	t.lines = append(t.lines, line)
	if len(t.lines) > t.most {
		t.lines = t.lines[1:]
	}
}
