package report

import (
	"math"
	"strconv"
)

// scale maps values of one axis to positions.
type scale struct {
	min, max float64 // of the values shown, min < max
	log      bool
	from, to float64 // positions of min and max
}

// newScale stretches an axis over the values: to zero unless the axis is tight or logarithmic, and outwards to the ticks.
func newScale(a Axis, values []float64, from, to float64) scale {
	s := scale{min: math.Inf(1), max: math.Inf(-1), log: a.Log, from: from, to: to}
	for _, v := range values {
		if s.shows(v) {
			s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
		}
	}
	switch {
	case math.IsInf(s.min, 1) && a.Log:
		s.min, s.max = 1, 10
	case math.IsInf(s.min, 1):
		s.min, s.max = 0, 1
	case !a.Log && !a.Tight:
		s.min, s.max = math.Min(s.min, 0), math.Max(s.max, 0)
	}
	if s.max-s.min <= math.Max(tiny, 1e-9*math.Max(math.Abs(s.min), math.Abs(s.max))) {
		if a.Log {
			s.min, s.max = s.min/2, s.max*2
		} else {
			s.min, s.max = s.min-0.5*spread(s.min), s.max+0.5*spread(s.max)
		}
	}
	return s
}

func spread(v float64) float64 {
	if math.Abs(v) <= tiny {
		return 1
	}
	return math.Abs(v)
}

// No measurement of ours is larger than huge, and none differs by less than tiny. Beyond them float64 has no room for ticks.
const (
	huge = 1e15
	tiny = 1e-12
)

// shows reports whether v has a place on the axis.
func (s scale) shows(v float64) bool {
	return math.Abs(v) <= huge && (!s.log || v >= tiny) // false for NaN
}

// at returns the position of v.
func (s scale) at(v float64) float64 {
	share := (v - s.min) / (s.max - s.min)
	if s.log {
		share = math.Log(v/s.min) / math.Log(s.max/s.min)
	}
	return s.from + share*(s.to-s.from)
}

// wideTicks is about how many ticks the ends of a linear scale are rounded to.
const wideTicks = 5

// widen moves the ends outwards to round values, ticks on a linear scale, and returns it.
func (s scale) widen() scale {
	if s.log {
		s.max = niceStep(s.max)
		if low := 1 / niceStep(1/s.min); low > 0 {
			s.min = low
		}
		return s
	}
	step := niceStep((s.max - s.min) / wideTicks)
	s.min, s.max = math.Floor(s.min/step+1e-9)*step, math.Ceil(s.max/step-1e-9)*step
	return s
}

// ticks returns about count round values within the scale, in order.
func (s scale) ticks(count int) []float64 {
	if s.log {
		return s.logTicks(count)
	}
	step := niceStep((s.max - s.min) / float64(count))
	var out []float64
	for i := math.Ceil(s.min/step - 1e-9); i*step <= s.max+step*1e-9; i++ {
		out = append(out, i*step)
	}
	return out
}

// logTicks returns decades, with 2 and 5 between them when there are few, or every n-th decade when there are many.
func (s scale) logTicks(count int) []float64 {
	first, last := math.Floor(math.Log10(s.min)), math.Ceil(math.Log10(s.max))
	steps := []float64{1}
	if last-first <= float64(count)/2 {
		steps = []float64{1, 2, 5}
	}
	every := math.Max(1, math.Ceil((last-first)/float64(count)))
	var out []float64
	for e := first; e <= last; e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, e); v >= s.min*(1-1e-9) && v <= s.max*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}

// niceStep rounds a distance up to 1, 2 or 5 times a power of ten.
func niceStep(d float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(d)))
	for _, m := range []float64{1, 2, 5} {
		if d <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel shows a tick without the noise of binary fractions.
func tickLabel(v float64) string {
	f, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
	if err != nil {
		f = v
	}
	return number(f)
}

// title returns "label (unit)".
func (a Axis) title() string {
	if a.Unit == "" {
		return clean(a.Label)
	}
	return clean(a.Label + " (" + a.Unit + ")")
}

func (t *Timeline) unit() string {
	if t.Unit == "" {
		return "s"
	}
	return t.Unit
}

func (t *Timeline) lane(i int) string {
	if i >= 0 && i < len(t.Lanes) {
		return t.Lanes[i]
	}
	return ""
}

// times returns every instant of the timeline.
func (t *Timeline) times() []float64 {
	var out []float64
	for _, s := range t.Spans {
		out = append(out, s.Start, s.End)
	}
	for _, e := range t.Events {
		out = append(out, e.At)
	}
	return out
}

// xs and ys return what the axes of a line chart must hold.
func (c *LineChart) xs() []float64 {
	var out []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			out = append(out, p.X)
		}
	}
	return appendMarks(out, c.Marks, true)
}

func (c *LineChart) ys() []float64 {
	var out []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			out = append(out, p.Y)
		}
	}
	return appendMarks(out, c.Marks, false)
}

func appendMarks(out []float64, marks []Mark, vertical bool) []float64 {
	for _, m := range marks {
		if m.Vertical == vertical {
			out = append(out, m.At)
		}
	}
	return out
}

// counts returns every count of a histogram.
func (h *Histogram) counts() []float64 {
	var out []float64
	for _, g := range h.Bars {
		for i := range h.buckets() {
			out = append(out, g.count(i))
		}
	}
	return out
}

// count returns a group's count of bucket i, 0 when it has none or one that is no count.
func (b Bars) count(i int) float64 {
	if i < len(b.Counts) && b.Counts[i] > 0 && !math.IsInf(b.Counts[i], 0) {
		return b.Counts[i]
	}
	return 0
}

// buckets is how many buckets a histogram has.
func (h *Histogram) buckets() int { return max(0, len(h.Edges)-1) }
