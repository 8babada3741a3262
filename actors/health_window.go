package actors

import (
	"fmt"

	"github.com/sallyport-mcp/sallyport/messages"
)

// window is a ring of the last outcomes, good or bad.
type window struct {
	bad  []bool
	next int
	n    int // filled slots
	sum  int // bad ones among them
}

func newWindow(size int) *window { return &window{bad: make([]bool, size)} }

func (w *window) add(bad bool) {
	if w.n == len(w.bad) {
		if w.bad[w.next] {
			w.sum--
		}
	} else {
		w.n++
	}
	w.bad[w.next] = bad
	if bad {
		w.sum++
	}
	w.next = (w.next + 1) % len(w.bad)
}

func (w *window) ring() messages.Ring { return messages.Ring{Samples: w.n, Bad: w.sum} }

// windows is one window over everything and one per required scanner, so that a
// cheap healthy scanner cannot hide a dead one.
type windows struct {
	min  int
	rate float64
	all  *window
	by   map[string]*window
	// names keep the order in which scanners are looked at.
	names []string
}

func newWindows(scanners []string, size, minSamples int, rate float64) *windows {
	w := &windows{min: minSamples, rate: rate, all: newWindow(size), by: map[string]*window{}, names: scanners}
	for _, s := range scanners {
		w.by[s] = newWindow(size)
	}
	return w
}

// add takes one outcome into its windows and reports whether one of these is above
// the line now.
func (w *windows) add(o messages.Outcome) bool {
	bad := o.Kind != messages.OutcomeOK
	w.all.add(bad)
	s := w.by[o.Scanner]
	if s == nil {
		return w.above(w.all.ring())
	}
	s.add(bad)
	return w.above(s.ring()) || w.above(w.all.ring())
}

// over says which window is above the line, and "" when none is.
func (w *windows) over() string {
	for _, name := range w.names {
		if r := w.by[name].ring(); w.above(r) {
			return fmt.Sprintf("%s: %d of the last %d runs failed", name, r.Bad, r.Samples)
		}
	}
	if r := w.all.ring(); w.above(r) {
		return fmt.Sprintf("%d of the last %d scanner runs failed", r.Bad, r.Samples)
	}
	return ""
}

func (w *windows) above(r messages.Ring) bool {
	return r.Samples >= w.min && float64(r.Bad) > w.rate*float64(r.Samples)
}
