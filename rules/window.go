package rules

// window is a sum over the last stretch of time. Up to maxExact entries it is exact to the millisecond. Beyond that, entries of the
// same sixteenth of the window are gathered at the time of the newest of them, so that the sum may hold an amount for at most
// within/16 too long and never for too short.
type window struct {
	at      []tick    // in order
	amounts []float64 // parallel to at; nil while every amount is 1
}

// prune drops what has left the window: at exactly within after it, an entry no longer counts.
func (w *window) prune(now, within tick) {
	n := 0
	for n < len(w.at) && now-w.at[n] >= within {
		n++
	}
	w.drop(n)
}

func (w *window) drop(n int) {
	if n == 0 {
		return
	}
	w.at = append(w.at[:0], w.at[n:]...)
	if w.amounts != nil {
		w.amounts = append(w.amounts[:0], w.amounts[n:]...)
	}
}

func (w *window) amount(i int) float64 {
	if w.amounts == nil {
		return 1
	}
	return w.amounts[i]
}

func (w *window) sum() float64 {
	if w.amounts == nil {
		return float64(len(w.at))
	}
	total := 0.0
	for _, a := range w.amounts {
		total += a
	}
	return total
}

// add enters an amount. Times come nearly in order: an exchange is entered when it settles, at the time it was evaluated.
func (w *window) add(at tick, amount float64, within tick) {
	if amount != 1 {
		w.weigh()
	}
	if len(w.at) >= maxExact {
		w.gather(within)
	}
	i := len(w.at)
	for i > 0 && w.at[i-1] > at {
		i--
	}
	w.at = append(grown(w.at), 0)
	copy(w.at[i+1:], w.at[i:])
	w.at[i] = at
	if w.amounts != nil {
		w.amounts = append(grown(w.amounts), 0)
		copy(w.amounts[i+1:], w.amounts[i:])
		w.amounts[i] = amount
	}
}

func (w *window) weigh() {
	if w.amounts != nil {
		return
	}
	w.amounts = make([]float64, len(w.at), cap(w.at))
	for i := range w.amounts {
		w.amounts[i] = 1
	}
}

func (w *window) gather(within tick) {
	w.weigh()
	cell := max(within/windowCells, 1)
	n := 0
	for i := range w.at {
		if n > 0 && w.at[n-1]/cell == w.at[i]/cell {
			w.at[n-1] = w.at[i]
			w.amounts[n-1] += w.amounts[i]
			continue
		}
		w.at[n], w.amounts[n] = w.at[i], w.amounts[i]
		n++
	}
	w.at, w.amounts = w.at[:n], w.amounts[:n]
}

// until returns how long after now the sum will have fallen to limit or below if nothing is added, and false when it never does.
func (w *window) until(limit float64, now, within tick) (tick, bool) {
	left := w.sum()
	if left <= limit {
		return 0, true
	}
	for i := range w.at {
		if left -= w.amount(i); left <= limit || i == len(w.at)-1 && limit >= 0 {
			return w.at[i] + within - now, true
		}
	}
	return 0, false
}

func (w *window) shift(delta tick) {
	n := 0
	for i := range w.at {
		if w.at[i] = w.at[i].shifted(delta); w.at[i] == 0 {
			n = i + 1
		}
	}
	w.drop(n)
}

func (w *window) size() int { return 4*cap(w.at) + 8*cap(w.amounts) }
