package rules

import (
	"slices"
	"unsafe"
)

// loopMemory counts identical calls. It remembers the newest threshold-1 times of at most maxLoopCalls different calls; when another
// one comes, the call that was made least often goes, the oldest of those first. A call that has repeated therefore outlives any
// number of calls that have not.
type loopMemory struct {
	calls []loopCall // in the order of time
}

type loopCall struct {
	hash [16]byte
	at   tick
}

// advance counts the attempt and fires on the threshold-th identical one inside the window.
func (l *loopMemory) advance(r *rule, sm *StepMatch, now tick) bool {
	l.prune(now, tick(r.within))
	same, oldest := 0, -1
	for i := range l.calls {
		if l.calls[i].hash == sm.hash {
			if oldest < 0 {
				oldest = i
			}
			same++
		}
	}
	fired := same+1 >= r.decl.threshold
	switch {
	case same >= r.decl.threshold-1:
		l.calls = slices.Delete(l.calls, oldest, oldest+1)
	case same == 0:
		l.makeRoom()
	}
	l.calls = append(grown(l.calls), loopCall{hash: sm.hash, at: now})
	return fired
}

// prune drops calls that have left the window: at exactly within after it, a call no longer counts.
func (l *loopMemory) prune(now, within tick) {
	n := 0
	for n < len(l.calls) && now-l.calls[n].at >= within {
		n++
	}
	l.calls = slices.Delete(l.calls, 0, n)
}

func (l *loopMemory) makeRoom() {
	if len(l.calls) < maxLoopCalls {
		return
	}
	type group struct {
		hash   [16]byte
		count  int
		newest int
	}
	var groups [maxLoopCalls]group
	n := 0
next:
	for i := range l.calls {
		for g := range groups[:n] {
			if groups[g].hash == l.calls[i].hash {
				groups[g].count++
				groups[g].newest = i
				continue next
			}
		}
		groups[n] = group{hash: l.calls[i].hash, count: 1, newest: i}
		n++
	}
	if n < maxLoopCalls {
		return
	}
	victim := groups[0]
	for _, g := range groups[1:n] {
		if g.count < victim.count || g.count == victim.count && g.newest < victim.newest {
			victim = g
		}
	}
	l.calls = slices.DeleteFunc(l.calls, func(c loopCall) bool { return c.hash == victim.hash })
}

func (*loopMemory) settle([16]byte, bool, tick) {} // attempts count, whatever becomes of them

func (l *loopMemory) shift(delta tick) {
	for i := range l.calls {
		l.calls[i].at = l.calls[i].at.shifted(delta)
	}
	l.calls = slices.DeleteFunc(l.calls, func(c loopCall) bool { return c.at == 0 })
}

func (l *loopMemory) size() int {
	return int(unsafe.Sizeof(*l)) + cap(l.calls)*int(unsafe.Sizeof(loopCall{}))
}
