package audit

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// maxLatency is the largest duration that the latency table tells apart; longer ones count as this.
const maxLatency = time.Hour

// Count is one row of a frequency table.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// OutcomeCount is one row of the outcome table.
type OutcomeCount struct {
	Phase   string `json:"phase"`
	Outcome string `json:"outcome"`
	N       int64  `json:"n"`
}

// Latency describes the checks of one phase and outcome. Quantiles are exact to three significant digits.
type Latency struct {
	Phase   string        `json:"phase"`
	Outcome string        `json:"outcome"`
	N       int64         `json:"n"`
	P50     time.Duration `json:"p50_ns"`
	P90     time.Duration `json:"p90_ns"`
	P99     time.Duration `json:"p99_ns"`
	Max     time.Duration `json:"max_ns"`
}

// Pairs says how requests and responses meet by their exchange id.
type Pairs struct {
	Requests     int64 `json:"requests"`      // exchanges with a request line
	Responses    int64 `json:"responses"`     // exchanges with a response line
	Paired       int64 `json:"paired"`        // both
	Stopped      int64 `json:"stopped"`       // a request that was not passed and has, rightly, no response
	Unanswered   int64 `json:"unanswered"`    // a request that was passed and has no response line
	ResponseOnly int64 `json:"response_only"` // a response whose request line is not in the files
	NoID         int64 `json:"no_id"`         // lines without an exchange id
}

// Stats summarises audit lines.
type Stats struct {
	Lines      int64          `json:"lines"`
	Unreadable int64          `json:"unreadable"`
	Exchanges  int64          `json:"exchange_lines"`
	From       time.Time      `json:"from"`
	To         time.Time      `json:"to"`
	Outcomes   []OutcomeCount `json:"outcomes"`
	Would      []Count        `json:"would"` // what shadow and dry-run mode held back
	Methods    []Count        `json:"methods"`
	Detectors  []Count        `json:"detectors"`
	Categories []Count        `json:"categories"`
	Rules      []Count        `json:"rules"`
	Events     []Count        `json:"events"`
	Pairs      Pairs          `json:"pairs"`
	Latency    []Latency      `json:"latency"`
	Partial    int64          `json:"partial_coverage"`
	Redactions int64          `json:"redactions"`
	Lost       int64          `json:"lost"` // lines that gap lines report
	Shed       int64          `json:"shed"` // exchanges that shed events report
}

// Summarise reads the sources and counts. It does not check the chain. It returns an error when a source cannot be read or ctx
// ends. Memory grows with the number of exchanges (about 40 bytes each) and of distinct names.
func Summarise(ctx context.Context, sources []Source) (*Stats, error) {
	c := newCounter()
	if err := eachLine(ctx, sources, func(l rawLine) bool { c.line(l); return true }); err != nil {
		return nil, fmt.Errorf("summarise audit lines: %w", err)
	}
	return c.stats(), nil
}

type phaseOutcome struct{ phase, outcome string }

// seen notes which halves of an exchange have a line.
type seen uint8

const (
	sawRequest seen = 1 << iota
	sawResponse
	sawPassed // the request went on to the upstream
)

type counter struct {
	s          Stats
	outcomes   map[phaseOutcome]*hdrhistogram.Histogram
	would      map[string]int64
	methods    map[string]int64
	detectors  map[string]int64
	categories map[string]int64
	rules      map[string]int64
	events     map[string]int64
	seed       maphash.Seed
	exchanges  map[uint64]seen // by hash of the id: ids are long and can be many
}

func newCounter() *counter {
	return &counter{
		outcomes: map[phaseOutcome]*hdrhistogram.Histogram{}, would: map[string]int64{}, methods: map[string]int64{},
		detectors: map[string]int64{}, categories: map[string]int64{}, rules: map[string]int64{}, events: map[string]int64{},
		seed: maphash.MakeSeed(), exchanges: map[uint64]seen{},
	}
}

func (c *counter) line(raw rawLine) {
	l, err := ParseLine(raw.text)
	if err != nil {
		c.s.Unreadable++
		return
	}
	c.s.Lines++
	if c.s.From.IsZero() || l.Time.Before(c.s.From) {
		c.s.From = l.Time
	}
	if l.Time.After(c.s.To) {
		c.s.To = l.Time
	}
	if l.Event != "" {
		c.event(l)
		return
	}
	c.exchange(l)
}

func (c *counter) event(l Line) {
	c.events[l.Event]++
	switch l.Event {
	case EventGap:
		c.s.Lost += l.Count
	case EventShed:
		c.s.Shed += l.Count
	}
}

func (c *counter) exchange(l Line) {
	c.s.Exchanges++
	key := phaseOutcome{l.Phase, l.Outcome}
	h := c.outcomes[key]
	if h == nil {
		h = hdrhistogram.New(1, maxLatency.Microseconds(), 3)
		c.outcomes[key] = h
	}
	_ = h.RecordValue(min(max(l.Duration.Microseconds(), 1), maxLatency.Microseconds())) // in range by construction
	c.methods[l.Method]++
	if l.Would != "" {
		c.would[l.Would]++
	}
	for _, f := range l.Findings {
		c.detectors[f.Detector]++
		c.categories[f.Category]++
	}
	for _, r := range l.RulesHit {
		c.rules[r]++
	}
	if l.Coverage != nil && l.Coverage.Scanned < l.Coverage.Total {
		c.s.Partial++
	}
	c.s.Redactions += int64(l.Redactions)
	c.pair(l)
}

func (c *counter) pair(l Line) {
	if l.Exchange == "" {
		c.s.Pairs.NoID++
		return
	}
	id := maphash.String(c.seed, l.Exchange)
	switch l.Phase {
	case PhaseRequest:
		c.exchanges[id] |= sawRequest
		switch l.Outcome {
		case OutcomeAllow, OutcomeMutated, OutcomeReview:
			c.exchanges[id] |= sawPassed
		}
	case PhaseResponse:
		c.exchanges[id] |= sawResponse
	}
}

func (c *counter) stats() *Stats {
	s := &c.s
	for key, h := range c.outcomes {
		s.Outcomes = append(s.Outcomes, OutcomeCount{key.phase, key.outcome, h.TotalCount()})
		quantile := func(q float64) time.Duration { return time.Duration(h.ValueAtQuantile(q)) * time.Microsecond }
		s.Latency = append(s.Latency, Latency{
			Phase: key.phase, Outcome: key.outcome, N: h.TotalCount(),
			P50: quantile(50), P90: quantile(90), P99: quantile(99), Max: time.Duration(h.Max()) * time.Microsecond,
		})
	}
	slices.SortFunc(s.Outcomes, func(a, b OutcomeCount) int {
		return compareKeys(phaseOutcome{a.Phase, a.Outcome}, phaseOutcome{b.Phase, b.Outcome})
	})
	slices.SortFunc(s.Latency, func(a, b Latency) int {
		return compareKeys(phaseOutcome{a.Phase, a.Outcome}, phaseOutcome{b.Phase, b.Outcome})
	})
	s.Would, s.Methods, s.Detectors = table(c.would), table(c.methods), table(c.detectors)
	s.Categories, s.Rules, s.Events = table(c.categories), table(c.rules), table(c.events)
	for _, e := range c.exchanges {
		c.countPair(e)
	}
	return s
}

func (c *counter) countPair(e seen) {
	p := &c.s.Pairs
	switch {
	case e&sawRequest == 0:
		p.Responses++
		p.ResponseOnly++
		return
	case e&sawResponse != 0:
		p.Responses++
		p.Paired++
	case e&sawPassed != 0:
		p.Unanswered++
	default:
		p.Stopped++
	}
	p.Requests++
}

func compareKeys(a, b phaseOutcome) int {
	return cmp.Or(cmp.Compare(a.phase, b.phase), cmp.Compare(a.outcome, b.outcome))
}

// table sorts the most frequent first, equals by name.
func table(m map[string]int64) []Count {
	out := make([]Count, 0, len(m))
	for name, n := range m {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	return out
}
