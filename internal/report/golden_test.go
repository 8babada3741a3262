package report

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

// sample uses every kind of block.
func sample() *Report {
	r := New("Shutdown and load of one replica", "One replica under open-loop load, then SIGTERM.")
	r.Fact("CPU", "2 cores")
	r.Fact("memory", Bytes(24<<30))
	r.Fact("warm-up", 1500*time.Millisecond)

	s := r.Section("In short", Text("Every call that was started before the listener closed was answered. The rate at which the latency doubles is the capacity; beyond it calls are shed and not queued."))
	s.Add(Figures{
		{Name: "goodput at twice the capacity", Value: Ratio(0.943), Note: "promise: at least 90 %", State: Good},
		{Name: "p99 of accepted calls", Value: 182 * time.Millisecond, Note: "promise: under 2 s", State: Good},
		{Name: "health p99", Value: 143 * time.Millisecond, Note: "promise: under 100 ms", State: Bad},
		{Name: "tokens", Value: 18234.0, Unit: "tokens/s"},
	})

	t := &Table{Title: "Latency by rate", Columns: Columns("rate (calls/s)", "calls", "p50", "p99", "shed", "kept the promise"), Note: "Open loop; latency counts from the intended start."}
	t.Row(50, 3000, 9200*time.Microsecond, 21*time.Millisecond, Ratio(0), Check(true))
	t.Row(100, 6000, 10*time.Millisecond, 48*time.Millisecond, Ratio(0), Check(true))
	t.Row(200, 12000, 33*time.Millisecond, 1250*time.Millisecond, Ratio(0.124), Check(false))
	t.Row(400, 24000, nil)
	r.Section("Latency", t,
		&LineChart{
			Title: "Latency against offered load", X: Axis{Label: "offered load", Unit: "calls/s"}, Y: Axis{Label: "latency", Unit: "ms", Log: true},
			Series: []Series{
				{Name: "p50", Points: []Point{{25, 9}, {50, 9.2}, {75, 9.6}, {100, 10}, {125, 13}, {150, 18}, {200, 33}}},
				{Name: "p99", Points: []Point{{25, 18}, {50, 21}, {75, 30}, {100, 48}, {125, 120}, {150, 410}, {200, 1250}}},
				{Name: "bare runtime", Points: []Point{{25, 8}, {200, 8}}, Dashed: true},
			},
			Marks: []Mark{{Label: "timeout", At: 2000, State: Bad}, {Label: "capacity", At: 132, Vertical: true, State: Good}},
		},
		&LineChart{
			Title: "Goodput", X: Axis{Label: "time", Unit: "s"}, Y: Axis{Label: "answered", Unit: "calls/s"},
			Series: []Series{{Name: "goodput", Points: wave(120)}},
		})

	edges, benign := buckets(beta(400, 2, 9), 20)
	_, attack := buckets(beta(400, 9, 2), 20)
	r.Section("Scores", &Histogram{
		Title: "Scores by class", X: Axis{Label: "P(malicious)"}, Y: Axis{Label: "texts"}, Edges: edges,
		Bars:  []Bars{{Name: "benign", Counts: benign}, {Name: "malicious", Counts: attack}},
		Marks: []Mark{{Label: "review", At: 0.5, Vertical: true}, {Label: "block", At: 0.8, Vertical: true, State: Bad}},
	}, &Histogram{
		Title: "Batch sizes", X: Axis{Label: "batch", Unit: "windows", Log: true}, Y: Axis{Label: "batches"},
		Edges: []float64{1, 2, 4, 8, 16, 32}, Bars: []Bars{{Counts: []float64{120, 340, 800, 210, 4}}},
	})

	tl := &Timeline{Title: "Drain", Lanes: []string{"readiness poll", "slow exchange", "new calls", "shutdown steps"}}
	for i := range 60 {
		at := float64(i) * 0.05
		tl.Spans = append(tl.Spans, Span{Lane: 0, Start: at, End: at, State: map[bool]State{true: Good, false: Muted}[at < 0.5], Label: "poll"})
	}
	tl.Spans = append(tl.Spans, Span{Lane: 1, Label: "held for 1.8 s", Start: 0.2, End: 2.0, State: Good})
	for i := range 50 {
		at := 0.5 + float64(i)*0.02
		tl.Spans = append(tl.Spans, Span{Lane: 2, Label: fmt.Sprint("call ", i), Start: at, End: at + 0.03, State: Good})
	}
	tl.Spans = append(tl.Spans, Span{Lane: 2, Label: "refused", Start: 2.2, End: 2.2, State: Bad},
		Span{Lane: 3, Label: "drain wait", Start: 0.5, End: 2.0}, Span{Lane: 3, Label: "grace", Start: 2.0, End: 2.1},
		Span{Lane: 3, Label: "clean-up", Start: 2.1, End: 2.35})
	tl.Events = []Event{{"SIGTERM", 0.5}, {"not ready", 0.502}, {"listener closed", 2.0}, {"exit 0", 2.36}}
	r.Section("Shutdown", tl)
	return r
}

func wave(n int) []Point {
	out := make([]Point, n)
	for i := range out {
		out[i] = Point{float64(i) / 2, 100 + 8*math.Sin(float64(i)/7) + float64(i%5)}
	}
	return out
}

// beta returns n evenly spaced quantiles of a shape like a beta distribution's, without randomness.
func beta(n int, a, b float64) []float64 {
	const grid = 2000
	var cum [grid + 1]float64
	for i := 1; i <= grid; i++ {
		x := (float64(i) - 0.5) / grid
		cum[i] = cum[i-1] + math.Pow(x, a-1)*math.Pow(1-x, b-1)
	}
	var out []float64
	for i, j := 0, 0; i < n; i++ {
		for cum[j] < cum[grid]*(float64(i)+0.5)/float64(n) {
			j++
		}
		out = append(out, float64(j)/grid)
	}
	return out
}

// hostile tries to break out of every place that takes text.
func hostile() *Report {
	const evil = "<script>alert(1)</script>\x1b[2J\n\u202e\"'&\xff"
	r := New(evil, evil)
	r.Fact(evil, evil)
	t := &Table{Title: evil, Columns: []Column{{Name: evil, Unit: evil}}, Note: evil}
	t.Row(evil)
	r.Section(evil, Text(evil), Figures{{Name: evil, Value: evil, Unit: evil, Note: evil}}, t,
		&LineChart{Title: evil, X: Axis{Label: evil, Unit: evil}, Y: Axis{Label: evil, Unit: evil}, Series: []Series{{Name: evil, Points: []Point{{1, 1}}}}, Marks: []Mark{{Label: evil, At: 1}}},
		&Histogram{Title: evil, X: Axis{Label: evil, Unit: evil}, Edges: []float64{0, 1}, Bars: []Bars{{Name: evil, Counts: []float64{1}}, {Name: evil}}},
		&Timeline{Title: evil, Unit: evil, Lanes: []string{evil}, Spans: []Span{{Label: evil, End: 9}}, Events: []Event{{evil, 1}}})
	return r
}

func TestGolden(t *testing.T) {
	for name, r := range map[string]*Report{"sample": sample(), "hostile": hostile(), "empty": New("Nothing", "")} {
		for e, ext := range map[Encoding]string{TextEncoding: "txt", JSONEncoding: "json", HTMLEncoding: "html"} {
			t.Run(name+"/"+string(e), func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, r.Write(&out, e))
				path := filepath.Join("testdata", name+"."+ext)
				if *rewrite {
					require.NoError(t, os.MkdirAll("testdata", 0o700))
					require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
				}
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, string(want), out.String(), "look at the difference, then go test ./internal/report -rewrite")
			})
		}
	}
}

// buckets counts values from 0 to 1 into n equal buckets.
func buckets(values []float64, n int) (edges, counts []float64) {
	counts = make([]float64, n)
	for i := range n + 1 {
		edges = append(edges, float64(i)/float64(n))
	}
	for _, v := range values {
		counts[min(int(v*float64(n)), n-1)]++
	}
	return edges, counts
}
