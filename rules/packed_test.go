package rules

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPackedMemoriesComeBack: what is unpacked is what was packed, to the last bit.
func TestPackedMemoriesComeBack(t *testing.T) {
	times := func(t *rapid.T, n int, base tick) []tick {
		out := make([]tick, n)
		at := tick(rapid.Uint32Range(1, uint32(base)).Draw(t, "first"))
		for i := range out {
			out[i] = at
			at += tick(rapid.Uint32Range(0, uint32(base-at)).Draw(t, "gap"))
		}
		return out
	}
	amounts := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.SampledFrom([]float64{0, 1, 0.5, 1 << 53, 1<<53 - 1, math.SmallestNonzeroFloat64}))
	sum := func(t *rapid.T, base tick) window {
		w := window{at: times(t, rapid.IntRange(1, maxExact).Draw(t, "entries"), base)}
		if rapid.Bool().Draw(t, "weighted") {
			for range w.at {
				w.amounts = append(w.amounts, amounts.Draw(t, "amount"))
			}
		}
		return w
	}
	rapid.Check(t, func(t *rapid.T) {
		base := tick(rapid.Uint32Range(1, math.MaxUint32/2).Draw(t, "base"))
		st := &State{epoch: 1, last: base, gen: &generation{}}
		hashes := rapid.SliceOfN(rapid.Byte(), maxLoopCalls, maxLoopCalls).Draw(t, "hashes")
		id := uint64(0)
		add := func(m memory) {
			for range rapid.IntRange(1, 200).Draw(t, "rules without a memory") {
				id += rapid.Uint64Range(1, 1<<50).Draw(t, "id")
				st.gen.order = append(st.gen.order, id)
			}
			st.slots = append(st.slots, slot{id: id, memory: m})
		}
		for range rapid.IntRange(0, 5).Draw(t, "memories") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				f := &flowMemory{within: base} // so that every start is alive
				if rapid.Bool().Draw(t, "long") {
					f.far = new([maxFlowSteps]tick)
				}
				starts := f.starts()
				for i := range starts {
					starts[i] = tick(rapid.Uint32Range(0, uint32(base)).Draw(t, "start"))
				}
				starts[0] = max(starts[0], 1)
				add(f)
			case 1:
				l := &loopMemory{}
				for _, at := range times(t, rapid.IntRange(1, 3*maxLoopCalls).Draw(t, "calls"), base) {
					c := loopCall{at: at}
					k := rapid.IntRange(0, maxLoopCalls-1).Draw(t, "call")
					c.hash[0], c.hash[15] = byte(k), hashes[k]
					l.calls = append(l.calls, c)
				}
				add(l)
			case 2:
				m := &rateMemory{}
				for _, at := range times(t, rapid.IntRange(1, 100).Draw(t, "calls"), base) {
					k := rapid.Uint32Range(0, maxRateTools).Draw(t, "tool")
					m.calls = append(m.calls, rateCall{high: k * 7, low: k, at: at})
				}
				add(m)
			case 3:
				m := &rateWindows{}
				for range rapid.IntRange(1, 3).Draw(t, "counters") {
					m.counters = append(m.counters, rateCounter{tool: rapid.Uint64().Draw(t, "tool"), calls: sum(t, base)})
				}
				add(m)
			default:
				add(&budgetMemory{within: base, spent: sum(t, base)})
			}
		}
		want := st.slots
		loose := st.Size()
		st.rest()
		require.Nil(t, st.slots)
		if len(want) > 0 {
			require.Less(t, st.Size(), loose)
		}
		st.last = base + 5 // time goes on while a key rests
		st.wake()
		require.Empty(t, st.packed)
		require.Len(t, st.slots, len(want))
		for i := range want {
			require.True(t, reflect.DeepEqual(want[i], st.slots[i]), "%d: %#v, then %#v", i, want[i].memory, st.slots[i].memory)
		}
	})
}

// TestKeyRestsBetweenExchanges: an exchange in flight keeps a key awake, and the last one to end puts it to rest.
func TestKeyRestsBetweenExchanges(t *testing.T) {
	d := newDriver(compileText(t, `rules:
  - {name: f, flow: {within: 10m, steps: [{call: {tool: a}}, {call: {tool: b}}]}}
  - {name: m, budget: {tool: a, amount: args.n, max: 10, within: 10m}}
`))
	first, _ := d.open("a", map[string]any{"n": int64(1)})
	second, _ := d.open("a", map[string]any{"n": int64(2)})
	d.state.Settle(first, true, d.now)
	require.Empty(t, d.state.packed)
	d.state.Settle(second, false, d.now)
	require.NotEmpty(t, d.state.packed)
	d.state.Settle(second, true, d.now)
	require.NotEmpty(t, d.state.packed, "settled already")
	require.Len(t, d.call("b", nil), 1)
	require.Len(t, d.call("a", map[string]any{"n": int64(10)}), 1, "1 and 10 are more than 10; the 2 was given back")
	require.Empty(t, d.call("a", map[string]any{"n": int64(9)}))

	// A reload drops what it drops from a resting key, and keeps the rest.
	d.set = compileText(t, `rules:
  - {name: m, budget: {tool: a, amount: args.n, max: 10, within: 10m}}
  - {name: f, flow: {within: 11m, steps: [{call: {tool: a}}, {call: {tool: b}}]}}
`)
	require.Empty(t, d.call("b", nil), "a changed flow begins anew")
	require.Len(t, d.call("a", map[string]any{"n": int64(1)}), 1, "an unchanged budget goes on")
}
