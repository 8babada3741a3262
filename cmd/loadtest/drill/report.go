package drill

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/internal/build"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// Report is the matrix with the timeline of every row.
func Report(verdicts []*Verdict, traffic time.Duration) *report.Report {
	rep := report.New("Shutdown drill", "The real sidecar, stopped from outside while it is called.")
	rep.Fact("machine", fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	rep.Fact("load average", measure.LoadAverage())
	rep.Fact("calls", fmt.Sprintf("one every %v on a new connection each, for %v after the signal", callEvery, traffic))
	rep.Fact("readiness", fmt.Sprintf("polled every %v, gRPC and HTTP, on a new connection each", pollEvery))
	for _, v := range verdicts {
		if v.Row.Restarts > 0 {
			rep.Fact("rolling", fmt.Sprintf("%d pairs of a call and its result a second; readiness polled every %v, the gateway's list changes %v later", v.Row.Pairs, rollingPoll, rollingLag))
		}
	}
	rep.Fact("version", build.Version())
	tab := &report.Table{Title: "Matrix", Columns: report.Columns("row", "what happens", "calls", "slow exchanges", "exit", "after (ms)", "within (ms)", "holds")}
	for i := range 5 {
		tab.Columns[i].Left = true
	}
	for _, v := range verdicts {
		if v.Err != nil {
			tab.Row(v.Row.Name, v.Row.Story, "not run: "+v.Err.Error(), nil, nil, nil, v.Row.limit().Milliseconds(), report.Check(false))
			continue
		}
		tab.Row(v.Row.Name, v.Row.Story, tally(v.Outcome.Calls), slowTally(v.Outcome), fmt.Sprint(v.Outcome.Code), v.Outcome.Exit.Milliseconds(), v.Row.limit().Milliseconds(), report.Check(v.Held()))
	}
	rep.Section("All rows", tab)
	for _, v := range verdicts {
		if v.Err == nil {
			rep.Section("Row "+v.Row.Name, report.Text(sentence(v.Row.Story)), v.promises(), v.timeline(), v.order())
		}
		if v.Err == nil && v.Row.Restarts > 0 {
			rep.Sections[len(rep.Sections)-1].Add(v.latency())
		}
	}
	return rep
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

func slowTally(o *Outcome) string {
	if len(o.Slow) == 0 {
		return "none"
	}
	return tally(o.Slow)
}

func (v *Verdict) promises() *report.Table {
	tab := &report.Table{Columns: report.Columns("promise", "seen", "holds")}
	tab.Columns[0].Left, tab.Columns[1].Left = true, true
	for _, c := range v.Checks {
		tab.Row(c.Promise, c.Seen, report.Check(c.Held))
	}
	return tab
}

// order is the sidecar's own account of its steps.
func (v *Verdict) order() report.Block {
	if v.Row.Restarts > 0 {
		return v.restarts()
	}
	tab := &report.Table{Title: "Steps of the sidecar, by its log", Columns: report.Columns("step", "done at (ms)", "took (ms)")}
	tab.Columns[0].Left = true
	for _, s := range v.Outcome.Steps {
		tab.Row(s.Name, s.At.Milliseconds(), s.Took.Milliseconds())
	}
	return tab
}

// The lanes of the picture.
const (
	laneSidecar = iota
	laneReady
	laneAdmin
	laneCalls
	laneWatches
	laneSlow
)

// mostSpans is how many calls are drawn one by one; more are drawn together, by
// stretches of time.
const (
	mostSpans = 120
	stretch   = 50 * time.Millisecond
)

func (v *Verdict) timeline() *report.Timeline {
	if v.Row.Restarts > 0 {
		return v.rollingTimeline()
	}
	o := v.Outcome
	t := &report.Timeline{Title: "Timeline of row " + v.Row.Name, Unit: "s", Lanes: []string{"sidecar", "readiness", "/readyz", "calls", "health streams"}}
	for i, s := range o.Signals {
		t.Events = append(t.Events, report.Event{Label: fmt.Sprintf("signal %d", i+1), At: s.At.Seconds()})
	}
	t.Events = append(t.Events, report.Event{Label: fmt.Sprintf("exit %d", o.Code), At: o.Exit.Seconds()})
	span := func(lane int, label string, from, to time.Duration, state report.State) {
		// What was before the signal is shown for a little while only.
		from, to = max(from, -before), max(to, -before)
		t.Spans = append(t.Spans, report.Span{Lane: lane, Label: label, Start: from.Seconds(), End: max(from, to).Seconds(), State: state})
	}
	for _, s := range o.Steps {
		span(laneSidecar, s.Name, s.At-s.Took, s.At, report.Neutral)
	}
	stretches(o.Polls, func(from, to time.Duration, state string) { span(laneReady, state, from, to, stateOf(state)) })
	stretches(o.Admin, func(from, to time.Duration, state string) { span(laneAdmin, state, from, to, stateOf(state)) })
	for _, c := range together(o.Calls) {
		span(laneCalls, c.Detail, c.Start, c.End, callState(c.Result))
	}
	for _, w := range o.Watches {
		last, said := -before, ""
		for _, p := range w.Told {
			if said != "" {
				span(laneWatches, said, last, p.At, report.Muted)
			}
			last, said = p.At, p.State
		}
		span(laneWatches, said, last, w.Ended, report.Muted)
	}
	for i, s := range o.Slow {
		t.Lanes = append(t.Lanes, s.Name)
		span(laneSlow+i, string(s.Result), s.Start, s.End, callState(s.Result))
	}
	return t
}

// before is what is shown of the time before the signal.
const before = 200 * time.Millisecond

func stateOf(word string) report.State {
	switch word {
	case serving, "200":
		return report.Good
	case unreachable:
		return report.Muted
	}
	return report.Neutral
}

func callState(r Result) report.State {
	switch r {
	case OK:
		return report.Good
	case Refused:
		return report.Muted
	}
	return report.Bad
}

// stretches joins polls that say the same.
func stretches(polls []Poll, draw func(from, to time.Duration, state string)) {
	for i := 0; i < len(polls); {
		k := i
		for k+1 < len(polls) && polls[k+1].State == polls[i].State {
			k++
		}
		to := polls[k].At
		if k+1 < len(polls) {
			to = polls[k+1].At
		}
		draw(polls[i].At, to, polls[i].State)
		i = k + 1
	}
}

// together joins calls, when they are many, by when they were started and how they
// ended.
func together(calls []Call) []Call {
	if len(calls) <= mostSpans {
		out := make([]Call, len(calls))
		for i, c := range calls {
			out[i] = c
			out[i].Detail = c.Name + ": " + string(c.Result)
		}
		return out
	}
	type key struct {
		at     time.Duration
		result Result
	}
	counts := map[key]int{}
	var order []key
	for _, c := range calls {
		k := key{c.Start.Truncate(stretch), c.Result}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k]++
	}
	out := make([]Call, len(order))
	for i, k := range order {
		out[i] = Call{Start: k.at, End: k.at + stretch, Result: k.result, Detail: fmt.Sprintf("%d %s", counts[k], k.result)}
	}
	return out
}

// Markdown is the matrix as a page of the manual; picture is the file beside it
// with the timeline of the first row, "." for none.
func Markdown(verdicts []*Verdict, traffic time.Duration, picture string) string {
	var b strings.Builder
	b.WriteString("# Shutdown drill\n\n")
	b.WriteString("Written by `make drill`. It starts the real sidecar once for each row, waits until it serves, sends SIGTERM, and holds what it saw from\noutside against what [lifecycle.md](lifecycle.md) promises. ")
	fmt.Fprintf(&b, "Calls are started every %v for %v after the signal, each on a connection of its\nown (but for the last two rows); readiness is polled every %v; two health streams stay open, one of them on a name that does not exist.\n\n", callEvery, traffic, pollEvery)
	b.WriteString("The slow exchanges: two *heavy* results, so large that deciding them takes about a second, one of them sent before the signal and one\nright before the drain wait ends; and one *on a slow line*, of which the rest arrives only after the drain wait.\n\n")
	fmt.Fprintf(&b, "This run: %s/%s, %d CPUs, load average %s, version %s.\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), measure.LoadAverage(), build.Version())
	b.WriteString("| row | what happens | calls | slow exchanges | exit | after | at most | holds |\n|---|---|---|---|--:|--:|--:|---|\n")
	for _, v := range verdicts {
		if v.Err != nil {
			fmt.Fprintf(&b, "| %s | %s | not run: %v | | | | | **no** |\n", v.Row.Name, v.Row.Story, v.Err)
			continue
		}
		o := v.Outcome
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %.2f s | %.1f s | %s |\n", v.Row.Name, v.Row.Story, tally(o.Calls), slowTally(o), o.Code, o.Exit.Seconds(), v.Row.limit().Seconds(), yes(v.Held()))
	}
	if picture != "." {
		for _, v := range verdicts {
			if file, ok := v.PictureFile(picture); ok {
				fmt.Fprintf(&b, "\n![Timeline of row %s](%s)\n", v.Row.Name, file)
			}
		}
	}
	b.WriteString("\nWhat each row promises, and what was seen:\n")
	for _, v := range verdicts {
		if v.Err != nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| promise | seen | holds |\n|---|---|---|\n", v.Row.Name, sentence(v.Row.Story))
		for _, c := range v.Checks {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Promise, c.Seen, yes(c.Held))
		}
	}
	return b.String()
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "**no**"
}
