package mesh

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// margin is by how much the last third may lie above the first: a share of it, or
// an absolute amount, whichever is more.
type margin struct {
	share, amount float64
}

func (m margin) limit(first float64) float64 { return first + max(m.share*first, m.amount) }

// What may grow in a soak, and how much. Caches fill and callers become known for
// as long as it takes, so memory has room for both; a leak has no bound. The p99 of
// an interval is the unsteadiest of them on a machine that others use.
var soakMargins = struct{ resident, goroutines, p99 margin }{
	resident:   margin{0.10, 16 << 20},
	goroutines: margin{0.10, 10},
	p99:        margin{0.50, 5},
}

// trend is one figure over a soak: a quantile of its first and last third, after
// the first tenth, which is warm-up.
type trend struct {
	name, unit  string
	first, last float64
	limit       float64
	held        bool
}

// The quantiles that are compared. Goroutines come and go with the exchanges that
// are in flight; one that leaks raises the floor under them.
const middle, floor = 0.5, 0.1

func newTrend(name, unit string, points []report.Point, end, q float64, m margin) trend {
	t := trend{name: name, unit: unit}
	t.first, t.last = quantile(points, end/10, end/3, q), quantile(points, 2*end/3, end, q)
	t.limit = m.limit(t.first)
	t.held = t.last <= t.limit && len(points) > 0
	return t
}

// quantile is that of the points with X in [from, to].
func quantile(points []report.Point, from, to, q float64) float64 {
	var ys []float64
	for _, p := range points {
		if p.X >= from && p.X <= to {
			ys = append(ys, p.Y)
		}
	}
	if len(ys) == 0 {
		return 0
	}
	slices.Sort(ys)
	return ys[int(q*float64(len(ys)-1))]
}

func (s *Soak) samples(of func(Sample) float64) []report.Point {
	var out []report.Point
	for _, x := range s.watch.samples {
		out = append(out, report.Point{X: x.At.Minutes(), Y: of(x)})
	}
	return out
}

// quantile is that of each interval.
func (s *Soak) quantile(q float64) []report.Point {
	var out []report.Point
	for i, l := range s.intervals {
		if l.Count() > 0 {
			out = append(out, report.Point{X: (time.Duration(i) * s.each).Minutes(), Y: ms(l.At(q))})
		}
	}
	return out
}

func resident(x Sample) float64   { return x.Resident / (1 << 20) }
func goroutines(x Sample) float64 { return x.Goroutines }

func (s *Soak) trends() []trend {
	end := s.opts.Duration.Minutes()
	m := soakMargins
	m.resident.amount /= 1 << 20 // shown in MiB
	return []trend{
		newTrend("resident size", "MiB", s.samples(resident), end, middle, m.resident),
		newTrend("goroutines, at least", "", s.samples(goroutines), end, floor, m.goroutines),
		newTrend("p99 of an interval", "ms", s.quantile(0.99), end, middle, m.p99),
	}
}

// undecided is how many exchanges got no decision.
func (s *Soak) undecided() int {
	n := s.lost
	for f, count := range s.fates {
		if !f.decided() {
			n += count
		}
	}
	return n
}

// Held reports whether nothing grew beyond its margin, readiness stayed, and at
// least 999 of 1000 exchanges were decided.
func (s *Soak) Held() error {
	for _, t := range s.trends() {
		if !t.held {
			return fmt.Errorf("%s: %.1f grew to %.1f %s, at most %.1f is allowed", t.name, t.first, t.last, t.unit, t.limit)
		}
	}
	if s.watch.failed > 0 {
		return fmt.Errorf("%d of %d health checks were not SERVING", s.watch.failed, s.watch.probes.Count())
	}
	if n := s.undecided(); n*1000 > s.offered {
		return fmt.Errorf("%d of %d exchanges were not decided", n, s.offered)
	}
	return nil
}

func (s *Soak) charts() []report.Block {
	chart := func(title, label, unit string, series ...report.Series) *report.LineChart {
		return &report.LineChart{Title: title, X: report.Axis{Label: "time", Unit: "min"}, Y: report.Axis{Label: label, Unit: unit}, Series: series}
	}
	return []report.Block{
		chart("Resident size", "resident", "MiB", report.Series{Name: "resident", Points: s.samples(resident)}),
		chart("Goroutines", "goroutines", "", report.Series{Name: "goroutines", Points: s.samples(goroutines)}),
		chart(fmt.Sprintf("Latency in intervals of %v", s.each), "latency", "ms",
			report.Series{Name: "p50", Points: s.quantile(0.5)}, report.Series{Name: "p99", Points: s.quantile(0.99)}),
	}
}

// Picture is the charts as an SVG file that stands alone.
func (s *Soak) Picture() ([]byte, error) { return report.Picture(s.charts()...) }

// Report is the soak as text, JSON or a page with charts.
func (s *Soak) Report() *report.Report {
	rep := report.New("Soak", fmt.Sprintf("One sidecar under a steady load of the MCP mix for %v.", s.opts.Duration))
	rep.Fact("machine", s.machine)
	rep.Fact("load average", fmt.Sprintf("%s before, %s after", s.loads[0], s.loads[1]))
	load := fmt.Sprintf("%.0f exchanges/s, as asked", s.rate)
	if s.capacity > 0 {
		load = fmt.Sprintf("%.0f exchanges/s: %.0f %% of a capacity of %.0f, measured before by a closed loop of %d callers", s.rate, 100*s.opts.Share, s.capacity, s.opts.Callers)
	}
	rep.Fact("load", load)
	rep.Fact("texts that are known already", report.Ratio(s.opts.RepeatShare))
	rep.Fact("seed", fmt.Sprint(s.opts.Seed))
	rep.Fact("version", build.Version())

	grown := &report.Table{Title: "First third against the last", Columns: report.Columns("of", "unit", "first third", "last third", "at most", "holds"),
		Note: "Medians, and of goroutines the lowest tenth, which those of exchanges in flight do not reach; without the first tenth of the time. At most: 10 % or 16 MiB more memory, 10 % or 10 more goroutines, 50 % or 5 ms more at p99."}
	grown.Columns[0].Left, grown.Columns[1].Left = true, true
	var figures report.Figures
	for _, t := range s.trends() {
		grown.Row(t.name, t.unit, t.first, t.last, t.limit, report.Check(t.held))
		figures = append(figures, report.Figure{Name: t.name, Value: t.last, Unit: t.unit, State: judged(t.held), Note: fmt.Sprintf("last third; first third %.1f", t.first)})
	}
	figures = append(figures,
		report.Figure{Name: "not decided", Value: s.undecided(), State: judged(s.undecided()*1000 <= s.offered), Note: fmt.Sprintf("of %d exchanges", s.offered)},
		report.Figure{Name: "health p99", Value: s.watch.probes.At(0.99), State: judged(s.watch.failed == 0 && s.watch.probes.At(0.99) < wantProbe), Note: fmt.Sprintf("%d checks, %d not SERVING; want under %v", s.watch.probes.Count(), s.watch.failed, wantProbe)})
	if n := len(s.watch.samples); n > 1 {
		first, last := s.watch.samples[0], s.watch.samples[n-1]
		figures = append(figures, report.Figure{Name: "CPUs of the sidecar", Value: (last.CPU - first.CPU) / max((last.At-first.At).Seconds(), 1e-9),
			Note: fmt.Sprintf("the load generator: %.2f", s.clientCPU.Seconds()/max(s.took.Seconds(), 1e-9))})
	}
	rep.Section("In short", figures, grown)
	rep.Section("Over time", s.charts()...)
	fates := &report.Table{Columns: report.Columns("outcome", "exchanges", "share")}
	fates.Columns[0].Left = true
	for _, f := range slices.Sorted(maps.Keys(s.fates)) {
		fates.Row(string(f), s.fates[f], report.Ratio(float64(s.fates[f])/float64(max(1, s.offered))))
	}
	if s.lost > 0 {
		fates.Row("not sent: too many on their way", s.lost, report.Ratio(float64(s.lost)/float64(max(1, s.offered))))
	}
	rep.Section("What became of the exchanges", fates)
	return rep
}
