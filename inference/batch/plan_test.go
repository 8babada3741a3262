package batch

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

type item struct{ need Need }

func (i *item) Need() Need { return i.need }

// at builds a window with a deadline so many milliseconds after the epoch.
func at(ms, tokens int) *item {
	d := epoch.Add(time.Duration(ms) * time.Millisecond)
	return &item{Need{Tokens: tokens, Urgent: d, Latest: d}}
}

func queueOf(lengths ...int) []*item {
	q := make([]*item, len(lengths))
	for i, l := range lengths {
		q[i] = at(i+1, l)
	}
	return q
}

func TestPlanCases(t *testing.T) {
	cases := []struct {
		name    string
		lengths []int
		limits  []Limits
		want    []int
	}{
		{"nothing queued", nil, nil, nil},
		{"one window", []int{40}, nil, []int{0}},
		{"equal short ones fill the token budget", []int{60, 60, 60, 60, 60}, nil, []int{0, 1, 2, 3}},
		{"sixteen at most", []int{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}, nil,
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
		{"a long head runs alone", []int{200, 10, 200}, nil, []int{0}},
		{"longer than the budget runs alone", []int{512, 512}, nil, []int{0}},
		{"far lengths stay apart", []int{20, 90, 21}, nil, []int{0, 2}},
		{"nearest length first", []int{80, 70, 80, 80}, nil, []int{0, 2, 3}},
		{"alone mode", []int{16, 16}, []Limits{{Windows: 1}}, []int{0}},
		{"own token budget", []int{16, 16, 16}, []Limits{{Tokens: 32}}, []int{0, 1}},
		{"padding stays below the limit", []int{100, 86, 71}, []Limits{{Tokens: 1024}}, []int{0, 1, 2}},
		{"windows of other steps cost more", []int{15, 16, 17, 15}, []Limits{{Step: 16}}, []int{0, 1, 3}},
		{"shorter ones, too", []int{17, 16, 18}, []Limits{{Step: 16}}, []int{0, 2}},
		{"padding at the limit is refused", []int{100, 70}, nil, []int{0}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Plan(queueOf(c.lengths...), epoch, c.limits).Batch)
		})
	}
}

func TestPlanKeepsAWindowApart(t *testing.T) {
	q := queueOf(16, 16, 16)
	q[0].need.Alone = true
	require.Equal(t, []int{0}, Plan(q, epoch, nil).Batch)
	q = queueOf(16, 16, 16)
	q[1].need.Alone = true
	require.Equal(t, []int{0, 2}, Plan(q, epoch, nil).Batch)
}

// In a long queue there are windows of the very length: nothing is padded for the
// sake of those that came a little earlier.
func TestPlanLooksForItsOwnLength(t *testing.T) {
	q := queueOf(14)
	for i := range 100 {
		q = append(q, at(2+i, 13+i%4))
	}
	c := Plan(q, epoch, nil)
	require.Len(t, c.Batch, 16)
	for _, i := range c.Batch {
		require.Equal(t, 14, q[i].need.Tokens)
	}
}

func TestPlanPrefersShorterMates(t *testing.T) {
	require.Equal(t, []int{0, 2}, Plan(queueOf(100, 104, 96), epoch, []Limits{{Tokens: 250}}).Batch)
}

func TestPlanDropsWhatNobodyWaitsFor(t *testing.T) {
	q := []*item{at(-5, 10), at(0, 10), at(1, 10), at(2, 10)}
	c := Plan(q, epoch, nil)
	require.Equal(t, []int{0, 1}, c.Expired)
	require.Equal(t, []int{2, 3}, c.Batch)
}

func TestPlanKeepsGroupsApart(t *testing.T) {
	q := queueOf(10, 10, 10, 10)
	q[1].need.Group, q[2].need.Group = 1, 1
	require.Equal(t, []int{0, 3}, Plan(q, epoch, []Limits{{}, {Windows: 1}}).Batch)
	require.Equal(t, []int{0}, Plan(q[1:3], epoch, []Limits{{}, {Windows: 1}}).Batch)
}

// What a run of its own model takes decides whether a window can still be ready: a
// quick gate's is not lost because it stands behind one of a slow judge.
func TestPlanDropsByTheCostOfTheWindowsOwnModel(t *testing.T) {
	q := []*item{at(10, 100), at(15, 100), at(20, 10), at(200, 100)}
	q[1].need.Group, q[2].need.Group = 1, 1
	limits := []Limits{{Base: 30 * time.Millisecond, PerToken: time.Millisecond}, {PerToken: 100 * time.Microsecond}}
	c := Plan(q, epoch, limits)
	require.Equal(t, []int{0}, c.Expired, "the judge needs 130 ms")
	require.Equal(t, []int{1}, c.Batch, "the gate is in time")
	c = Plan(q[2:], epoch.Add(15*time.Millisecond), limits)
	require.Equal(t, []int{0}, c.Batch)
	c = Plan(q[2:], epoch.Add(19*time.Millisecond), limits)
	require.Equal(t, Choice{Batch: []int{1}, Expired: []int{0}}, c)
	// A mate that would be late is no mate.
	q = queueOf(16, 16, 16)
	q[0].need.Latest, q[2].need.Latest = epoch.Add(time.Second), epoch.Add(time.Second)
	require.Equal(t, []int{0, 2}, Plan(q, epoch, []Limits{{Base: 10 * time.Millisecond}}).Batch)
}

func genLimits(t *rapid.T) []Limits {
	n := rapid.IntRange(0, 2).Draw(t, "groups")
	l := make([]Limits, n)
	for i := range l {
		l[i] = Limits{
			Windows: rapid.IntRange(0, 20).Draw(t, "windows"),
			Tokens:  rapid.IntRange(0, 600).Draw(t, "tokens"),
			Waste:   rapid.Float64Range(0, 0.5).Draw(t, "waste"),
			Step:    rapid.SampledFrom([]int{0, 1, 16}).Draw(t, "step"),
		}
	}
	return l
}

func genItem(t *rapid.T) *item {
	urgent := rapid.IntRange(-50, 200).Draw(t, "urgent")
	extra := rapid.IntRange(0, 100).Draw(t, "extra")
	return &item{Need{
		Tokens: rapid.IntRange(1, 512).Draw(t, "tokens"),
		Urgent: epoch.Add(time.Duration(urgent) * time.Millisecond),
		Latest: epoch.Add(time.Duration(urgent+extra) * time.Millisecond),
		Group:  rapid.IntRange(0, 2).Draw(t, "group"),
	}}
}

// listed is what is in a queue, in its order.
func listed(q *Queue[*item]) []*item {
	out := make([]*item, 0, q.Len())
	for _, e := range q.queued() {
		out = append(out, e.window)
	}
	return out
}

func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[*item]
		for _, it := range rapid.SliceOfN(rapid.Custom(genItem), 0, 60).Draw(t, "items") {
			q.Push(it)
		}
		limits := genLimits(t)
		before := listed(&q)
		c := Plan(before, epoch, limits)
		require.Equal(t, listed(&q), before, "planning changes nothing")

		for i := 1; i < len(before); i++ {
			require.False(t, before[i-1].need.Urgent.After(before[i].need.Urgent), "the queue is in order")
		}
		first := -1
		for i, it := range before {
			if it.need.Latest.After(epoch) {
				first = i
				break
			}
		}
		if first < 0 {
			require.Empty(t, c.Batch)
			return
		}
		require.Contains(t, c.Batch, first, "the most urgent is always in")
		require.NotEmpty(t, c.Batch)

		group := before[first].need.Group
		lim := Limits{}
		if group < len(limits) {
			lim = limits[group]
		}
		lim = lim.Complete()
		sum, longest := 0, 0
		for k, i := range c.Batch {
			if k > 0 {
				require.Greater(t, i, c.Batch[k-1])
			}
			n := before[i].need
			require.Equal(t, group, n.Group)
			require.True(t, n.Latest.After(epoch))
			if lim.Step > 1 {
				require.Equal(t, lim.Strips(before[first].need.Tokens), lim.Strips(n.Tokens))
			}
			sum, longest = sum+n.Tokens, max(longest, n.Tokens)
		}
		require.LessOrEqual(t, len(c.Batch), lim.Windows)
		if len(c.Batch) > 1 {
			padded := len(c.Batch) * longest
			require.LessOrEqual(t, padded, lim.Tokens)
			require.Less(t, waste(sum, padded), lim.Waste)
		}
		for _, i := range c.Expired {
			require.False(t, before[i].need.Latest.After(epoch))
			require.NotContains(t, c.Batch, i)
		}
	})
}

// Every window is planned or expires exactly once, whatever arrives meanwhile,
// and none waits for more batches than there were windows at least as urgent.
func TestEveryWindowIsPlannedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue[*item]
		limits := genLimits(t)
		seen := map[*item]int{}
		ahead := map[*item]int{}
		push := func(it *item) {
			seen[it] = 0
			for _, other := range listed(&q) {
				if !other.need.Urgent.After(it.need.Urgent) {
					ahead[it]++
				} else {
					ahead[other]++
				}
			}
			q.Push(it)
		}
		for _, it := range rapid.SliceOfN(rapid.Custom(genItem), 0, 40).Draw(t, "first") {
			push(it)
		}
		arrivals := rapid.SliceOfN(rapid.Custom(genItem), 0, 20).Draw(t, "later")
		now, rounds := epoch, map[*item]int{}
		for q.Len() > 0 || len(arrivals) > 0 {
			if len(arrivals) > 0 {
				push(arrivals[0])
				arrivals = arrivals[1:]
			}
			batch, expired := q.Next(now, limits)
			for _, it := range append(batch, expired...) {
				seen[it]++
			}
			for _, it := range listed(&q) {
				rounds[it]++
				require.LessOrEqual(t, rounds[it], ahead[it], "no window starves")
			}
			now = now.Add(time.Millisecond)
		}
		for it, n := range seen {
			require.Equal(t, 1, n, "%+v", it.need)
		}
		require.Zero(t, q.Tokens())
	})
}

func TestPlanFillsWellOnAMixedQueue(t *testing.T) {
	// Lengths as a tool result splits: many narrow windows, some tails.
	var q Queue[*item]
	for i := range 600 {
		q.Push(at(i+1, []int{96, 96, 95, 12, 33, 96, 64, 20, 96, 48}[i%10]))
	}
	tokens, padded := q.Tokens(), 0
	for q.Len() > 0 {
		batch, _ := q.Next(epoch, nil)
		longest := 0
		for _, it := range batch {
			longest = max(longest, it.need.Tokens)
		}
		padded += longest * len(batch)
	}
	require.Less(t, waste(tokens, padded), 0.05)
}

func BenchmarkNext(b *testing.B) {
	for _, n := range []int{16, 256, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			var q Queue[*item]
			for i := range n {
				q.Push(at(i+1, 12+(i*7)%100))
			}
			for b.Loop() {
				batch, _ := q.Next(epoch, nil)
				for _, it := range batch {
					q.Push(it)
				}
			}
		})
	}
}
