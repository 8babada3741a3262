package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Exchanges that nobody settles, all at one moment, cost no more memory than a rule may take: time does not have to pass
// for the oldest to be given up.
func TestBurstInFlightIsBounded(t *testing.T) {
	for name, rule := range map[string]string{
		"flow":   "flow: {within: 1h, steps: [call: {tool: '*'}, unless: {tool: 'g*'}, call: {tool: 't*'}, call: {tool: never}]}",
		"budget": "budget: {amount: double(args.n), max: 1e9, within: 1h}",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(compileText(t, "rules:\n  - name: r\n    "+rule+"\n"))
			for i := range 5000 {
				d.open(fmt.Sprint(string("tgx"[i%3]), i), map[string]any{"n": int64(1)})
			}
			require.LessOrEqual(t, d.state.Size(), 8<<10)
		})
	}
}

// The oldest of too many exchanges in flight counts as having happened, and its late withdrawal changes nothing.
func TestOldestInFlightHasHappened(t *testing.T) {
	d := newDriver(compileText(t, "rules:\n  - name: r\n    flow: {within: 1h, steps: [call: {tool: a}, call: {tool: b}]}\n"))
	var open [][16]byte
	for range maxUnsettled + 1 {
		id, _ := d.open("a", nil)
		open = append(open, id)
	}
	for _, id := range open {
		d.state.Settle(id, false, d.now)
	}
	require.Len(t, d.call("b", nil), 1, "the first one had been given up")

	d = newDriver(d.set)
	for _, id := range open[1:] {
		m := d.set.Match(&Event{Tool: "a", Method: MethodToolsCall, Now: d.now})
		d.set.Advance(d.state, &m, AdvanceInfo{ID: id, Now: d.now})
	}
	for _, id := range open[1:] {
		d.state.Settle(id, false, d.now)
	}
	require.Empty(t, d.call("b", nil), "as many as are kept are all withdrawn")
}

// An exchange is open until its time is up and no longer: at that moment its steps have happened.
func TestSettledByTime(t *testing.T) {
	for after, fires := range map[time.Duration]int{10*time.Second - time.Millisecond: 0, 10 * time.Second: 1, time.Minute: 1} {
		d := newDriver(compileText(t, "rules:\n  - name: r\n    flow: {within: 1h, steps: [call: {tool: a}, call: {tool: b}]}\n"))
		id, _ := d.open("a", nil)
		d.now = d.now.Add(after)
		d.state.Settle(id, false, d.now)
		require.Len(t, d.call("b", nil), fires, "withdrawn %v after it began", after)
	}
}

// A loop that remembers no more calls forgets the one that is oldest among those made least often.
func TestLoopForgetsTheOldest(t *testing.T) {
	d := newDriver(compileText(t, "rules:\n  - name: r\n    loop: {threshold: 3, within: 1h}\n"))
	call := func(n int) []Hit {
		d.now = d.now.Add(time.Millisecond)
		return d.call("t", map[string]any{"n": int64(n)})
	}
	require.Empty(t, call(-1))
	require.Empty(t, call(-1)) // made twice: never the one to go
	for n := range 2 * maxLoopCalls {
		require.Empty(t, call(n))
	}
	require.Empty(t, call(2*maxLoopCalls-1))
	require.Len(t, call(2*maxLoopCalls-1), 1, "the newest one is remembered")
	require.Len(t, call(-1), 1, "and the one that was made twice")
	require.Empty(t, call(0))
	require.Empty(t, call(0), "the oldest one was forgotten")
}

// Every matcher of a step is asked, and a call that differs in one of them alone is another one.
func TestEveryMatcherCounts(t *testing.T) {
	s := compileText(t, `rules:
  - name: r
    call: {tool: "get*", service: k8s, method: tools/call, route: "admin*", principal: "svc-*"}
`)
	right := Event{Tool: "get_secret", Service: "k8s", Method: MethodToolsCall, Route: "admin-1", Principal: "svc-a"}
	m := s.Match(&right)
	require.Len(t, m.Hits, 1)
	for name, change := range map[string]func(*Event){
		"tool":         func(e *Event) { e.Tool = "put" },
		"service":      func(e *Event) { e.Service = "other" },
		"method":       func(e *Event) { e.Method = "prompts/get" },
		"route":        func(e *Event) { e.Route = "public" },
		"no route":     func(e *Event) { e.Route = "" },
		"principal":    func(e *Event) { e.Principal = "kim" },
		"no principal": func(e *Event) { e.Principal = "" },
	} {
		e := right
		change(&e)
		m := s.Match(&e)
		require.Empty(t, m.Hits, name)
	}
}

// Service and tool are kept apart where tools are counted.
func TestRateTellsServicesApart(t *testing.T) {
	s, st := compileText(t, "rules:\n  - name: r\n    rate: {tool: '*', max: 1, within: 1h}\n"), NewState()
	call := func(service, tool string) []Hit {
		m := s.Match(&Event{Service: service, Tool: tool, Method: MethodToolsCall, Now: testEpoch})
		return s.Advance(st, &m, AdvanceInfo{Now: testEpoch})
	}
	require.Empty(t, call("a", "bc"))
	require.Empty(t, call("ab", "c"))
	require.Empty(t, call("abc", ""))
	require.Len(t, call("a", "bc"), 1)
	require.Len(t, call("ab", "c"), 1)
}

// Of a call whose service nobody named the stricter reading holds.
func TestACLOfAnUnknownService(t *testing.T) {
	for name, tc := range map[string]struct {
		allow, deny []string
		want        bool
	}{
		"denied on one service":     {nil, []string{"git/delete_*"}, false},
		"denied on another tool":    {nil, []string{"git/read_*"}, true},
		"denied on a service glob":  {nil, []string{"*-prod/*"}, false},
		"allowed on one service":    {[]string{"git/*"}, nil, false},
		"allowed on every service":  {[]string{"*/delete_repo"}, nil, true},
		"allowed without a service": {[]string{"delete_*"}, nil, true},
		"allowed here, denied on":   {[]string{"*"}, []string{"wiki/*"}, false},
	} {
		a, err := NewACL(tc.allow, tc.deny)
		require.NoError(t, err)
		require.Equal(t, tc.want, a.Allowed("", "delete_repo"), name)
	}
}
