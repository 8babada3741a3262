package rules

import (
	"encoding/binary"
	"encoding/json/v2"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestScenarios plays the scripts of testdata/scenarios. They are written for people who decide about policy:
//
//	pack                     a pack follows; every key starts afresh
//	reload                   a pack follows; keys keep what they know about unchanged rules
//	call tool=x              a call; its arguments may follow as JSON. Answered: what fires, and whether it was allowed
//	result tool=x labels=a   what the response gate found in the answer to a call
//	allow 1 / deny 1         how the exchange that was left "open" as 1 ended
//	wait 10m                 time passes
//
// call and result take service=, key= (the caller, "alice" unless given), open=N (the exchange stays in flight), denied (something
// else denied it), repeat=N (the call is made N times; the last one is answered), shared (the key is shared by several callers), old (it was matched before the last reload). Time moves a second
// with every call and result. Run with -rewrite to record what the rules now say, and read the difference.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		s := &scenario{states: map[string]*State{}, open: map[string]openExchange{}, now: testEpoch}
		datadriven.RunTest(t, path, s.run)
	})
}

type scenario struct {
	set, old *Set
	states   map[string]*State
	open     map[string]openExchange
	now      time.Time
	count    uint64
}

type openExchange struct {
	id    [16]byte
	state *State
}

func (s *scenario) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "pack", "reload":
		return s.load(d)
	case "call", "result":
		repeat, out := 1, ""
		d.MaybeScanArgs(t, "repeat", &repeat)
		for range repeat {
			out = s.event(t, d)
		}
		return out
	case "allow", "deny":
		o, ok := s.open[d.CmdArgs[0].Key]
		require.True(t, ok, "no open exchange %s", d.CmdArgs[0].Key)
		o.state.Settle(o.id, d.Cmd == "allow", s.now)
		return "ok"
	case "wait":
		by, err := time.ParseDuration(d.CmdArgs[0].Key)
		require.NoError(t, err)
		s.now = s.now.Add(by)
		return s.now.Sub(testEpoch).String()
	}
	t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
	return ""
}

func (s *scenario) load(d *datadriven.TestData) string {
	p, err := Parse("pack.yaml", []byte("version: 1\n"+d.Input+"\n"))
	if err != nil {
		return err.Error()
	}
	set, err := p.Compile()
	if err != nil {
		return err.Error()
	}
	s.old, s.set = s.set, set
	if d.Cmd == "pack" {
		s.states, s.open = map[string]*State{}, map[string]openExchange{}
	}
	return "ok"
}

func (s *scenario) event(t *testing.T, d *datadriven.TestData) string {
	key, openAs := "alice", ""
	ev := Event{Result: d.Cmd == "result", Method: MethodToolsCall}
	d.MaybeScanArgs(t, "key", &key)
	d.MaybeScanArgs(t, "open", &openAs)
	d.MaybeScanArgs(t, "tool", &ev.Tool)
	d.MaybeScanArgs(t, "service", &ev.Service)
	d.MaybeScanArgs(t, "method", &ev.Method)
	d.MaybeScanArgs(t, "principal", &ev.Principal)
	d.MaybeScanArgs(t, "route", &ev.Route)
	for _, arg := range d.CmdArgs {
		if arg.Key == "labels" {
			ev.Labels = arg.Vals
		}
	}
	if text := strings.TrimSpace(d.Input); text != "" {
		require.NoError(t, json.Unmarshal([]byte(text), &ev.Args, json.WithUnmarshalers(exactNumbers)), d.Pos)
	}
	s.now = s.now.Add(time.Second)
	s.count++
	var id [16]byte
	binary.BigEndian.PutUint64(id[8:], s.count)
	ev.Now = s.now
	st, ok := s.states[key]
	if !ok {
		st = NewState()
		s.states[key] = st
	}
	set := s.set
	if d.HasArg("old") {
		set = s.old
	}
	m := set.Match(&ev)
	hits := append(m.Hits, set.Advance(st, &m, AdvanceInfo{ID: id, Shared: d.HasArg("shared"), Now: s.now, Pending: 10 * time.Second})...)
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].Order < hits[j].Order })
	var out strings.Builder
	denied := d.HasArg("denied")
	for _, h := range hits {
		fmt.Fprintf(&out, "%s: %s (%s)", h.Action, h.Rule, h.Category)
		if h.RetryAfter > 0 {
			fmt.Fprintf(&out, " retry after %s", h.RetryAfter)
		}
		if h.SharedKey {
			out.WriteString(" because the key is shared")
		}
		out.WriteByte('\n')
		denied = denied || h.Action == ActionBlock
	}
	for _, f := range m.Faults {
		fmt.Fprintf(&out, "rule error: %s (%s)\n", f.Rule, f.Code)
		denied = denied || f.Action != ActionShadow
	}
	switch {
	case openAs != "":
		s.open[openAs] = openExchange{id, st}
		out.WriteString("in flight")
	case denied:
		st.Settle(id, false, s.now)
		out.WriteString("denied")
	default:
		st.Settle(id, true, s.now)
		out.WriteString("allowed")
	}
	return out.String()
}
