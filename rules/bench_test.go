package rules

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// thousandRules builds a pack of 1 000 rules in 50 families of 20: a call concerns exactly one family. Every kind of rule and of
// matcher is in it.
func thousandRules(tb testing.TB) *Set {
	tb.Helper()
	var b strings.Builder
	b.WriteString("version: 1\nlists:\n  inside: [corp.example, \"*.corp.example\"]\nrules:\n")
	for family := range 50 {
		tool := fmt.Sprintf("tool%d", family)
		for i := range 4 {
			fmt.Fprintf(&b, "  - name: call-%d-%d\n    call: {tool: %s, when: 'args.kind.lowerAscii() in [\"secret\", \"k%d\"]'}\n", family, i, tool, i)
			fmt.Fprintf(&b, "  - name: flow-%d-%d\n    flow:\n      within: 30m\n      steps:\n        - call: {tool: \"%s*\", when: args.path.startsWith(\"/etc/%d\")}\n        - unless: {tool: approve}\n        - call: {tool: '/^send%d$/', when: \"recipients(args).exists(r, !in_domains(r, lists.inside))\"}\n", family, i, tool+"_", i, family)
			fmt.Fprintf(&b, "  - name: loop-%d-%d\n    loop: {tool: \"t?ol%d\", threshold: %d, within: 10m}\n", family, i, family, 40+i)
			fmt.Fprintf(&b, "  - name: rate-%d-%d\n    rate: {tool: %s, max: %d, within: 1s}\n", family, i, tool, 60+i)
			fmt.Fprintf(&b, "  - name: budget-%d-%d\n    budget: {tool: %s, amount: double(args.size), max: 1000000000000, within: %dm}\n", family, i, tool, i+1)
		}
	}
	p, err := Parse("thousand.yaml", []byte(b.String()))
	require.NoError(tb, err)
	s, err := p.Compile()
	require.NoError(tb, err)
	require.Len(tb, s.rules, 1000)
	return s
}

func benchEvent(i int) Event {
	return Event{
		Service: "svc", Tool: fmt.Sprintf("tool%d", i%50), Method: MethodToolsCall,
		Args: map[string]any{"kind": "Pod", "path": "/srv/data/report.txt", "size": int64(100), "id": int64(i)},
	}
}

// BenchmarkCall is one call of 1 000 rules of which 16 to 20 concern it, over 65 536 keys: match, advance, settle.
func BenchmarkCall(b *testing.B) {
	s := thousandRules(b)
	const keys = 65_536
	states := make([]*State, keys)
	for i := range states {
		states[i] = NewState()
	}
	events := make([]Event, 50)
	for i := range events {
		events[i] = benchEvent(i)
	}
	now := testEpoch
	b.ReportAllocs()
	b.ResetTimer()
	i := 0
	for b.Loop() {
		ev := &events[i%50]
		now = now.Add(100 * time.Microsecond)
		ev.Now = now
		var id [16]byte
		binary.LittleEndian.PutUint64(id[:], uint64(i))
		st := states[(i*7919)%keys]
		m := s.Match(ev)
		s.Advance(st, &m, AdvanceInfo{ID: id, Now: now, Pending: 2 * time.Second})
		st.Settle(id, true, now)
		i++
	}
	total := 0
	for _, st := range states {
		total += st.Size()
	}
	b.ReportMetric(float64(total)/keys, "bytes/key")
}

func BenchmarkMatch(b *testing.B) {
	s := thousandRules(b)
	ev := benchEvent(7)
	ev.Now = testEpoch
	b.ReportAllocs()
	for b.Loop() {
		if m := s.Match(&ev); len(m.Hits)+len(m.Faults)+len(m.Steps) == 0 {
			b.Fatal("the event concerns rules")
		}
	}
}

// BenchmarkUnknownTool is what a client pays that invents a new tool name for every call.
func BenchmarkUnknownTool(b *testing.B) {
	s := thousandRules(b)
	i := 0
	for b.Loop() {
		ev := Event{Tool: fmt.Sprintf("invented%d", i), Method: MethodToolsCall, Now: testEpoch}
		s.Match(&ev)
		i++
	}
}

// BenchmarkReload is parse and compile of 1 000 rules.
func BenchmarkReload(b *testing.B) {
	for b.Loop() {
		thousandRules(b)
	}
}

// office is a working day of one agent in small: 120 calls over 14 tools, and what the response gate found.
func office(i int) Event {
	tools := []string{"inbox_read", "read_file", "list_directory", "web_fetch", "email_send", "postgres_query", "calendar_list", "k8s_get", "run_shell", "fs_read", "search", "get_weather", "vault_read", "git_log"}
	ev := Event{Service: "office", Tool: tools[(i*i+i/3)%len(tools)], Method: MethodToolsCall, Principal: "alice"}
	if i%40 == 39 {
		ev.Result, ev.Labels = true, []string{"injection"}
		return ev
	}
	ev.Args = map[string]any{
		"path": fmt.Sprintf("/srv/project/src/file%d.go", i), "query": "select name from customers where id = 7", "size": int64(1000),
		"to": []any{"x@corp.local", "Team <team@corp.local>"}, "url": "https://api.corp.local/v1/items?page=3",
		"body": strings.Repeat("A few sentences of a perfectly ordinary message. ", 10),
	}
	return ev
}

// BenchmarkDefaultPack is one call of an office agent, a call every three seconds, and the size its key settles at.
func BenchmarkDefaultPack(b *testing.B) {
	p, err := Default()
	require.NoError(b, err)
	s, err := p.Compile()
	require.NoError(b, err)
	st := NewState()
	now, bytes, i := testEpoch, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(3 * time.Second)
		ev := office(i)
		ev.Now = now
		m := s.Match(&ev)
		id := exchangeID(i)
		hits := s.Advance(st, &m, AdvanceInfo{ID: id, Now: now})
		worst, fired := Worst(hits)
		st.Settle(id, !fired || worst.Action != ActionBlock, now)
		bytes = max(bytes, st.Size())
		i++
	}
	b.ReportMetric(float64(bytes), "bytes/key")
}

// distinctRules is a pack of 1 000 rules of which no two share a predicate; changed of them are not those of the pack with 0.
func distinctRules(tb testing.TB, changed int) *Pack {
	tb.Helper()
	var b strings.Builder
	b.WriteString("version: 1\nlists:\n  inside: [corp.example, \"*.corp.example\"]\nrules:\n")
	for i := range 1000 {
		edition := 0
		if i < changed {
			edition = changed
		}
		fmt.Fprintf(&b, "  - name: rule-%d\n    flow:\n      within: 30m\n      steps:\n        - call: {tool: read_%d, when: 'args.path.startsWith(\"/srv/%d/%d\")'}\n", i, i, i, edition)
		fmt.Fprintf(&b, "        - call: {tool: '/(?i)send.*%d/', when: 'recipients(args.to).exists(r, !in_domains(r, lists.inside)) || args.size > %d.0'}\n", i, i)
	}
	p, err := Parse("distinct.yaml", []byte(b.String()))
	require.NoError(tb, err)
	return p
}

// BenchmarkCompile is the type check of 1 000 rules with two predicates each, and of the same pack when ten of its rules have changed.
func BenchmarkCompile(b *testing.B) {
	pack, edited := distinctRules(b, 0), distinctRules(b, 10)
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			_, err := pack.Compile()
			require.NoError(b, err)
		}
	})
	b.Run("ten changed", func(b *testing.B) {
		prior, err := pack.Compile()
		require.NoError(b, err)
		for b.Loop() {
			_, err := edited.Compile(Reusing(prior))
			require.NoError(b, err)
		}
	})
}
