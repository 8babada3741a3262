package rules

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// TestReport is the outcome of a pack's own tests.
type TestReport struct {
	Passed int
	Failed []TestFailure
	Err    error // the pack does not compile; no test ran
}

// OK reports that the pack compiled and every test passed.
func (r TestReport) OK() bool { return r.Err == nil && len(r.Failed) == 0 }

// TestFailure is one test that did not come out as written.
type TestFailure struct {
	Test string
	Pos  Position
	Msg  string
}

func (f TestFailure) String() string { return fmt.Sprintf("%s: test %q: %s", f.Pos, f.Test, f.Msg) }

// Test compiles the pack and runs its tests.
func (p *Pack) Test(opts ...Option) TestReport {
	set, err := p.Compile(opts...)
	if err != nil {
		return TestReport{Err: err}
	}
	return set.Test()
}

// Test runs the tests of the set's pack, each on fresh states. Every event that a block rule hits, that a rule fails on, or that
// the test marks as denied, is withdrawn; every other one is committed at once. Rules of files
// of another name take no part unless the test names them, so that a pack passes its tests beside any other.
func (s *Set) Test() TestReport {
	packs := make(map[string]string, len(s.rules))
	for _, r := range s.rules {
		packs[r.decl.name] = s.pack.names[r.decl.pos.File]
	}
	var report TestReport
	for _, t := range s.pack.tests {
		if failures := s.runTest(t, packs); len(failures) > 0 {
			report.Failed = append(report.Failed, failures...)
		} else {
			report.Passed++
		}
	}
	return report
}

// testEpoch is when every test begins. Its only property is that it is always the same.
var testEpoch = time.Date(2025, time.January, 6, 9, 0, 0, 0, time.UTC)

// runTest runs one test; packs names the pack that each rule is of.
func (s *Set) runTest(t *testDecl, packs map[string]string) []TestFailure {
	var failures []TestFailure
	fail := func(pos Position, format string, args ...any) {
		failures = append(failures, TestFailure{Test: t.name, Pos: pos, Msg: fmt.Sprintf(format, args...)})
	}
	if t.lists != nil {
		var err error
		if s, err = s.withLists(t.lists); err != nil {
			fail(t.pos, "with the test's lists the pack does not compile: %s", err)
			return failures
		}
	}
	named := map[string]bool{}
	for _, f := range t.allFires() {
		named[f.rule] = true
	}
	run := newReplay(s)
	own := s.pack.names[t.pos.File]
	run.absent = func(rule string) bool { return packs[rule] != own && !named[rule] }
	all := map[string]bool{}
	for _, c := range t.calls {
		var last []string
		for range c.repeat {
			out := run.step(c.event, c.key, c.after, c.shared, c.denied)
			for _, f := range out.faults {
				fail(c.pos, "rule %q cannot be evaluated (%s)", f.Rule, f.Code)
			}
			last = last[:0]
			for _, h := range out.hits {
				last = append(last, h.Rule)
				all[h.Rule] = true
			}
		}
		if c.checked {
			if msg := difference(c.fires, last); msg != "" {
				fail(c.pos, "at this event %s", msg)
			}
		}
	}
	if t.whole {
		var names []string
		for name := range all {
			names = append(names, name)
		}
		if msg := difference(t.fires, names); msg != "" {
			fail(t.pos, "%s", msg)
		}
	}
	return failures
}

// difference says how the rules that fired differ from those expected; "" when they do not.
func difference(want []firing, got []string) string {
	expected := map[string]bool{}
	for _, f := range want {
		expected[f.rule] = true
	}
	var missing, extra []string
	for _, name := range got {
		if !expected[name] {
			extra = append(extra, name)
		}
		delete(expected, name)
	}
	for name := range expected {
		missing = append(missing, name)
	}
	var parts []string
	if len(missing) > 0 {
		sort.Strings(missing)
		parts = append(parts, "did not fire: "+strings.Join(missing, ", "))
	}
	if len(extra) > 0 {
		sort.Strings(extra)
		parts = append(parts, "fired: "+strings.Join(extra, ", "))
	}
	return strings.Join(parts, "; ")
}

// replay feeds events to a set one after the other, each settled before the next.
type replay struct {
	set    *Set
	states map[string]*State
	now    time.Time
	count  uint64
	absent func(rule string) bool // rules that take no part; nil for none
}

func newReplay(s *Set) *replay {
	return &replay{set: s, states: map[string]*State{}, now: testEpoch}
}

type replayed struct {
	matched Matched
	hits    []Hit // in pack order
	faults  []Fault
	denied  bool
}

func (r *replay) state(key string) *State {
	st, ok := r.states[key]
	if !ok {
		st = NewState()
		r.states[key] = st
	}
	return st
}

func (r *replay) step(ev Event, key string, after time.Duration, shared, denied bool) replayed {
	r.now = r.now.Add(after)
	r.count++
	var id [16]byte
	binary.BigEndian.PutUint64(id[8:], r.count)
	ev.Now = r.now
	out := replayed{matched: r.set.Match(&ev), denied: denied}
	st := r.state(key)
	out.hits = append(append(out.hits, out.matched.Hits...), r.set.Advance(st, &out.matched, AdvanceInfo{ID: id, Shared: shared, Now: r.now})...)
	sort.SliceStable(out.hits, func(i, j int) bool { return out.hits[i].Order < out.hits[j].Order })
	out.faults = out.matched.Faults
	if r.absent != nil {
		out.hits = slices.DeleteFunc(out.hits, func(h Hit) bool { return r.absent(h.Rule) })
		out.faults = slices.DeleteFunc(out.faults, func(f Fault) bool { return r.absent(f.Rule) })
	}
	for _, h := range out.hits {
		out.denied = out.denied || h.Action == ActionBlock
	}
	for _, f := range out.faults {
		out.denied = out.denied || f.Action != ActionShadow
	}
	st.Settle(id, !out.denied, r.now)
	return out
}
