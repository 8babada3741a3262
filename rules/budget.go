package rules

import "unsafe"

// budgetMemory sums amounts. What a denied exchange would have used is given back; while an exchange is in flight its amount counts.
type budgetMemory struct {
	spent  window
	open   []claim
	within tick
}

type claim struct {
	id           [16]byte
	at, deadline tick
	amount       float64
}

// advance claims the amount and fires when it would take the sum over max.
func (b *budgetMemory) advance(r *rule, sm *StepMatch, x exchange) (fired bool, retry tick) {
	within := tick(r.within)
	b.expire(x.now, within)
	b.spent.prune(x.now, within)
	sum := b.spent.sum()
	for i := range b.open {
		sum += b.open[i].amount
	}
	fired = sum+sm.amount > r.decl.max
	if fired && sm.amount <= r.decl.max {
		retry = b.wait(r.decl.max-sm.amount, x.now, within)
	}
	if sm.amount > 0 {
		if len(b.open) >= maxUnsettled {
			b.take(0, within)
		}
		b.open = append(grown(b.open), claim{id: x.id, at: x.now, deadline: x.deadline, amount: sm.amount})
	}
	return fired, retry
}

// wait is the time until spent and claimed amounts together fall to room or below, if every claim is kept.
func (b *budgetMemory) wait(room float64, now, within tick) tick {
	all := window{}
	for i := range b.spent.at {
		all.add(b.spent.at[i], b.spent.amount(i), within)
	}
	for _, c := range b.open {
		all.add(c.at, c.amount, within)
	}
	retry, _ := all.until(room, now, within)
	return retry
}

// take moves a claim into the past.
func (b *budgetMemory) take(i int, within tick) {
	b.spent.add(b.open[i].at, b.open[i].amount, within)
	b.release(i)
}

func (b *budgetMemory) release(i int) {
	b.open = append(b.open[:i], b.open[i+1:]...)
	if len(b.open) == 0 {
		b.open = nil
	}
}

// expire takes claims whose exchange was never settled as spent, and forgets those that have left the window while in flight.
func (b *budgetMemory) expire(now, within tick) {
	for i := 0; i < len(b.open); {
		switch {
		case now-b.open[i].at >= within:
			b.release(i)
		case b.open[i].deadline <= now:
			b.take(i, within)
		default:
			i++
		}
	}
}

func (b *budgetMemory) settle(id [16]byte, commit bool, now tick) {
	for i := 0; i < len(b.open); {
		switch c := &b.open[i]; {
		case c.id != id:
			i++
		case commit || c.deadline <= now:
			b.take(i, b.within)
		default:
			b.release(i)
		}
	}
}

func (b *budgetMemory) shift(delta tick) {
	b.spent.shift(delta)
	for i := range b.open {
		c := &b.open[i]
		c.at, c.deadline = max(c.at.shifted(delta), 1), max(c.deadline.shifted(delta), 1)
	}
}

func (b *budgetMemory) size() int {
	return int(unsafe.Sizeof(*b)) + b.spent.size() + cap(b.open)*int(unsafe.Sizeof(claim{}))
}
