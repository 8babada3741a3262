package mesh

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// What the sidecar promises under load.
const (
	wantGoodput = 0.9 // of the peak, above capacity
	wantProbe   = 100 * time.Millisecond
)

// Report is the result as text, JSON or a page with charts.
func (r *Result) Report() *report.Report {
	rep := report.New("The sidecar under load", "Calls, results and lists of tools of the MCP mix over gRPC, in an open loop.")
	target := r.opts.Addr
	if r.own {
		target = "started by this test"
	}
	rep.Fact("sidecar", target)
	rep.Fact("connections", r.opts.Connections)
	rep.Fact("texts that are known already", report.Ratio(r.opts.RepeatShare))
	rep.Fact("machine", r.machine)
	rep.Fact("load average", fmt.Sprintf("%s before, %s after", r.loads[0], r.loads[1]))
	rep.Fact("seed", fmt.Sprint(r.opts.Seed))
	rep.Fact("version", build.Version())
	var f report.Figures
	for _, s := range r.steps {
		f = append(f, s.figures()...)
	}
	rep.Section("In short", f)
	for _, s := range r.steps {
		s.report(rep)
	}
	return rep
}

func (s *Step) name() string {
	if s.fraction == 0 {
		return fmt.Sprintf("%.0f exchanges/s", s.rate)
	}
	return fmt.Sprintf("%.0f %% of capacity", 100*s.fraction)
}

func judged(ok bool) report.State {
	if ok {
		return report.Good
	}
	return report.Bad
}

func (s *Step) figures() report.Figures {
	goodput := report.Figure{Name: s.name() + ": goodput", Value: s.goodput, Unit: "exchanges/s", Note: fmt.Sprintf("%.0f %% of the peak (%s before, %s after)", 100*s.goodput/s.peak, report.Format(s.peaks[0]), report.Format(s.peaks[1]))}
	// What was measured while the machine's speed changed is not judged.
	if steady := max(s.peaks[0], s.peaks[1]) <= 1.3*min(s.peaks[0], s.peaks[1]); s.fraction >= 1 && steady {
		goodput.State = judged(s.goodput >= wantGoodput*s.peak)
		goodput.Note += fmt.Sprintf("; want %.0f %%", 100*wantGoodput)
	}
	probe := s.watch.probes.At(0.99)
	return report.Figures{
		goodput,
		{Name: s.name() + ": p99", Value: s.latency.At(0.99), State: judged(s.latency.At(0.99) <= patience), Note: fmt.Sprintf("of decided exchanges, from the scheduled moment; want under %v", patience)},
		{Name: s.name() + ": health p99", Value: probe, State: judged(probe < wantProbe && s.watch.failed == 0), Note: fmt.Sprintf("%d checks, %d not SERVING; want under %v", s.watch.probes.Count(), s.watch.failed, wantProbe)},
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (s *Step) report(rep *report.Report) {
	times := &report.Table{Title: "Milliseconds", Columns: report.Columns("of", "count", "p50 (ms)", "p90 (ms)", "p99 (ms)", "p99.9 (ms)", "max (ms)"),
		Note: "Exchanges count from the moment at which they were to be sent."}
	times.Columns[0].Left = true
	for _, x := range []struct {
		name string
		l    *measure.Latency
	}{{"decided exchanges", s.latency}, {"refusals for load", s.refusal}, {"health checks", s.watch.probes}} {
		times.Row(x.name, x.l.Count(), ms(x.l.At(0.5)), ms(x.l.At(0.9)), ms(x.l.At(0.99)), ms(x.l.At(0.999)), ms(x.l.Max()))
	}
	fates := &report.Table{Title: "What became of the exchanges", Columns: report.Columns("outcome", "exchanges", "share")}
	fates.Columns[0].Left = true
	share := func(n int) report.Ratio { return report.Ratio(float64(n) / float64(max(1, s.offered))) }
	for _, f := range slices.Sorted(maps.Keys(s.fates)) {
		fates.Row(string(f), s.fates[f], share(s.fates[f]))
	}
	if s.late > 0 {
		fates.Row(fmt.Sprintf("of these, decided after %v", patience), s.late, share(s.late))
	}
	if s.lost > 0 {
		fates.Row("not sent: too many on their way", s.lost, share(s.lost))
	}
	sec := rep.Section("Open loop at "+s.name(), report.Text(fmt.Sprintf(
		"%d exchanges at %.0f a second for %v (Poisson). The load generator itself used %.2f CPUs.", s.offered, s.rate, s.took.Round(time.Millisecond), s.clientCPU.Seconds()/s.took.Seconds())), times, fates)
	if s.known[0] >= 0 && s.known[1] >= 0 {
		sec.Add(report.Text(fmt.Sprintf("The sidecar remembered %.0f %% of the scores that it looked up, and %.0f %% while its capacity was measured: decisions cost alike only where these two are alike.",
			100*s.known[1], 100*s.known[0])))
	}
	if s.decision > 0 {
		sec.Add(s.costs())
	}
	sec.Add(s.charts()...)
	if len(s.watch.samples) > 1 {
		sec.Add(s.growth())
	}
}

func (s *Step) charts() []report.Block {
	blocks := []report.Block{s.ratesOverTime(), s.overTime()}
	if len(s.watch.samples) > 1 {
		blocks = append(blocks, s.chart("Resident size", "resident", "MiB", resident),
			s.chart("Goroutines", "goroutines", "", goroutines),
			s.chart("In flight", "exchanges", "", func(x Sample) float64 { return x.Inflight }))
	}
	return blocks
}

// Picture is the charts of the last open loop as an SVG file that stands alone.
func (r *Result) Picture() ([]byte, error) {
	return report.Picture(r.steps[len(r.steps)-1].charts()...)
}

// ratesOverTime is what was offered in each second and what became of it. The last
// second is not whole and left out.
func (s *Step) ratesOverTime() *report.LineChart {
	c := &report.LineChart{Title: "Exchanges by the second in which they were to be sent", X: report.Axis{Label: "time", Unit: "s"}, Y: report.Axis{Label: "exchanges/s"},
		Marks: []report.Mark{{Label: "capacity", At: s.peak, State: report.Muted}}}
	for _, line := range []struct {
		name string
		of   func(second) int
	}{
		{"offered", func(x second) int { return x.offered }},
		{"decided in time (goodput)", func(x second) int { return x.inTime }},
		{"refused or not decided", func(x second) int { return x.undecided }},
	} {
		series := report.Series{Name: line.name}
		for i, x := range s.seconds[:max(1, len(s.seconds)-1)] {
			series.Points = append(series.Points, report.Point{X: float64(i), Y: float64(line.of(x))})
		}
		c.Series = append(c.Series, series)
	}
	return c
}

// costs says what decisions and refusals took of the processors, and what the
// yardstick leaves of them.
func (s *Step) costs() *report.Table {
	t := &report.Table{Title: "Processor time", Columns: report.Columns("of", "value", "unit", "how it was taken")}
	t.Columns[0].Left, t.Columns[2].Left, t.Columns[3].Left = true, true, true
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	t.Row("one decision at capacity", us(s.decision), "µs", "sidecar's time in the closed loop / decisions")
	decided := int(s.latency.Count())
	if n := s.undecided(); n > 0 {
		t.Row("one refusal", us((s.serverCPU-time.Duration(decided)*s.decision)/time.Duration(n)), "µs", "sidecar's time in the open loop without that of its decisions / refusals")
	}
	t.Row("sidecar", s.serverCPU.Seconds()/s.took.Seconds(), "CPUs", "in the open loop")
	t.Row("load generator", s.clientCPU.Seconds()/s.took.Seconds(), "CPUs", "in the open loop, on the same machine")
	if y := s.yardstick; y != nil {
		t.Row("bare server, one call", us(y.perCall.server), "µs", "the same load, answered without a decision")
		t.Row("generator, one call", us(y.perCall.client), "µs", "against the bare server")
		t.Row("bare server and its generator", y.cpus+y.client, "CPUs", fmt.Sprintf("%d of %d exchanges answered in time, p99 %v", y.answered, y.offered, y.latency.At(0.99)))
		ideal := min(y.ideal(s.decision), s.peak)
		t.Row("goodput of an ideal server", ideal, "exchanges/s", "the processors without what generator and transport take, / a decision; at most the capacity")
		if ideal > 0 {
			t.Row("goodput against it", report.Ratio(s.goodput/ideal), "", "")
		}
	}
	return t
}

func (s *Step) overTime() *report.LineChart {
	c := &report.LineChart{Title: "Latency of decided exchanges, second by second", X: report.Axis{Label: "time", Unit: "s"}, Y: report.Axis{Label: "latency", Unit: "ms"}}
	for _, q := range []float64{0.5, 0.99} {
		line := report.Series{Name: fmt.Sprintf("p%.0f", 100*q)}
		for i, sec := range s.seconds {
			if sec.latency.Count() > 0 {
				line.Points = append(line.Points, report.Point{X: float64(i), Y: ms(sec.latency.At(q))})
			}
		}
		c.Series = append(c.Series, line)
	}
	return c
}

func (s *Step) chart(title, label, unit string, of func(Sample) float64) *report.LineChart {
	line := report.Series{Name: label}
	for _, x := range s.watch.samples {
		line.Points = append(line.Points, report.Point{X: x.At.Seconds(), Y: of(x)})
	}
	return &report.LineChart{Title: title, X: report.Axis{Label: "time", Unit: "s"}, Y: report.Axis{Label: label, Unit: unit}, Series: []report.Series{line}}
}

// growth is the resident size of the last quarter against the second quarter: the
// first is warm-up.
func (s *Step) growth() report.Figures {
	mean := func(from, to int) float64 {
		total := 0.0
		for _, x := range s.watch.samples[from:to] {
			total += x.Resident
		}
		return total / float64(max(1, to-from))
	}
	n := len(s.watch.samples)
	early, late := mean(n/4, max(n/2, n/4+1)), mean(3*n/4, n)
	first, last := s.watch.samples[0], s.watch.samples[n-1]
	f := report.Figures{{Name: "resident size", Value: report.Bytes(int64(late)), Note: fmt.Sprintf("last quarter; %+.1f %% against the second", 100*(late-early)/max(early, 1))}}
	if d := (last.At - first.At).Seconds(); d > 0 {
		f = append(f, report.Figure{Name: "CPUs of the sidecar", Value: (last.CPU - first.CPU) / d})
	}
	return f
}
