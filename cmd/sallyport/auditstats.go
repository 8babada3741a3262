package main

import (
	"fmt"
	"time"

	"github.com/sallyport-mcp/sallyport/internal/audit"
	"github.com/sallyport-mcp/sallyport/internal/report"
)

// statsReport lays audit statistics out.
func statsReport(s *audit.Stats) *report.Report {
	note := "no line"
	if s.Lines > 0 {
		note = fmt.Sprintf("%s from %s to %s", count(s.Lines, "line"), s.From.Format(time.RFC3339), s.To.Format(time.RFC3339))
	}
	r := report.New("Audit trail", note)
	r.Fact("exchange lines", s.Exchanges)
	r.Fact("unreadable lines", s.Unreadable)
	r.Fact("lines lost, by gap lines", s.Lost)
	r.Fact("shed without a line of their own", s.Shed)
	r.Fact("partial coverage", s.Partial)
	r.Fact("redactions", s.Redactions)

	if s.Exchanges > 0 {
		exchangeSections(r, s)
	}
	for _, t := range []struct {
		title string
		rows  []audit.Count
	}{
		{"Detectors", s.Detectors},
		{"Categories", s.Categories},
		{"Rules", s.Rules},
		{"Would have been, by shadow rules and dry run", s.Would},
		{"Methods", s.Methods},
		{"Events", s.Events},
	} {
		if len(t.rows) == 0 {
			continue
		}
		table := &report.Table{Columns: report.Columns("name", "count")}
		for _, c := range t.rows {
			table.Row(c.Name, c.N)
		}
		r.Section(t.title, table)
	}
	return r
}

// exchangeSections lays out what there is only when something was asked.
func exchangeSections(r *report.Report, s *audit.Stats) {
	outcomes := &report.Table{Columns: report.Columns("phase", "outcome", "exchanges")}
	for _, o := range s.Outcomes {
		outcomes.Row(o.Phase, o.Outcome, o.N)
	}
	r.Section("Outcomes", outcomes)

	latency := &report.Table{Columns: report.Columns("phase", "outcome", "exchanges", "p50", "p90", "p99", "max")}
	for _, l := range s.Latency {
		latency.Row(l.Phase, l.Outcome, l.N, l.P50, l.P90, l.P99, l.Max)
	}
	r.Section("Latency of a check", latency)

	pairs := &report.Table{Columns: report.Columns("requests", "responses", "paired", "stopped", "unanswered", "response only", "without id")}
	p := s.Pairs
	pairs.Row(p.Requests, p.Responses, p.Paired, p.Stopped, p.Unanswered, p.ResponseOnly, p.NoID)
	r.Section("Requests and responses", pairs)
}
