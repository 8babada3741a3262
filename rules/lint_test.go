package rules

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every message of lint with its place.
func TestLint(t *testing.T) {
	flow := func(steps string) string {
		return pack("  - name: a\n    flow:\n      within: 1m\n      steps:\n" + steps)
	}
	for _, tc := range []struct {
		name, in string
		want     []string
	}{
		{"nothing to say", pack("  - {name: a, call: {tool: x}}\n"), nil},
		{"does not compile", pack("  - {name: a, call: {when: foo}}\n"), []string{
			`p.yaml:3:28: error: undeclared reference to 'foo' (invalid)`}},
		{"duplicate", pack("  - {name: a, call: {tool: x}}\n  - {name: b, action: review, call: {tool: x}}\n  - {name: c, call: {tool: y}}\n"), []string{
			`p.yaml:4:12: warning: rule "b" does what "a" at p.yaml:3:12 does (duplicate)`,
			`p.yaml:4:38: warning: rule "b" has no effect: rule "a" denies every such call (shadowed)`}},
		{"always false", pack("  - {name: a, call: {tool: x, when: false}}\n"), []string{
			`p.yaml:3:37: warning: rule "a" can never fire: its predicate is always false (unreachable)`}},
		{"always true", pack("  - {name: a, call: {tool: x, when: true}}\n"), []string{
			`p.yaml:3:37: warning: when is always true; leave it out (unreachable)`}},
		{"amount of nothing", pack("  - name: a\n    budget: {tool: x, amount: 0, max: 1, within: 1m}\n"), []string{
			`p.yaml:4:31: warning: rule "a" can never fire: its amount is always 0 (unreachable)`}},
		{"guard in front", flow("        - unless: {tool: g}\n        - call: {tool: x}\n        - call: {tool: y}\n"), []string{
			`p.yaml:7:11: warning: the guard stands before the first step, where there is nothing to void (idle-guard)`}},
		{"guard behind", flow("        - call: {tool: x}\n        - call: {tool: y}\n        - unless: {tool: g}\n"), []string{
			`p.yaml:9:11: warning: the guard stands behind the last step, when the rule has fired already (idle-guard)`}},
		{"guard like its step", flow("        - call: {tool: x}\n        - unless: {tool: x}\n        - call: {tool: y}\n"), []string{
			`p.yaml:8:11: warning: the guard matches the step before it, which begins anew each time (idle-guard)`}},
		{"guard that is false", flow("        - call: {tool: x}\n        - unless: {tool: g, when: false}\n        - call: {tool: y}\n"), []string{
			`p.yaml:8:35: warning: the guard's predicate is always false (idle-guard)`}},
		{"guard that is denied", flow("        - call: {tool: x}\n        - unless: {tool: g}\n        - call: {tool: y}\n") + "  - {name: b, call: {tool: [g, h]}}\n", []string{
			`p.yaml:8:11: warning: the guard can never be allowed: rule "b" denies every such call (idle-guard)`}},
		{"shadowed step", flow("        - call: {tool: x1}\n        - call: {tool: y}\n") + "  - {name: b, call: {tool: 'x*'}}\n", []string{
			`p.yaml:7:11: warning: rule "a" has no effect: rule "b" denies every such call (shadowed)`}},
		{"not shadowed: the block has a condition", flow("        - call: {tool: x1}\n        - call: {tool: y}\n") + "  - {name: b, call: {tool: 'x*', principal: p}}\n", nil},
		{"not shadowed: another service", flow("        - call: {tool: x1}\n        - call: {tool: y}\n") + "  - {name: b, call: {tool: 'x*', service: s}}\n", nil},
		{"not shadowed: wider", flow("        - call: {tool: 'x?'}\n        - call: {tool: y}\n") + "  - {name: b, call: {tool: x1}}\n", nil},
		{"not shadowed: another method", pack("  - {name: a, action: review, call: {method: prompts/get}}\n  - {name: b, call: {tool: '*'}}\n"), nil},
		{"absent path", pack("  - {name: a, call: {tool: x, when: args.file.path == '/' && args.file.path != tool}}\n"), []string{
			`p.yaml:3:46: warning: the predicate is false when args.file.path is absent; if that matters, test has(args.file.path) or read it with .? (absent-path)`}},
		{"path that is tested", pack("  - {name: a, call: {tool: x, when: '!has(args.kind) || args.kind == tool || args.?q.orValue(tool) == meta.?a.orValue(tool)'}}\n"), nil},
		{"absent amount", pack("  - name: a\n    budget: {tool: x, amount: double(args.size), max: 1, within: 1m}\n"), []string{
			`p.yaml:4:42: warning: a call without args.size adds nothing to the budget (absent-path)`}},
		{"unknown label", flow("        - result: {labels: [injection, policy, 'hidden*', poison]}\n        - call: {tool: y}\n"), []string{
			`p.yaml:7:59: warning: no result carries a label like "poison"; known are injection, prompt_injection, hidden_text, secret, personal_data, exfiltration, policy (unknown-label)`}},
		{"unused list", "version: 1\nlists:\n  l: [x]\n  m: [x]\nrules:\n  - {name: a, call: {when: tool in lists.m}}\n", []string{
			`p.yaml:3:3: warning: no predicate reads list "l" (unused-list)`}},
		{"untested", pack("  - {name: a, call: {tool: x}}\n  - {name: b, call: {tool: y}}\n") + "tests:\n  - name: t\n    calls: [{tool: x}]\n    fires: [a]\n", []string{
			`p.yaml:4:12: warning: no test makes rule "b" fire (untested)`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(tc.in))
			require.NoError(t, err)
			var got []string
			for _, problem := range p.Lint() {
				got = append(got, problem.String())
			}
			require.Equal(t, tc.want, got)
		})
	}
}

func TestLintFile(t *testing.T) {
	_, err := Lint(filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)

	path := filepath.Join(t.TempDir(), "p.yaml")
	require.NoError(t, os.WriteFile(path, []byte("version: 1\nrulez: []\nfoo: 1\n"), 0o600))
	found, err := Lint(path)
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.True(t, found[0].Fatal())
	require.Equal(t, Position{path, 2, 1}, found[0].Pos)
	require.Equal(t, Position{path, 3, 1}, found[1].Pos)

	found, err = Lint("")
	require.NoError(t, err)
	require.Empty(t, found, "the default pack")
}
