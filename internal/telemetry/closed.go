package telemetry

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// set is the closed set of values of one label. With open, everything else counts as Other; without, the values come from an
// enumeration of ours and there is nothing else.
type set struct {
	label  string
	values []string
	open   bool
}

func closed(label string, values ...string) set { return set{label: label, values: values} }
func open(label string, values ...string) set   { return set{label: label, values: values, open: true} }

// all returns the values that exist from the start.
func (s set) all() []string {
	if s.open {
		return append(slices.Clone(s.values), Other)
	}
	return s.values
}

// labelNames returns the names in order.
func labelNames(sets []set) []string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = s.label
	}
	return names
}

// key is up to three label values. Unused places are empty.
type key [3]string

// family is one metric name with its series, all made in advance. It is immutable after construction and safe for concurrent
// use. A value outside its set is looked up as Other, label by label.
type family[M any] struct {
	series map[key]M
	known  []map[string]bool
}

// newFamily makes a series for every combination of the sets.
func newFamily[M any](sets []set, series func(...string) M) family[M] {
	f := family[M]{series: map[key]M{}}
	for _, s := range sets {
		m := map[string]bool{}
		for _, v := range s.values {
			m[v] = true
		}
		f.known = append(f.known, m)
	}
	var fill func(k key, depth int)
	fill = func(k key, depth int) {
		if depth == len(sets) {
			f.series[k] = series(k[:depth]...)
			return
		}
		for _, v := range sets[depth].all() {
			k[depth] = v
			fill(k, depth+1)
		}
	}
	fill(key{}, 0)
	return f
}

// at returns the series of the given values; the second result is false when a value is not in its set and the set is not open.
func (f *family[M]) at(values ...string) (M, bool) {
	var k key
	copy(k[:], values)
	if m, ok := f.series[k]; ok {
		return m, true
	}
	for i, known := range f.known {
		if !known[k[i]] {
			k[i] = Other
		}
	}
	m, ok := f.series[k]
	return m, ok
}

// counters is a counter family.
type counters struct{ family[prometheus.Counter] }

// add ignores an n that is not positive: a counter panics at a negative one.
func (c *counters) add(n float64, values ...string) {
	if m, ok := c.at(values...); ok && n > 0 {
		m.Add(n)
	}
}

// histograms is a histogram family.
type histograms struct{ family[prometheus.Observer] }

func (h *histograms) observe(v float64, values ...string) {
	if m, ok := h.at(values...); ok {
		m.Observe(v)
	}
}

// Gauge is a value that goes up and down. It is safe for concurrent use. Either its one owner sets it, or, after Source, it is
// read when a scrape asks: what many change at once has no last word that could be set.
type Gauge struct {
	bits   atomic.Uint64
	source atomic.Pointer[func() float64]
}

// Set replaces the value.
func (g *Gauge) Set(v float64) { g.bits.Store(math.Float64bits(v)) }

// Source makes f the value from now on, whatever is Set. It is called by scrapes, from any goroutine, and must not block.
func (g *Gauge) Source(f func() float64) { g.source.Store(&f) }

// Value returns the value that a scrape would see now.
func (g *Gauge) Value() float64 {
	if f := g.source.Load(); f != nil {
		return (*f)()
	}
	return math.Float64frombits(g.bits.Load())
}
