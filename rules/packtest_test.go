package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pack test that is wrong says what fired instead, and where the test stands.
func TestPackTestFailures(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`version: 1
rules:
  - {name: a, call: {tool: x}}
  - {name: b, action: review, call: {tool: [x, y]}}
  - {name: c, call: {tool: z, when: args.n.startsWith("q")}}
tests:
  - name: right
    calls: [{tool: x}]
    fires: [b, a]
  - name: expects too much
    calls: [{tool: y}]
    fires: [a, b]
  - name: expects too little
    calls: [{tool: x}]
    fires: [a]
  - name: at one event
    calls:
      - {tool: w}
      - {tool: y, fires: a}
  - name: cannot be evaluated
    calls: [{tool: z, args: {n: 1}}]
    fires: []
`))
	require.NoError(t, err)
	r := p.Test()
	require.NoError(t, r.Err)
	require.False(t, r.OK())
	require.Equal(t, 1, r.Passed)
	var got []string
	for _, f := range r.Failed {
		got = append(got, f.String())
	}
	require.Equal(t, []string{
		`p.yaml:10:11: test "expects too much": did not fire: a`,
		`p.yaml:13:11: test "expects too little": fired: b`,
		`p.yaml:19:10: test "at one event": at this event did not fire: a; fired: b`,
		`p.yaml:21:14: test "cannot be evaluated": rule "c" cannot be evaluated (type)`,
	}, got)

	p, err = Parse("p.yaml", []byte(pack("  - {name: a, call: {when: nonsense}}\n")))
	require.NoError(t, err)
	require.ErrorContains(t, p.Test().Err, "undeclared reference")
	require.False(t, p.Test().OK())
}

// Each key of a test is a caller of its own.
func TestPackTestKeys(t *testing.T) {
	p, err := Parse("p.yaml", []byte(pack(`  - name: r
    flow: {within: 1m, steps: [call: {tool: a}, call: {tool: b}]}
tests:
  - name: two callers
    calls:
      - {tool: a, key: alice}
      - {tool: b, key: bob, fires: []}
      - {tool: b, key: alice, fires: r}
      - {tool: b, key: alice, after: 1m, fires: []}
      - {tool: a, key: alice, meta: {x: 1}, headers: {X-Team: red}, route: r, principal: p, service: s, method: tools/call}
`)))
	require.NoError(t, err)
	require.Empty(t, p.Test().Failed)
}

// A test may put other lists in the place of the pack's.
func TestPackTestReplacesLists(t *testing.T) {
	const head = `version: 1
lists: {inside: []}
rules:
  - {name: out, call: {tool: send, when: "recipients(args).exists(r, !in_domains(r, lists.inside))"}}
tests:
`
	p, err := Parse("p.yaml", []byte(head+`  - name: as it comes
    calls: [{tool: send, args: {to: a@corp.example}}]
    fires: out
  - name: edited
    lists: {inside: [corp.example]}
    calls: [{tool: send, args: {to: a@corp.example}, fires: []}, {tool: send, args: {to: a@evil.example}, fires: out}]
  - name: a mistaken one
    lists: {inside: corp.example}
    calls: [{tool: send, args: {to: a@corp.example}}]
    fires: out
`))
	require.NoError(t, err)
	r := p.Test()
	require.Equal(t, 2, r.Passed)
	require.Len(t, r.Failed, 1)
	require.Equal(t, "a mistaken one", r.Failed[0].Test)

	_, err = Parse("p.yaml", []byte(head+"  - name: x\n    lists: {insode: []}\n    calls: [{tool: send}]\n    fires: []\n"))
	require.EqualError(t, err, `p.yaml:7:13: a test replaces list "insode", which the pack does not have`)
	_, err = Parse("p.yaml", []byte(head+"  - name: x\n    lists: []\n    calls: [{tool: send}]\n    fires: []\n"))
	require.ErrorContains(t, err, "p.yaml:7:12: lists must be a mapping")

	many := head
	for i := range maxTestVariants + 1 {
		many += fmt.Sprintf("  - {name: x%d, lists: {inside: []}, calls: [{tool: send}], fires: []}\n", i)
	}
	_, err = Parse("p.yaml", []byte(many))
	require.ErrorContains(t, err, "p.yaml:56:25: more than 50 tests replace lists")
}

// Packs that pass their tests alone pass them side by side: a test is about the files of
// its own pack and what it names, whatever the rules of another pack do with its calls.
func TestPackTestsAreAboutTheirOwnPack(t *testing.T) {
	files := map[string]string{
		"a.yaml": `version: 1
rules:
  - {name: a, flow: {within: 1m, steps: [{call: {tool: x}}, {call: {tool: y}}]}}
  - {name: broken, call: {tool: x, when: args.n.startsWith("q")}}
tests:
  - name: x is not denied here
    calls: [{tool: x}, {tool: y}]
    fires: a
  - name: but elsewhere
    calls: [{tool: x, fires: b}, {tool: y, fires: []}]
`,
		"b.yaml": `version: 1
name: other
rules:
  - {name: b, call: {tool: x}}
tests:
  - name: the rule that cannot be evaluated is another pack's
    calls: [{tool: x, args: {n: 1}}]
    fires: b
`,
		"c.yaml": `version: 1
name: other
tests:
  - name: a file without rules tests those of its pack
    calls: [{tool: x}, {tool: y}]
    fires: []
`,
		"d.yaml": `version: 1
tests:
  - name: and one without a name those of files without a name
    calls: [{tool: x}, {tool: y}]
    fires: a
`,
	}
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	p, err := Load(dir)
	require.NoError(t, err)
	r := p.Test()
	require.NoError(t, r.Err)
	require.Equal(t, 4, r.Passed)
	require.Len(t, r.Failed, 1)
	require.Equal(t, filepath.Join(dir, "c.yaml")+`:4:11: test "a file without rules tests those of its pack": fired: b`, r.Failed[0].String())
	require.Equal(t, "other", p.Name())
}
