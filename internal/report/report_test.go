package report

import (
	"bytes"
	"encoding/json/v2"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want string
	}{
		{nil, "–"}, {math.NaN(), "–"}, {Ratio(math.NaN()), "–"}, {math.Inf(1), "+Inf"},
		{true, "yes"}, {false, "no"}, {Check(true), "ok"}, {Check(false), "FAIL"},
		{0, "0"}, {-1234, "-1234"}, {12345, "12 345"}, {-1234567, "-1 234 567"}, {uint64(math.MaxUint64), "18 446 744 073 709 551 615"},
		{0.0, "0"}, {1.0, "1"}, {-0.00001, "-1e-05"}, {0.12345678, "0.1235"}, {0.00123456, "0.001235"}, {12.3456, "12.35"}, {999.96, "1000"}, {1234.5, "1234"}, {98765.4, "98 765"}, {1e20, "1e+20"}, {float32(0.5), "0.5"},
		{Ratio(0.1234), "12.34 %"}, {Ratio(1), "100 %"},
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(1536), "1.5 KiB"}, {Bytes(5 << 30), "5 GiB"}, {Bytes(1 << 60), "1 048 576 TiB"},
		{time.Duration(0), "0 s"}, {999 * time.Nanosecond, "999 ns"}, {1234 * time.Nanosecond, "1.23 µs"}, {45600 * time.Microsecond, "45.6 ms"}, {90 * time.Second, "90 s"}, {2 * time.Hour, "7200 s"}, {-time.Millisecond, "-1 ms"},
		{"a\tb", `a\tb`}, {errors.New("x\x1b"), `x\x1b`}, {time.UTC, "UTC"},
	} {
		require.Equal(t, tc.want, Format(tc.in), "%T %v", tc.in, tc.in)
	}
}

func TestColumns(t *testing.T) {
	require.Equal(t, []Column{{Name: "rate", Unit: "calls/s"}, {Name: "p50"}, {Name: "odd)"}}, Columns("rate (calls/s)", "p50", "odd)"))
}

func TestTextTablesAlign(t *testing.T) {
	tab := &Table{Columns: []Column{{Name: "name"}, {Name: "n"}, {Name: "left", Left: true}, {Name: "mixed"}}}
	tab.Row("日本", 5, 1, 1)
	tab.Row("a", 12345, 22)
	tab.Row("b", nil, 3, "x", "one too many")
	var out bytes.Buffer
	r := New("T", "")
	r.Section("S", tab)
	require.NoError(t, r.Write(&out, TextEncoding))
	require.Equal(t, `T
===

S
---
name       n  left  mixed
----  ------  ----  -----
日本       5  1     1
a     12 345  22    –
b          –  3     x
`, out.String())
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		name   string
		axis   Axis
		values []float64
		want   []string
	}{
		{"to zero", Axis{}, []float64{30, 97}, []string{"0", "20", "40", "60", "80", "100"}},
		{"tight", Axis{Tight: true}, []float64{101, 104.5}, []string{"101", "102", "103", "104", "105"}},
		{"negative", Axis{}, []float64{-3, -1}, []string{"-3", "-2", "-1", "0"}},
		{"one value", Axis{}, []float64{5}, []string{"0", "1", "2", "3", "4", "5"}},
		{"only zero", Axis{}, []float64{0}, []string{"-0.5", "0", "0.5"}},
		{"none", Axis{}, nil, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{"not numbers", Axis{}, []float64{math.NaN(), math.Inf(1)}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{"decades", Axis{Log: true}, []float64{0.001, 1000}, []string{"0.001", "0.1", "10", "1000"}},
		{"within decades", Axis{Log: true}, []float64{3, 70, -1, 0}, []string{"2", "5", "10", "20", "50", "100"}},
		{"log of nothing", Axis{Log: true}, nil, []string{"1", "2", "5", "10"}},
		{"log of one", Axis{Log: true}, []float64{4}, []string{"2", "5", "10"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScale(tc.axis, tc.values, 0, 100).widen()
			var got []string
			for _, v := range s.ticks(5) {
				got = append(got, tickLabel(v))
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// On any axis all values that can be shown fall between its ends, and the ticks ascend and are few.
func TestScaleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Log: rapid.Bool().Draw(t, "log"), Tight: rapid.Bool().Draw(t, "tight")}
		values := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 0, 8).Draw(t, "values")
		s := newScale(a, values, 0, 100).widen()
		for _, v := range values {
			if s.shows(v) {
				if p := s.at(v); !(p >= -0.01 && p <= 100.01) {
					t.Fatalf("%v is at %v on %+v", v, p, s)
				}
			}
		}
		ticks := s.ticks(5)
		if len(ticks) > 20 {
			t.Fatalf("%d ticks on %+v", len(ticks), s)
		}
		for i := 1; i < len(ticks); i++ {
			if ticks[i] <= ticks[i-1] {
				t.Fatalf("ticks do not ascend: %v", ticks)
			}
		}
	})
}

// Whatever the numbers are, every chart renders: the SVG is well-formed and has no coordinate that is not a number.
func TestChartsTakeAnything(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 1e300}))
	axis := rapid.Custom(func(t *rapid.T) Axis {
		return Axis{Label: "l", Log: rapid.Bool().Draw(t, "log"), Tight: rapid.Bool().Draw(t, "tight")}
	})
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point { return Point{number.Draw(t, "x"), number.Draw(t, "y")} }), 0, 6)
		line := &LineChart{X: axis.Draw(t, "x axis"), Y: axis.Draw(t, "y axis"), Series: []Series{{Name: "a", Points: points.Draw(t, "a")}, {Points: points.Draw(t, "b")}},
			Marks: []Mark{{At: number.Draw(t, "mark"), Vertical: rapid.Bool().Draw(t, "vertical")}}}
		hist := &Histogram{X: axis.Draw(t, "x axis"), Edges: rapid.SliceOfN(number, 0, 5).Draw(t, "edges"), Bars: []Bars{{Counts: rapid.SliceOfN(number, 0, 6).Draw(t, "counts")}}}
		tl := &Timeline{Lanes: []string{"a", "b"}, Events: []Event{{"e", number.Draw(t, "event")}}}
		for range rapid.IntRange(0, 12).Draw(t, "spans") {
			tl.Spans = append(tl.Spans, Span{Lane: rapid.IntRange(-1, 3).Draw(t, "lane"), Start: number.Draw(t, "start"), End: number.Draw(t, "end"), State: State(rapid.IntRange(0, 5).Draw(t, "state"))})
		}
		r := New("t", "")
		r.Section("s", line, hist, tl)
		for _, e := range []Encoding{TextEncoding, JSONEncoding, HTMLEncoding} {
			var out bytes.Buffer
			if err := r.Write(&out, e); err != nil {
				t.Fatal(err)
			}
		}
		for _, svg := range []string{string(line.svg()), string(hist.svg()), string(tl.svg())} {
			wellFormed(t, svg)
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

var notANumber = regexp.MustCompile(`"[^"]*(NaN|Inf)[^"]*"`)

func wellFormed(t fataler, svg string) {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if el, ok := tok.(xml.StartElement); ok && el.Name.Local == "script" {
			t.Fatalf("markup came through: %s", svg)
		}
		if el, ok := tok.(xml.StartElement); ok {
			for _, a := range el.Attr {
				if a.Name.Local != "aria-label" && notANumber.MatchString(`"`+a.Value+`"`) {
					t.Fatalf("%s=%q", a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestPageNeedsNothingElse(t *testing.T) {
	for _, r := range []*Report{sample(), hostile()} {
		var out bytes.Buffer
		require.NoError(t, r.Write(&out, HTMLEncoding))
		page := out.String()
		for _, outside := range []string{"http://", "https://", "src=", "href=", "@import", "url(", "<script"} {
			require.NotContains(t, page, outside)
		}
		require.NotContains(t, page, "\x1b")
		require.NotContains(t, page, "\u202e")
	}
}

func TestTextIsSafeForATerminal(t *testing.T) {
	for _, e := range []Encoding{TextEncoding, JSONEncoding} {
		var out bytes.Buffer
		require.NoError(t, hostile().Write(&out, e))
		require.NotContains(t, out.String(), "\x1b")
		require.NotContains(t, out.String(), "\u202e")
	}
}

func TestJSONKeepsNumbers(t *testing.T) {
	var out bytes.Buffer
	r := New("t", "")
	tab := &Table{Columns: Columns("d", "ok", "nan", "bytes", "ratio", "n")}
	tab.Row(1500*time.Millisecond, Check(true), math.NaN(), Bytes(2048), Ratio(0.5), 12345)
	r.Section("s", tab)
	require.NoError(t, r.Write(&out, JSONEncoding))
	var got struct {
		Sections []struct {
			Blocks []struct {
				Table struct {
					Rows [][]any `json:"rows"`
				} `json:"table"`
			} `json:"blocks"`
		} `json:"sections"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, [][]any{{1.5, true, nil, 2048.0, 0.5, 12345.0}}, got.Sections[0].Blocks[0].Table.Rows)
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	for name, begin := range map[string]string{"r.json": "{", "r.HTML": "<!doctype html>", "r.txt": "T\n"} {
		path := filepath.Join(dir, name)
		require.NoError(t, New("T", "").WriteFile(path))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(b), begin), name)
	}
	require.ErrorContains(t, New("T", "").WriteFile(filepath.Join(dir, "missing", "r.txt")), "write report")
	require.ErrorContains(t, New("T", "").Write(io.Discard, "pdf"), `unknown format "pdf"`)
	_, err := ParseEncoding("pdf")
	require.Error(t, err)
	e, err := ParseEncoding("HTML")
	require.NoError(t, err)
	require.Equal(t, HTMLEncoding, e)
}
