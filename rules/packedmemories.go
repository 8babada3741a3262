package rules

import "slices"

func (f *flowMemory) resting() bool { return f.journal == nil }

func (f *flowMemory) pack(w *packer, place int) {
	starts := f.starts()
	n := len(starts)
	for n > 0 && !f.alive(starts[n-1], w.base) {
		n--
	}
	if n == 0 {
		return
	}
	kind := packedFlow
	if f.far != nil {
		kind = packedLongFlow
	}
	w.begin(place, kind)
	w.number(uint64(f.within))
	w.number(uint64(n))
	for _, t := range starts[:n] {
		w.age(t)
	}
}

func (r *unpacker) flow(long bool) memory {
	f := &flowMemory{within: tick(r.number())}
	if long {
		f.far = new([maxFlowSteps]tick)
	}
	starts := f.starts()
	for i := range r.number() {
		starts[i] = r.age()
	}
	return f
}

func (*loopMemory) resting() bool { return true }

// pack writes every call's hash once, however often the call was made.
func (l *loopMemory) pack(w *packer, place int) {
	if len(l.calls) == 0 {
		return
	}
	w.begin(place, packedLoop)
	w.number(uint64(len(l.calls)))
	w.age(l.calls[0].at)
	var seen [maxLoopCalls]*[16]byte
	n, last := 0, l.calls[0].at
	for i := range l.calls {
		c := &l.calls[i]
		w.number(uint64(c.at - last))
		last = c.at
		k := slices.IndexFunc(seen[:n], func(h *[16]byte) bool { return *h == c.hash })
		if k >= 0 {
			w.number(uint64(k))
			continue
		}
		w.number(uint64(n))
		w.text = append(w.text, c.hash[:]...)
		seen[n] = &c.hash
		n++
	}
}

func (r *unpacker) loop() memory {
	n := r.number()
	l := &loopMemory{calls: make([]loopCall, n, n+1)}
	at := r.age()
	var seen [maxLoopCalls]*[16]byte
	known := uint64(0)
	for i := range l.calls {
		c := &l.calls[i]
		at += tick(r.number())
		c.at = at
		k := r.number()
		if k < known {
			c.hash = *seen[k]
			continue
		}
		r.text = r.text[copy(c.hash[:], r.text):]
		seen[known] = &c.hash
		known++
	}
	return l
}

func (*rateMemory) resting() bool { return true }

// pack writes every tool's hash once.
func (m *rateMemory) pack(w *packer, place int) {
	if len(m.calls) == 0 {
		return
	}
	w.begin(place, packedRate)
	w.number(uint64(len(m.calls)))
	w.age(m.calls[0].at)
	var seen [maxRateTools + 1]uint64
	n, last := 0, m.calls[0].at
	for _, c := range m.calls {
		w.number(uint64(c.at - last))
		last = c.at
		if k := slices.Index(seen[:n], c.tool()); k >= 0 {
			w.number(uint64(k))
			continue
		}
		w.number(uint64(n))
		w.word(c.tool())
		seen[n] = c.tool()
		n++
	}
}

func (r *unpacker) rate() memory {
	n := r.number()
	m := &rateMemory{calls: make([]rateCall, n, n+1)}
	at := r.age()
	var seen [maxRateTools + 1]uint64
	known := uint64(0)
	for i := range m.calls {
		at += tick(r.number())
		k := r.number()
		if k == known {
			seen[k] = r.word()
			known++
		}
		m.calls[i] = rateCall{high: uint32(seen[k] >> 32), low: uint32(seen[k]), at: at}
	}
	return m
}

func (*rateWindows) resting() bool { return true }

func (m *rateWindows) pack(w *packer, place int) {
	w.begin(place, packedRateWindows)
	w.number(uint64(len(m.counters)))
	for i := range m.counters {
		w.word(m.counters[i].tool)
		w.window(&m.counters[i].calls)
	}
}

func (r *unpacker) rateWindows() memory {
	n := r.number()
	m := &rateWindows{counters: make([]rateCounter, n, n+1)}
	for i := range m.counters {
		m.counters[i] = rateCounter{tool: r.word(), calls: r.window()}
	}
	return m
}

func (b *budgetMemory) resting() bool { return len(b.open) == 0 }

func (b *budgetMemory) pack(w *packer, place int) {
	if len(b.spent.at) == 0 {
		return
	}
	w.begin(place, packedBudget)
	w.number(uint64(b.within))
	w.window(&b.spent)
}
