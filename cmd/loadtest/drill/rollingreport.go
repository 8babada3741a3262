package drill

import (
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/measure"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// rollingTimeline shows both replicas, the list and the calls.
func (v *Verdict) rollingTimeline() *report.Timeline {
	o := v.Outcome
	t := &report.Timeline{Title: "Timeline of row " + v.Row.Name + ": on the gateway's list (green), draining (blue), starting (grey)", Unit: "s", Lanes: []string{"replica 1", "replica 2", "calls"}}
	span := func(lane int, label string, from, to time.Duration, state report.State) {
		t.Spans = append(t.Spans, report.Span{Lane: lane, Label: label, Start: from.Seconds(), End: to.Seconds(), State: state})
	}
	end := v.ended()
	since := [2]time.Duration{}
	for _, r := range o.Restarts {
		span(r.Replica, "on the list", since[r.Replica], r.Unlisted, report.Good)
		span(r.Replica, "draining", r.Unlisted, r.Exit, report.Neutral)
		span(r.Replica, "starting", r.Exit, r.Ready, report.Muted)
		since[r.Replica] = r.Ready
	}
	for i, from := range since {
		span(i, "on the list", from, end, report.Good)
	}
	const lane = 2
	for _, c := range together(o.Calls) {
		span(lane, c.Detail, c.Start, c.End, callState(c.Result))
	}
	return t
}

// ended is when the last call ended.
func (v *Verdict) ended() time.Duration {
	var end time.Duration
	for _, c := range v.Outcome.Calls {
		end = max(end, c.End)
	}
	return end
}

// latency is what callers saw, second by second.
func (v *Verdict) latency() *report.LineChart {
	chart := &report.LineChart{Title: "Latency of calls, second by second, through all restarts", X: report.Axis{Label: "time", Unit: "s"}, Y: report.Axis{Label: "latency", Unit: "ms"}}
	perSecond := map[int]*measure.Latency{}
	last := 0
	for _, c := range v.Outcome.Calls {
		s := int(c.Start / time.Second)
		if perSecond[s] == nil {
			perSecond[s] = measure.NewLatency()
		}
		perSecond[s].Record(c.End - c.Start)
		last = max(last, s)
	}
	for _, q := range []float64{0.5, 0.99} {
		line := report.Series{Name: fmt.Sprintf("p%.0f", 100*q)}
		for s := 0; s <= last; s++ {
			if l := perSecond[s]; l != nil {
				line.Points = append(line.Points, report.Point{X: float64(s), Y: float64(l.At(q)) / float64(time.Millisecond)})
			}
		}
		chart.Series = append(chart.Series, line)
	}
	return chart
}

// restarts is what each of them took.
func (v *Verdict) restarts() *report.Table {
	tab := &report.Table{Title: "Restarts", Columns: report.Columns("replica", "SIGTERM at (s)", "off the list after (ms)", "exit after (ms)", "exit", "new one on the list after (ms)")}
	for _, r := range v.Outcome.Restarts {
		tab.Row(r.Replica+1, r.Signal.Seconds(), (r.Unlisted - r.Signal).Milliseconds(), (r.Exit - r.Signal).Milliseconds(), r.Code, (r.Ready - r.Exit).Milliseconds())
	}
	return tab
}
