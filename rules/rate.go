package rules

import (
	"slices"
	"unsafe"
)

// rateMemory counts attempts of a rule whose max is at most maxExact, per tool or for the whole rule. It is one list of calls, the
// smallest form for keys that call most tools a few times. It counts at most maxRateTools tools apart. Calls of further tools share
// one counter as long as the others are active: then they may be denied early, and none is ever forgotten.
type rateMemory struct {
	calls []rateCall // in the order of time; of each tool the newest max
}

// rateCall is twelve bytes: the hash is split so that nothing is padded.
type rateCall struct {
	high, low uint32
	at        tick
}

func (c rateCall) tool() uint64 { return uint64(c.high)<<32 | uint64(c.low) }

// advance counts the attempt. It fires when max attempts inside the window came before, denied ones included. retry is when the
// next one would be allowed if none comes before.
func (m *rateMemory) advance(r *rule, sm *StepMatch, now tick) (fired bool, retry tick) {
	limit, tool, within := int(r.decl.max), sm.tool, tick(r.within)
	m.prune(now, within)
	same, first := m.count(tool)
	if same == 0 && tool != 0 && m.tools() >= maxRateTools {
		tool = 0
		same, first = m.count(tool)
	}
	fired = same >= limit
	if fired {
		m.calls = slices.Delete(m.calls, first, first+1)
	}
	m.calls = append(grown(m.calls), rateCall{high: uint32(tool >> 32), low: uint32(tool), at: now})
	if fired {
		_, first = m.count(tool)
		retry = m.calls[first].at + within - now
	}
	return fired, retry
}

// prune drops calls that have left the window.
func (m *rateMemory) prune(now, within tick) {
	n := 0
	for n < len(m.calls) && now-m.calls[n].at >= within {
		n++
	}
	m.calls = slices.Delete(m.calls, 0, n)
}

// count returns how many calls of a tool are kept and where the oldest is.
func (m *rateMemory) count(tool uint64) (n, first int) {
	for i := len(m.calls) - 1; i >= 0; i-- {
		if m.calls[i].tool() == tool {
			n, first = n+1, i
		}
	}
	return n, first
}

// tools counts the different tools that are kept.
func (m *rateMemory) tools() int {
	var seen [maxRateTools + 1]uint64
	n := 0
	for _, c := range m.calls {
		if n <= maxRateTools && !slices.Contains(seen[:n], c.tool()) {
			seen[n] = c.tool()
			n++
		}
	}
	return n
}

func (*rateMemory) settle([16]byte, bool, tick) {} // attempts count, whatever becomes of them

func (m *rateMemory) shift(delta tick) {
	for i := range m.calls {
		m.calls[i].at = m.calls[i].at.shifted(delta)
	}
	m.calls = slices.DeleteFunc(m.calls, func(c rateCall) bool { return c.at == 0 })
}

func (m *rateMemory) size() int {
	return int(unsafe.Sizeof(*m)) + cap(m.calls)*int(unsafe.Sizeof(rateCall{}))
}
