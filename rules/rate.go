package rules

import "unsafe"

// rateMemory counts attempts, per tool or for the whole rule. It counts at most maxRateTools tools apart. Calls of further tools
// share one counter as long as the others are active: then they may be denied early, and none is ever forgotten.
type rateMemory struct {
	counters []rateCounter
}

type rateCounter struct {
	tool  uint64 // 0 is the shared one
	calls window
}

// advance counts the attempt. It fires when max attempts inside the window came before, denied ones included.
func (m *rateMemory) advance(r *rule, sm *StepMatch, now tick) (fired bool, retry tick) {
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

func (m *rateMemory) counter(tool uint64, now, within tick) *rateCounter {
	for i := range m.counters {
		if m.counters[i].tool == tool {
			return &m.counters[i]
		}
	}
	if len(m.counters) >= maxRateTools {
		kept := m.counters[:0]
		for _, c := range m.counters {
			if c.calls.prune(now, within); len(c.calls.at) > 0 {
				kept = append(kept, c)
			}
		}
		clear(m.counters[len(kept):])
		m.counters = kept
	}
	if len(m.counters) >= maxRateTools && tool != 0 {
		return m.counter(0, now, within)
	}
	m.counters = append(m.counters, rateCounter{tool: tool})
	return &m.counters[len(m.counters)-1]
}

func (*rateMemory) settle([16]byte, bool, tick) {} // attempts count, whatever becomes of them

func (m *rateMemory) shift(delta tick) {
	for i := range m.counters {
		m.counters[i].calls.shift(delta)
	}
}

func (m *rateMemory) size() int {
	total := int(unsafe.Sizeof(*m)) + cap(m.counters)*int(unsafe.Sizeof(rateCounter{}))
	for i := range m.counters {
		total += m.counters[i].calls.size()
	}
	return total
}
