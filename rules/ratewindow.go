package rules

import (
	"slices"
	"unsafe"
)

// rateWindows is what rateMemory is, for a max above maxExact: a window for each tool, with the same bound on tools.
type rateWindows struct {
	counters []rateCounter
}

type rateCounter struct {
	tool  uint64 // 0 is the shared one
	calls window
}

func (m *rateWindows) advance(r *rule, sm *StepMatch, now tick) (fired bool, retry tick) {
	within := tick(r.within)
	c := &m.counter(sm.tool, now, within).calls
	c.prune(now, within)
	fired = c.sum() >= r.decl.max
	c.add(now, 1, within)
	// Only the newest max attempts decide; older ones would be dead weight.
	for len(c.at) > 1 && c.sum()-c.amount(0) >= r.decl.max {
		c.drop(1)
	}
	if fired {
		retry, _ = c.until(r.decl.max-1, now, within)
	}
	return fired, retry
}

func (m *rateWindows) counter(tool uint64, now, within tick) *rateCounter {
	for i := range m.counters {
		if m.counters[i].tool == tool {
			return &m.counters[i]
		}
	}
	if len(m.counters) >= maxRateTools {
		m.counters = slices.DeleteFunc(m.counters, func(c rateCounter) bool {
			c.calls.prune(now, within)
			return len(c.calls.at) == 0
		})
	}
	if len(m.counters) >= maxRateTools && tool != 0 {
		return m.counter(0, now, within)
	}
	m.counters = append(m.counters, rateCounter{tool: tool})
	return &m.counters[len(m.counters)-1]
}

func (*rateWindows) settle([16]byte, bool, tick) {} // attempts count, whatever becomes of them

func (m *rateWindows) shift(delta tick) {
	for i := range m.counters {
		m.counters[i].calls.shift(delta)
	}
}

func (m *rateWindows) size() int {
	total := int(unsafe.Sizeof(*m)) + cap(m.counters)*int(unsafe.Sizeof(rateCounter{}))
	for i := range m.counters {
		total += m.counters[i].calls.size()
	}
	return total
}
