package bench

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// covered is how much of the time from start to end lies in at least one of the
// spans.
func covered(start, end time.Time, spans []span) time.Duration {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int { return a.start.Compare(b.start) })
	total, at := time.Duration(0), start
	for _, s := range spans {
		from, to := later(s.start, at), earlier(s.end, end)
		if to.After(from) {
			total += to.Sub(from)
			at = to
		}
	}
	return total
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// arrival is one text of a simulated queue.
type arrival struct {
	at time.Duration
	// runs are how long each of its windows is computed.
	runs []time.Duration
}

// idealWaits is how long each text would wait, beyond being computed, in a queue
// that costs nothing: its windows go to the first of so many servers that is free,
// in the order of arrival. A queue at 70 % of capacity makes some texts wait
// whatever serves it; this is by how much.
func idealWaits(arrivals []arrival, servers int) []time.Duration {
	free := make(freeTimes, servers)
	out := make([]time.Duration, len(arrivals))
	var zero time.Time
	for i, a := range arrivals {
		var spans []span
		end := a.at
		for _, run := range a.runs {
			start := max(a.at, free[0])
			free[0] = start + run
			spans = append(spans, span{zero.Add(start), zero.Add(free[0])})
			end = max(end, free[0])
			heap.Fix(&free, 0)
		}
		out[i] = end - a.at - covered(zero.Add(a.at), zero.Add(end), spans)
	}
	return out
}

// freeTimes is a heap of the moments at which servers become free.
type freeTimes []time.Duration

func (f freeTimes) Len() int           { return len(f) }
func (f freeTimes) Less(i, j int) bool { return cmp.Less(f[i], f[j]) }
func (f freeTimes) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

// Push is not used: the number of servers does not change.
func (f *freeTimes) Push(x any) { *f = append(*f, x.(time.Duration)) }

// Pop is not used, as Push.
func (f *freeTimes) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
