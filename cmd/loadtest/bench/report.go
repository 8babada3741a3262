package bench

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/cmd/loadtest/traffic"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// What the pool promises.
const (
	wantOfBare    = 0.95                 // of the bare runtime with perfect batches
	wantShort     = 1.3                  // times one by one, on the short mix
	wantOne       = 1.0                  // times one by one, on the others
	tie           = 0.01                 // of a ratio: what the same work differs by from run to run
	wantPadding   = 0.15                 // at most this share of a batch
	wantAdded     = 5 * time.Millisecond // p99, beyond the same arrivals without a pool, at 70 % of capacity
	wantGoodput   = 0.9                  // of the peak, above capacity
	wantResident  = 0.05                 // growth from a tenth of the inputs to the last
	wantIdleShare = 0.02                 // of one CPU, after the load
)

// Report is the result as text, JSON or a page with charts.
func (r *Result) Report() *report.Report {
	rep := report.New("Batched inference", fmt.Sprintf("The model pool against the bare runtime: %s, %d workers, one process.", r.info.Name, r.opts.Workers))
	r.facts(rep)
	r.figures(rep)
	for _, c := range r.closed {
		c.report(rep)
	}
	r.reportEconomies(rep)
	for _, o := range r.open {
		o.report(rep)
	}
	if r.shapes != nil {
		r.shapes.report(rep)
	}
	return rep
}

func (r *Result) facts(rep *report.Report) {
	i := r.info
	rep.Fact("model", fmt.Sprintf("%s %s (%s)", i.Name, i.Version, i.ID))
	if r.opts.Unproved {
		rep.Fact("weights", "not proved: the cost is real, the scores may mean nothing")
	}
	rep.Fact("windows", fmt.Sprintf("%d ids, wide %d; longest %d", i.WindowTokens, i.WideTokens, i.MaxTokens))
	rep.Fact("score independent of batch mates", i.BatchInvariant)
	rep.Fact("ONNX Runtime", i.Runtime)
	rep.Fact("machine", fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	rep.Fact("load average", fmt.Sprintf("%s before, %s after", r.loads[0], r.loads[1]))
	rep.Fact("rounds", fmt.Sprintf("%d, interleaved; seed %d", r.opts.Rounds, r.opts.Seed))
	rep.Fact("version", build.Version())
}

// judged is Good or Bad.
func judged(ok bool) report.State {
	if ok {
		return report.Good
	}
	return report.Bad
}

func (r *Result) figures(rep *report.Report) {
	var f report.Figures
	for _, c := range r.closed {
		same := measure.Median(measure.Ratios(c.perCPU(thePool), c.perCPU(perfectReading)))
		f = append(f, report.Figure{Name: c.mix.Name + ": pool / perfect", Value: report.Ratio(same), State: judged(same >= wantOfBare),
			Note: fmt.Sprintf("same work (tokenizing as it goes) per CPU second, median of rounds; want %.0f %%", 100*wantOfBare)})
		f = append(f, c.againstOneByOne())
	}
	for _, o := range r.open {
		p99 := o.added.At(0.99)
		switch {
		case o.fraction > 0 && o.fraction < 1:
			beyond := o.beyondPlain()
			f = append(f, report.Figure{Name: fmt.Sprintf("p99 added at %.0f %%", 100*o.fraction), Value: beyond, State: o.judged(beyond < wantAdded),
				Note: fmt.Sprintf("beyond inference and what the same arrivals wait for bare workers behind a channel (%s; here %s); want under %v",
					report.Format(o.plain.added.At(0.99)), report.Format(p99), wantAdded) + o.doubt()})
		case o.fraction >= 1:
			share := o.goodput / o.peak
			f = append(f, report.Figure{Name: fmt.Sprintf("goodput at %.0f %%", 100*o.fraction), Value: report.Ratio(share), State: o.judged(share > wantGoodput),
				Note: fmt.Sprintf("of the peak of a closed loop before and after; want over %.0f %%", 100*wantGoodput) + o.doubt()})
		}
	}
	rep.Section("In short", f)
}

// againstOneByOne asks for no more on the short mix than batches can give: a large
// model is as busy with one short text as with a few.
func (c *comparison) againstOneByOne() report.Figure {
	one := c.perCPU(oneReading)
	got := measure.Median(measure.Ratios(c.perCPU(thePool), one))
	want, note := wantOne-tie, fmt.Sprintf("the same; want %.1f to within %.0f %%: long texts of a large model are read one by one by either", wantOne, 100*tie)
	if c.mix.Name == traffic.Short.Name {
		perfect := measure.Median(measure.Ratios(c.perCPU(perfectReading), one))
		want = min(wantShort, wantOfBare*perfect)
		note = fmt.Sprintf("the same; want %.1f, or %.0f %% of what perfect batches reach, which is %.2f", wantShort, 100*wantOfBare, perfect)
	}
	return report.Figure{Name: c.mix.Name + ": pool / one by one", Value: got, Unit: "x", State: judged(got >= want), Note: note}
}

func (c *comparison) report(rep *report.Report) {
	tab := &report.Table{
		Title: "Tokens per second", Columns: report.Columns("contestant", "best/CPU s", "median/CPU s", "best/s", "median/s", "switches", "batches", "windows/batch", "padding"),
		Note: fmt.Sprintf("%d texts, %d windows, %d tokens a round. Perfect batches know the whole queue; %s gave the most. Switches: how often threads gave a processor away by themselves, in a hundred texts, median.", c.texts, len(c.queue.windows), c.queue.tokens, budgetName(c.budget)),
	}
	tab.Columns[0].Left = true
	for who := range contestants {
		cpu, wall := c.perCPU(who), c.perWall(who)
		row := []any{contestantNames[who], whole(measure.Best(cpu)), whole(measure.Median(cpu)), whole(measure.Best(wall)), whole(measure.Median(wall)), whole(measure.Median(c.switches(who)))}
		if who < tokenizing || who == thePool {
			s := c.shapes[who]
			row = append(row, s.batches, s.perBatch, report.Ratio(s.padding))
		}
		tab.Row(row...)
	}

	ratios := &report.Table{Title: "The pool compared, per CPU second", Columns: report.Columns("with", "median of rounds", "lowest", "highest", "best / best")}
	ratios.Columns[0].Left = true
	pool := c.perCPU(thePool)
	for _, x := range []struct {
		name string
		by   []float64
	}{
		{"perfect batches, tokenizing as it goes (the same work)", c.perCPU(perfectReading)},
		{"perfect batches alone", c.perCPU(perfectBatches)},
		{"perfect batches for as many callers, behind a channel", c.perCPU(perfectHanded)},
		{"one by one, tokenizing as it goes (the same work)", c.perCPU(oneReading)},
		{"one by one alone", c.perCPU(oneByOne)},
		{"naive batches alone", c.perCPU(naiveBatches)},
	} {
		all := measure.Ratios(pool, x.by)
		if len(all) == 0 {
			continue
		}
		ratios.Row(x.name, measure.Median(all), slices.Min(all), slices.Max(all), measure.Best(pool)/measure.Best(x.by))
	}
	s := rep.Section(fmt.Sprintf("Throughput, %s mix", c.mix.Name), tab, ratios)
	s.Add(c.byRound(), sizesChart(c.sizes))
	s.Add(report.Text(fmt.Sprintf("Padding of the pool's batches: %s (want under %.0f %%). The most urgent window of a batch had waited %s at the median: %d callers never pause.",
		report.Format(report.Ratio(c.shapes[thePool].padding)), 100*wantPadding, report.Format(c.waits.At(0.5)), aCrowd)))
}

func budgetName(budget int) string {
	if budget <= 1 {
		return "every window alone"
	}
	return fmt.Sprintf("at most %d padded tokens", budget)
}

func whole(v float64) int { return int(v + 0.5) }

func (c *comparison) byRound() *report.LineChart {
	chart := &report.LineChart{Title: "Tokens per CPU second, round by round", X: report.Axis{Label: "round", Tight: true}, Y: report.Axis{Label: "tokens per CPU second"}}
	add := func(name string, values []float64, dashed bool) {
		s := report.Series{Name: name, Dashed: dashed}
		for i, v := range values {
			s.Points = append(s.Points, report.Point{X: float64(i + 1), Y: v})
		}
		chart.Series = append(chart.Series, s)
	}
	add("the pool, from texts", c.perCPU(thePool), false)
	add("perfect batches", c.perCPU(perfectBatches), false)
	add("perfect batches, tokenizing as it goes", c.perCPU(perfectReading), true)
	add("one by one", c.perCPU(oneByOne), false)
	add("naive batches of 8", c.perCPU(naiveBatches), false)
	return chart
}

func sizesChart(sizes map[int]int) *report.Histogram {
	largest := 1
	for n := range sizes {
		largest = max(largest, n)
	}
	h := &report.Histogram{Title: "Sizes of the pool's batches", X: report.Axis{Label: "windows in a batch", Tight: true}, Y: report.Axis{Label: "batches"}, Edges: []float64{0.5}}
	counts := make([]float64, largest)
	for n := 1; n <= largest; n++ {
		h.Edges = append(h.Edges, float64(n)+0.5)
		counts[n-1] = float64(sizes[n])
	}
	h.Bars = []report.Bars{{Name: "batches", Counts: counts}}
	return h
}

func (r *Result) reportEconomies(rep *report.Report) {
	tab := &report.Table{
		Title: "Processor time without, divided by with", Columns: report.Columns("economy", "times less CPU", "lowest", "highest", "windows computed with", "without", "traffic"),
		Note: "Medians of interleaved rounds, the same texts in both.",
	}
	tab.Columns[0].Left, tab.Columns[6].Left = true, true
	for _, e := range r.economies {
		all := e.ratios()
		if len(all) == 0 {
			continue
		}
		tab.Row(e.name, measure.Median(all), slices.Min(all), slices.Max(all), e.computedWith, e.computedWithout, e.note)
	}
	rep.Section("What makes it affordable", tab)
}

// steady is how far the peaks before and after an open loop may lie apart, larger
// over smaller, for its figures to be judged.
const steady = 1.3

// judged does not judge what was measured while the machine's speed changed.
func (o *openRun) judged(ok bool) report.State {
	if o.doubt() != "" {
		return report.Neutral
	}
	return judged(ok)
}

func (o *openRun) doubt() string {
	if a, b := max(o.peaks[0], o.peaks[1]), min(o.peaks[0], o.peaks[1]); a > steady*b {
		return fmt.Sprintf("; not judged: the peak itself went from %s to %s", report.Format(whole(o.peaks[0])), report.Format(whole(o.peaks[1])))
	}
	return ""
}

// beyondPlain is the p99 that the pool adds beyond what the same arrivals wait without
// it, on the same machine beside the same load generator.
func (o *openRun) beyondPlain() time.Duration {
	return max(0, o.added.At(0.99)-o.plain.added.At(0.99))
}

func (o *openRun) report(rep *report.Report) {
	tab := &report.Table{Title: "Milliseconds", Columns: report.Columns("of a text", "p50 (ms)", "p90 (ms)", "p99 (ms)", "p99.9 (ms)", "max (ms)")}
	tab.Columns[0].Left = true
	type row struct {
		name string
		l    *measure.Latency
	}
	rows := []row{
		{"wait added by the pool", o.added}, {"the same in an ideal queue", o.ideal}, {"answer, inference included", o.latency},
		{"most urgent window of a batch, queued", o.seen.wait}, {"one run of the model", o.seen.run},
	}
	if o.plain != nil {
		rows = slices.Insert(rows, 1, row{"the same without a pool", o.plain.added})
		rows = append(rows, row{"answer without a pool", o.plain.latency})
	}
	for _, x := range rows {
		tab.Row(x.name, ms(x.l.At(0.5)), ms(x.l.At(0.9)), ms(x.l.At(0.99)), ms(x.l.At(0.999)), ms(x.l.Max()))
	}
	tab.Note = "From the scheduled moment of arrival. Added is the time in which no window of the text was computed. Without a pool: the same arrivals, bare workers behind a channel. The ideal queue has the same arrivals and the same runs, and costs nothing."
	fate := &report.Table{Title: "What became of the texts", Columns: report.Columns("outcome", "texts", "share")}
	fate.Columns[0].Left = true
	share := func(n int) report.Ratio { return report.Ratio(float64(n) / float64(max(1, o.offered))) }
	fate.Row("answered", o.answered, share(o.answered))
	for _, kind := range slices.Sorted(maps.Keys(o.refused)) {
		fate.Row("refused: "+kind, o.refused[kind], share(o.refused[kind]))
	}
	if o.lost > 0 {
		fate.Row("not sent: too many on their way", o.lost, share(o.lost))
	}
	title := fmt.Sprintf("Open loop at %.0f %% of the peak, %s mix", 100*o.fraction, o.mix.Name)
	if o.fraction == 0 {
		title = fmt.Sprintf("Open loop at %s texts per second, %s mix", report.Format(o.rate), o.mix.Name)
	}
	s := rep.Section(title, report.Figures{
		{Name: "arrivals", Value: o.rate, Unit: "texts/s", Note: "Poisson"},
		{Name: "offered", Value: whole(o.came), Unit: "tokens/s", Note: o.offer()},
		{Name: "goodput", Value: whole(o.goodput), Unit: "tokens/s", Note: fmt.Sprintf("peak %s before, %s after", report.Format(whole(o.peaks[0])), report.Format(whole(o.peaks[1])))},
		{Name: "goodput per CPU second", Value: report.Ratio(o.perCPU[1] / o.perCPU[0]), Note: "of that at the peak: what is spent on refusals, and on the load generator, is missing"},
		{Name: "load generator", Value: report.Ratio(o.generator.Seconds() / o.usage.CPU.Seconds()), Note: "of the processor time, by the same arrivals with nobody to ask"},
		{Name: "CPUs used", Value: o.usage.CPU.Seconds() / o.usage.Wall.Seconds(), Note: "by this process; less than the workers while texts wait means that others had the rest"},
		{Name: "deadline", Value: o.deadline, Note: "of each text, as in service"},
		{Name: "padding", Value: report.Ratio(o.seen.padding()), Note: fmt.Sprintf("%.2f windows a batch", o.seen.perBatch()), State: judged(o.seen.padding() < wantPadding)},
	}, tab, fate)
	s.Add(quantiles(o), sizesChart(o.seen.sizes))
}

// offer says what of that which came could have been answered at all.
func (o *openRun) offer() string {
	note := fmt.Sprintf("%s of the peak", report.Format(report.Ratio(o.came/o.peak)))
	if o.hopeless > 0 {
		note += fmt.Sprintf("; %s without the texts that take longer than the deadline by themselves, which nobody could answer",
			report.Format(report.Ratio((o.came-o.hopeless)/o.peak)))
	}
	return note
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantiles draws latencies against the share of texts that are no slower; the
// axis counts nines.
func quantiles(o *openRun) *report.LineChart {
	c := &report.LineChart{Title: "Share of texts that take longer", X: report.Axis{Label: "share", Unit: "1 in"}, Y: report.Axis{Label: "time", Unit: "ms", Log: true}}
	c.X.Log = true
	for _, x := range []struct {
		name   string
		l      *measure.Latency
		dashed bool
	}{{"added by the pool", o.added, false}, {"an ideal queue", o.ideal, true}, {"answer", o.latency, false}} {
		s := report.Series{Name: x.name, Dashed: x.dashed}
		for one := 1.0; one <= float64(max(2, x.l.Count())); one *= 1.25 {
			if v := ms(x.l.At(1 - 1/one)); v > 0 {
				s.Points = append(s.Points, report.Point{X: one, Y: v})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func (s *shapeRun) report(rep *report.Report) {
	growth := (s.final - s.early) / s.early
	chart := &report.LineChart{Title: "Resident size", X: report.Axis{Label: "inputs of different lengths"}, Y: report.Axis{Label: "resident", Unit: "MiB"}}
	series := report.Series{Name: "resident size"}
	for i := range s.inputs {
		series.Points = append(series.Points, report.Point{X: s.inputs[i], Y: s.resident[i] / (1 << 20)})
	}
	chart.Series = []report.Series{series}
	rest := &report.LineChart{Title: "Processor time, the last inputs and after", X: report.Axis{Label: "time since the last input", Unit: "s"}, Y: report.Axis{Label: "CPUs used"}}
	used := report.Series{Name: "CPUs used"}
	for _, at := range s.rest {
		used.Points = append(used.Points, report.Point{X: at[0], Y: at[1]})
	}
	rest.Series = []report.Series{used}
	rep.Section("Resident size and rest", report.Figures{
		{Name: "growth", Value: report.Ratio(growth), State: judged(growth <= wantResident), Note: fmt.Sprintf("from a tenth of the inputs (%s) to the last; want at most %.0f %%", report.Format(report.Bytes(int64(s.early))), 100*wantResident)},
		{Name: "after the load", Value: report.Ratio(s.idle), State: judged(s.idle <= wantIdleShare), Note: "of one CPU"},
	}, chart, rest)
}
