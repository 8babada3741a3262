package rules

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func matchWhen(t *testing.T, expr string, ev Event, opts ...Option) (hit bool, fault FaultCode) {
	t.Helper()
	p, err := Parse("p.yaml", []byte("version: 1\nlists: {inside: [corp.example, \"*.corp.example\"]}\nrules:\n  - name: r\n    call:\n      method: '*'\n      when: |\n        "+expr+"\n"))
	require.NoError(t, err)
	s, err := p.Compile(opts...)
	require.NoError(t, err)
	m := s.Match(&ev)
	if len(m.Faults) > 0 {
		require.Equal(t, "r", m.Faults[0].Rule)
		require.Empty(t, m.Hits)
		return false, m.Faults[0].Code
	}
	return len(m.Hits) > 0, ""
}

func TestPredicates(t *testing.T) {
	ev := Event{
		Tool: "t", Service: "s", Method: "m", Route: "r", Principal: "p", Now: testEpoch,
		Args: map[string]any{
			"to": []any{"Bob <bob@evil.example>"}, "cc": "x@corp.example", "n": int64(3), "f": 2.5, "s": "text", "nothing": nil, "t": true,
			"url": "https://corp.example@evil.example/", "deep": map[string]any{"list": []any{int64(1), "two"}},
		},
		Meta:    map[string]any{"tenant": "blue", "nested": map[string]any{"a": "b"}},
		Headers: map[string][]string{"x-team": {"red", "green"}},
	}
	for _, tc := range []struct {
		expr  string
		hit   bool
		fault FaultCode
	}{
		{`tool == "t" && service == "s" && method == "m" && route == "r" && principal == "p"`, true, ""},
		{`meta.tenant == "blue" && meta.nested.a == "b"`, true, ""},
		{`"green" in headers["x-team"]`, true, ""},
		{`"green" in headers["x-absent"]`, false, ""},
		{`now.getFullYear() == 2025`, true, ""},
		{`recipients(args).exists(r, !in_domains(r, lists.inside))`, true, ""},
		{`recipients(args.cc).exists(r, !in_domains(r, lists.inside))`, false, ""},
		{`recipients([args.?to, args.?cc, args.?bcc]).size() == 2`, true, ""},
		{`recipients([args.cc, "y@corp.example"]).all(r, in_domains(r, lists["inside"]))`, true, ""},
		{`recipients({"a": args.cc, "b": [args.to]}).size() == 2`, true, ""},
		{`urls(args).exists(u, host(u) == "evil.example")`, true, ""},
		{`is_private("10.1.2.3") && !is_private("10.evil.example")`, true, ""},
		{`norm("S\u200be\uff23ret") == "secret"`, true, ""},
		{`texts(args.deep) == ["list", "two"]`, true, ""},
		{`in_domains("x@corp.example", ["corp.example"])`, true, ""},
		{`args.n == 3 && args.n == 3.0 && args.n < 3.5 && args.f > 2`, true, ""},
		{`args.missing == 1`, false, ""},
		{`!(args.missing == 1)`, false, ""},
		{`args.missing == 1 || args.n == 3`, true, ""},
		{`has(args.missing) || has(args.deep.list)`, true, ""},
		{`args.deep.list[5] == 1`, false, ""},
		{`args.?missing.value() == 1`, false, ""},
		{`args.nothing == null`, true, ""},
		{`args.nothing.x == 1`, false, ""},
		{`args.s.startsWith("te")`, true, ""},
		{`args.n.startsWith("te")`, false, FaultType},
		{`args.s + 1 == 2`, false, FaultType},
		{`args.n / 0 == 1`, false, FaultType},
		{`int(args.s) == 1`, false, FaultType},
		{`args.n + 9223372036854775807 > 0`, false, FaultType},
		{`args.s`, false, FaultType},
		{`is_private(args.n)`, false, FaultType},
		{`host(args.n) == ""`, false, FaultType},
		{`in_domains(args.n, lists.inside)`, false, FaultType},
		{`in_domains("x", args.deep.list)`, false, FaultType},
		{`[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, texts(args).all(c, texts(args).size() > 0)))`, true, ""},
	} {
		t.Run(tc.expr, func(t *testing.T) {
			hit, fault := matchWhen(t, tc.expr, ev)
			require.Equal(t, tc.fault, fault)
			require.Equal(t, tc.hit, hit)
		})
	}
}

// What a caller sends decides how long a predicate has to look; past the cost limit it is a rule error.
func TestCostLimit(t *testing.T) {
	many := make([]any, 20_000)
	for i := range many {
		many[i] = strings.Repeat("x", 100)
	}
	for _, expr := range []string{
		`texts(args).exists(a, texts(args).exists(b, a == b + "y"))`,
		`texts(args).exists(a, texts(args).size() == 0)`,
		`texts(args).all(a, texts(args).all(b, a.size() > 0))`,
	} {
		hit, fault := matchWhen(t, expr, Event{Args: map[string]any{"m": many}})
		require.False(t, hit)
		require.Equal(t, FaultCost, fault, expr)
	}
	// One look at eight mebibytes is affordable.
	hit, fault := matchWhen(t, `texts(args).exists(a, a.contains("needle"))`, Event{Args: map[string]any{"m": strings.Repeat("hay ", 2<<20) + "needle"}})
	require.Empty(t, fault)
	require.True(t, hit)
}

func TestFaultsOfShadowRulesAreMarked(t *testing.T) {
	s := compileText(t, "rules:\n  - name: r\n    action: shadow\n    flow: {within: 1m, steps: [call: {tool: a}, call: {tool: a, when: 'args.n.startsWith(\"x\")'}]}\n")
	m := s.Match(&Event{Tool: "a", Method: MethodToolsCall, Args: map[string]any{"n": int64(1)}, Now: testEpoch})
	require.Equal(t, []Fault{{Rule: "r", Kind: KindFlow, Action: ActionShadow, Step: 1, Code: FaultType}}, m.Faults)
	require.Len(t, m.Steps, 1, "the step that could be evaluated still counts")
}

func TestInjectedHelpers(t *testing.T) {
	h := Helpers{
		Host:       func(string) string { return "injected" },
		Recipients: func(v any) []string { return []string{v.(string) + "!"} },
		Norm:       func(string) string { panic(errors.New("helper gone wrong")) },
	}
	hit, fault := matchWhen(t, `host("x") == "injected" && recipients("a") == ["a!"] && is_private("127.0.0.1")`, Event{}, WithHelpers(h))
	require.Empty(t, fault)
	require.True(t, hit, "what is not injected keeps its default")
	_, fault = matchWhen(t, `norm("x") == "x"`, Event{}, WithHelpers(h))
	require.Equal(t, FaultType, fault, "a panic in a helper is a rule error")
}

// Match is called from every RPC at once, with names that callers invent.
func TestMatchConcurrently(t *testing.T) {
	s := thousandRules(t)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 300 {
				ev := benchEvent(i + g)
				ev.Now = testEpoch
				if i%3 == 0 {
					ev.Tool = strings.Repeat("long", i) + ev.Tool
				}
				m := s.Match(&ev)
				if i%3 != 0 && len(m.Steps) != 12 {
					t.Errorf("%d steps for %s", len(m.Steps), ev.Tool)
				}
			}
		})
	}
	wg.Wait()
}

func TestDurationsForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", time.Second: "1s", 90 * time.Second: "1m30s", time.Minute: "1m", 10 * time.Minute: "10m", time.Hour: "1h", 36 * time.Hour: "36h", 90 * time.Minute: "1h30m", 20 * time.Second: "20s", 1500 * time.Millisecond: "1.5s"} {
		require.Equal(t, want, duration(d))
	}
}
