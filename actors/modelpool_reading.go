package actors

import "sync"

// reading counts the callers that have a segment in hand, by its key. Under pressure a
// text that another caller is having read costs nothing: its windows are in flight,
// and whoever asks for it waits with the other. It is shared under a lock, held for a
// look-up, for the same reason as the cache: it must not cost a hop.
type reading struct {
	mu sync.Mutex
	by map[cacheKey]int
}

// enter adds the pieces of a call and reports whether all of them were there already.
func (r *reading) enter(keys []cacheKey, pieces []piece) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = map[cacheKey]int{}
	}
	known := true
	for _, p := range pieces {
		n := r.by[keys[p.segment]]
		known = known && n > 0
		r.by[keys[p.segment]] = n + 1
	}
	return known
}

func (r *reading) leave(keys []cacheKey, pieces []piece) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range pieces {
		k := keys[p.segment]
		if r.by[k]--; r.by[k] <= 0 {
			delete(r.by, k)
		}
	}
}
