package rules

import (
	"encoding/json/v2"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pack wraps rules in the shortest valid pack; the first rule begins on line 3.
func pack(rules string) string { return "version: 1\nrules:\n" + rules }

// Every message with its place.
func TestParseErrors(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", `p.yaml:1:1: the file is empty; a pack begins with version: 1`},
		{"only a comment", "# hi\n", `p.yaml:1:1: the file is empty; a pack begins with version: 1`},
		{"not a mapping", "- a\n", `p.yaml:1:1: the pack must be a mapping, not a list`},
		{"a mark that editors put first", "\ufeffversion: 1\nrulez: []\n", `p.yaml:2:1: unknown field "rulez" in the pack; did you mean "rules"?`},
		{"no version", "name: x\n", `p.yaml:1:1: the pack has no version; write version: 1`},
		{"other version", "version: 2\n", `p.yaml:1:10: version must be 1`},
		{"unknown field", "version: 1\nrulez: []\n", `p.yaml:2:1: unknown field "rulez" in the pack; did you mean "rules"?`},
		{"unknown field far off", "version: 1\nfoo: 1\n", `p.yaml:2:1: unknown field "foo" in the pack; allowed are version, name, description, lists, rules, tests, detectors, allow`},
		{"bad UTF-8", "version: 1\nname: \xff\n", `p.yaml:2:7: not valid UTF-8`},
		{"control character", "version: 1\nname: \x01\n", `p.yaml:2:7: control character U+0001`},
		{"two documents", "version: 1\n---\nversion: 1\n", `p.yaml:3:8: a second YAML document; a pack file holds one`},
		{"duplicate key", "version: 1\nversion: 1\n", `p.yaml:2:1: mapping key "version" already defined at [1:1]`},
		{"tag", "version: 1\nname: !x y\n", `p.yaml:2:7: YAML tags are not allowed; quote a value that begins with an exclamation mark`},
		{"merge key", "version: 1\nlists: {<<: {a: []}}\n", `p.yaml:2:9: merge keys are not allowed in a pack`},
		{"unknown alias", "version: 1\nname: *x\n", `p.yaml:2:7: unknown alias "x"`},
		{"alias of itself", "version: 1\nlists: &l {a: *l}\n", `p.yaml:2:15: unknown alias "l"`},
		{"not finite", "version: 1\nname: .inf\n", `p.yaml:2:7: not a finite number`},
		{"rules not a list", "version: 1\nrules: {}\n", `p.yaml:2:8: rules must be a list, not a mapping`},
		{"rule not a mapping", pack("  - x\n"), `p.yaml:3:5: a rule must be a mapping, not a string`},
		{"no name", pack("  - call: {tool: a}\n"), `p.yaml:3:5: the rule has no name`},
		{"odd name", pack("  - name: a b\n    call: {tool: a}\n"), `p.yaml:3:11: a rule's name "a b": use letters, digits, dots, dashes and underscores`},
		{"empty name", pack("  - name: ''\n    call: {tool: a}\n"), `p.yaml:3:11: a rule's name is empty`},
		{"no kind", pack("  - name: a\n"), `p.yaml:3:5: the rule says nothing to match: give it one of call, flow, loop, rate or budget`},
		{"two kinds", pack("  - name: a\n    call: {tool: a}\n    rate: {max: 1, within: 1s}\n"), `p.yaml:5:5: a rule is one of call, flow, loop, rate and budget; this one is already a call`},
		{"same name twice", pack("  - name: a\n    call: {tool: a}\n  - name: a\n    call: {tool: b}\n"), `p.yaml:5:11: rule "a" is already defined at p.yaml:3:11`},
		{"unknown rule field", pack("  - name: a\n    cal: {tool: a}\n"), "p.yaml:3:5: the rule says nothing to match: give it one of call, flow, loop, rate or budget\np.yaml:4:5: unknown field \"cal\" in a rule; did you mean \"call\"?"},
		{"action", pack("  - name: a\n    action: deny\n    call: {tool: a}\n"), `p.yaml:4:13: action must be block, review or shadow, not "deny"`},
		{"scope", pack("  - name: a\n    scope: all\n    call: {tool: a}\n"), `p.yaml:4:12: scope must be key or any, not "all"`},
		{"tool is a number", pack("  - name: a\n    call: {tool: 7}\n"), `p.yaml:4:18: tool must be a string or a list of strings, not an integer; quote it`},
		{"empty list", pack("  - name: a\n    call: {tool: []}\n"), `p.yaml:4:18: tool is an empty list, which matches nothing`},
		{"regexp", pack("  - name: a\n    call: {tool: '/a(/'}\n"), "p.yaml:4:18: tool: regular expression: missing closing ): `a(`"},
		{"empty regexp", pack("  - name: a\n    call: {tool: '//'}\n"), `p.yaml:4:18: tool: empty regular expression; write "*" to match everything`},
		{"regexp that repeats", pack("  - name: a\n    call: {tool: '/a{101}/'}\n"), `p.yaml:4:18: tool: regular expression repeats 101 times; at most 100 are allowed`},
		{"regexp that explodes", pack("  - name: a\n    call: {tool: '/((a{50}){50}){50}/'}\n"), "p.yaml:4:18: tool: regular expression: invalid repeat count: `{50}`"},
		{"regexp that is large", pack("  - name: a\n    call: {tool: '/" + strings.Repeat("a{100}", 100) + "/'}\n"), `p.yaml:4:18: tool: regular expression compiles to 10002 instructions; at most 4096 are allowed`},
		{"pattern in a list", pack("  - name: a\n    call:\n      tool: [a, '/[/']\n"), "p.yaml:5:17: tool: regular expression: missing closing ]: `[`"},
		{"when is a list", pack("  - name: a\n    call: {when: [a]}\n"), `p.yaml:4:18: when must be an expression, not a list`},
		{"when is empty", pack("  - name: a\n    call: {when: ' '}\n"), `p.yaml:4:18: when is empty`},
		{"labels in a call", pack("  - name: a\n    call: {labels: [x]}\n"), `p.yaml:4:12: unknown field "labels" in call; allowed are service, tool, method, route, principal, when`},
		{"flow without a bound", pack("  - name: a\n    flow:\n      steps:\n        - call: {tool: a}\n"), `p.yaml:5:7: flow has no within`},
		{"flow without steps", pack("  - name: a\n    flow: {within: 1m}\n"), `p.yaml:4:12: flow has no steps`},
		{"flow with no step", pack("  - name: a\n    flow: {within: 1m, steps: []}\n"), `p.yaml:4:31: a flow needs at least one step`},
		{"flow of guards", pack("  - name: a\n    flow: {within: 1m, steps: [unless: {tool: a}]}\n"), `p.yaml:4:31: a flow of guards alone can never fire; add a call or a result`},
		{"step with two keys", pack("  - name: a\n    flow:\n      within: 1m\n      steps:\n        - call: {tool: a}\n          unless: {tool: b}\n"), `p.yaml:7:11: a step is one of call, result or unless, such as - call: {tool: name}`},
		{"unknown step", pack("  - name: a\n    flow:\n      within: 1m\n      steps:\n        - cal: {tool: a}\n"), `p.yaml:7:11: unknown field "cal" in a step; did you mean "call"?`},
		{"too many steps", pack("  - name: a\n    flow:\n      within: 1m\n      steps:\n" + strings.Repeat("        - call: {tool: a}\n", 17)), `p.yaml:7:9: a flow with 17 calls and results; at most 16 are allowed`},
		{"within too short", pack("  - name: a\n    rate: {max: 1, within: 1ms}\n"), `p.yaml:4:28: within must be from 1s to 168h`},
		{"within too long", pack("  - name: a\n    rate: {max: 1, within: 8d}\n"), `p.yaml:4:28: within must be from 1s to 168h`},
		{"within is a number", pack("  - name: a\n    rate: {max: 1, within: 60}\n"), `p.yaml:4:28: within must be a duration such as 30s, 10m or 2h, not an integer`},
		{"within is a word", pack("  - name: a\n    rate: {max: 1, within: soon}\n"), `p.yaml:4:28: within "soon" is not a duration such as 30s, 10m or 2h`},
		{"rate without max", pack("  - name: a\n    rate: {within: 60s}\n"), `p.yaml:4:12: rate has no max`},
		{"rate max", pack("  - name: a\n    rate: {max: 0, within: 60s}\n"), `p.yaml:4:17: max must be from 1 to 1000000`},
		{"rate per", pack("  - name: a\n    rate: {max: 1, within: 60s, per: key}\n"), `p.yaml:4:38: per must be tool or rule, not "key"`},
		{"loop without a bound", pack("  - name: a\n    loop: {threshold: 3}\n"), `p.yaml:4:12: loop has no within`},
		{"loop threshold", pack("  - name: a\n    loop: {threshold: 1, within: 60s}\n"), `p.yaml:4:23: threshold must be from 2 to 50`},
		{"loop threshold fraction", pack("  - name: a\n    loop: {threshold: 2.5, within: 60s}\n"), `p.yaml:4:23: threshold must be an integer, not a number`},
		{"budget without amount", pack("  - name: a\n    budget: {max: 1, within: 60s}\n"), `p.yaml:4:14: budget has no amount`},
		{"budget max", pack("  - name: a\n    budget: {amount: '1', max: -1, within: 60s}\n"), `p.yaml:4:32: max must be from 0 to 1000000000000000`},
		{"list twice", "version: 1\nlists:\n  a: [x]\n  b: 7\n", `p.yaml:4:6: list b must be a string or a list of strings, not an integer; quote it`},
		{"test of an unknown rule", "version: 1\ntests:\n  - name: t\n    calls: [{tool: a}]\n    fires: [r]\n", `p.yaml:5:13: test "t" expects rule "r", which the pack does not have`},
		{"test without calls", "version: 1\ntests:\n  - name: t\n    fires: []\n", `p.yaml:3:5: the test has no calls`},
		{"test that checks nothing", "version: 1\ntests:\n  - name: t\n    calls: [{tool: a}]\n", `p.yaml:3:5: the test checks nothing; add fires`},
		{"unknown field of a call", "version: 1\ntests:\n  - name: t\n    calls: [{tol: a}]\n    fires: []\n", `p.yaml:4:14: unknown field "tol" in a test's call; did you mean "tool"?`},
		{"detector without patterns", "version: 1\ndetectors:\n  - name: d\n", `p.yaml:3:5: the detector looks for nothing; add patterns or keywords`},
		{"detector pattern", "version: 1\ndetectors:\n  - name: d\n    patterns: [ok, '(']\n", "p.yaml:4:20: regular expression: missing closing ): `(`"},
		{"detector twice", "version: 1\ndetectors:\n  - {name: d, keywords: a}\n  - {name: d, keywords: a}\n", `p.yaml:4:12: detector "d" is already defined at p.yaml:3:12`},
		{"exception with a regular expression", "version: 1\nallow:\n  - {detector: d, tool: '/a/'}\n", `p.yaml:3:25: tool: an exception takes a name or a glob, not a regular expression`},
		{"exception for everything", "version: 1\nallow:\n  - {tool: a}\n", `p.yaml:3:6: the exception covers every finding; name a detector or a text`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("p.yaml", []byte(tc.in))
			require.EqualError(t, err, tc.want)
			var first *Error
			require.ErrorAs(t, err, &first)
			require.Equal(t, "p.yaml", first.Pos.File)
		})
	}
}

// What only compiling finds, with the place inside the expression.
func TestCompileErrors(t *testing.T) {
	when := func(expr string) string {
		return pack("  - name: a\n    call:\n      tool: x\n      when: " + expr + "\n")
	}
	for _, tc := range []struct{ name, in, want string }{
		{"syntax", when("args.x =="), `p.yaml:6:22: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`},
		{"unknown variable", when("arg.x == 1"), `p.yaml:6:13: undeclared reference to 'arg' (did you mean 'args'?)`},
		{"unknown function", when("tool == frob(1)"), `p.yaml:6:25: undeclared reference to 'frob'`},
		{"types", when("tool == 1"), `p.yaml:6:18: found no matching overload for '_==_' applied to '(string, int)'`},
		{"not a boolean", when("tool"), `p.yaml:6:13: a predicate must be true or false, this is string`},
		{"labels outside a result", when("size(labels) > 0"), `p.yaml:6:18: labels exists only in result steps`},
		{"unknown list", when("tool in lists.inside"), `p.yaml:6:26: unknown list "inside"`},
		{"dynamic list", when("tool in lists[tool]"), `p.yaml:6:21: write lists.name: a list is named literally`},
		{"regexp from the call", when("tool.matches(args.re)"), `p.yaml:6:30: matches needs a literal regular expression`},
		{"quoted", when(`"arg.x == 1"`), `p.yaml:6:14: undeclared reference to 'arg' (did you mean 'args'?)`},
		{"literal block", when("|\n        tool == 'x' &&\n          arg.x == 1"), `p.yaml:8:11: undeclared reference to 'arg' (did you mean 'args'?)`},
		{"folded block", when(">\n        tool == 'x' &&\n        arg.x == 1"), `p.yaml:6:13: undeclared reference to 'arg' (did you mean 'args'?)`},
		{"loops in loops", when("tool != '' && [1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))"), `p.yaml:6:67: comprehension exceeds nesting limit`},
		{"amount is a text", pack("  - name: a\n    budget: {amount: tool, max: 1, within: 1m}\n"), `p.yaml:4:22: an amount must be a number, this is string`},
		{"two at once", pack("  - name: a\n    call: {when: foo}\n  - name: b\n    call: {when: bar}\n"), "p.yaml:4:18: undeclared reference to 'foo'\np.yaml:6:18: undeclared reference to 'bar'"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(tc.in))
			require.NoError(t, err)
			_, err = p.Compile()
			require.EqualError(t, err, tc.want)
		})
	}
}

// Every problem of a pack is listed, in file order, up to a bound.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse("p.yaml", []byte(pack(strings.Repeat("  - nam: x\n", 200))))
	var all Errors
	require.ErrorAs(t, err, &all)
	require.Len(t, all, maxErrors)
	require.True(t, slices.IsSortedFunc(all, func(a, b *Error) int {
		if a.Pos.compare(b.Pos) < 0 {
			return -1
		}
		return 1
	}))
}

func TestHostilePacks(t *testing.T) {
	bomb := "version: 1\nlists:\n  a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := byte('b'); c < 'm'; c++ {
		p := string(c - 1)
		bomb += "  " + string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+", ", 9) + "*" + p + "]\n"
	}
	when := func(expr string) string { return pack("  - name: a\n    call:\n      when: '" + expr + "'\n") }
	keys := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tc := range []struct{ name, in, want string }{
		{"garbage", strings.Repeat("\x00\xff{[&*!|>%@`", 1<<20/12), "p.yaml:1:1: control character U+0000"},
		{"printable garbage", strings.Repeat("{]:- &*!|>'\"%@`", 1<<20/15), "349526 YAML tokens; a pack file holds at most 200000"},
		{"too large", strings.Repeat("#", 1<<20+1), "1048577 bytes; a pack file holds at most 1048576"},
		{"quotes", strings.Repeat("\"", 1<<20), "p.yaml"},
		{"tags", strings.Repeat("!a ", 1<<20/3), "p.yaml"},
		{"pipes", strings.Repeat("|\n", 1<<19), "p.yaml"},
		{"brackets", strings.Repeat("[", 1<<20), "p.yaml"},
		{"braces", strings.Repeat("{a: ", 50_000), "nested deeper than 32 levels"},
		{"dashes", strings.Repeat("- ", 50_000), "nested deeper than 32 levels"},
		{"steps to the right", func() string {
			var b strings.Builder
			for i := range 1000 {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(), "nested deeper than 32 levels"},
		{"question marks", strings.Repeat("? ", 50_000), "p.yaml"},
		{"many keys", "version: 1\nlists:\n" + keys(30_000, "  k%d: [x]\n"), "a mapping with more than 512 keys"},
		{"many flow keys", "version: 1\nlists: {" + keys(30_000, "k%d: x, ") + "}\n", "a mapping with more than 512 keys"},
		{"anchor bomb", bomb, "values once its aliases are expanded"},
		{"many anchors", "version: 1\nlists:\n  a:\n" + strings.Repeat("    - &x y\n", 70), "more than 64 anchors"},
		{"long regular expression", pack("  - name: a\n    call: {tool: '/" + strings.Repeat("a", 2000) + "/'}\n"), "pattern of 2002 bytes; at most 1024 are allowed"},
		{"many patterns", pack("  - name: a\n    call: {tool: [" + strings.Repeat("a, ", 300) + "a]}\n"), "tool has 301 patterns; at most 256 are allowed"},
		{"long expression", when(strings.Repeat("true && ", 1000) + "true"), "expression of 8004 bytes; at most 4096 are allowed"},
		{"deep expression", when(strings.Repeat("(", 1000) + "true" + strings.Repeat(")", 1000)), "p.yaml:5:"},
		{"wide expression", when("[" + strings.Repeat("1,", 1500) + "1].all(x, true)"), "p.yaml:5:"},
		{"long tests", "version: 1\ntests:\n  - name: t\n    fires: []\n    calls:\n" + strings.Repeat("      - {tool: a, repeat: 10000}\n", 20), "p.yaml:16:10: the tests replay more than 100000 events"},
		{"many rules", pack(strings.Repeat("  - {}\n", 6000)), "p.yaml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Parse("p.yaml", []byte(tc.in))
			if err == nil {
				_, err = p.Compile()
			}
			require.ErrorContains(t, err, tc.want)
			require.LessOrEqual(t, len(err.Error()), 64<<10, "a message is no copy of the pack")
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, err := Load(filepath.Join(dir, "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Load(dir)
	require.ErrorContains(t, err, "no *.yaml or *.yml file")

	// A mounted ConfigMap: names are links into a hidden folder that is swapped as a whole.
	write("..v1/b.yaml", "version: 1\nname: b\nrules:\n  - {name: second, call: {tool: b}}\n")
	write("..v1/a.yml", "version: 1\nname: a\nlists: {l: [x]}\nrules:\n  - {name: first, call: {when: tool in lists.l}}\n")
	require.NoError(t, os.Symlink("..v1", filepath.Join(dir, "..data")))
	require.NoError(t, os.Symlink("..data/b.yaml", filepath.Join(dir, "b.yaml")))
	require.NoError(t, os.Symlink("..data/a.yml", filepath.Join(dir, "a.yml")))
	write("notes.txt", "not a pack")
	p, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, "a+b", p.Name())
	require.Equal(t, dir, p.Source())
	require.Equal(t, "first", p.Rules()[0].Name)
	require.Equal(t, "second", p.Rules()[1].Name)
	_, err = p.Compile()
	require.NoError(t, err, "lists of one file are seen in the others")

	// Names clash across files, and both places are named.
	c := write("c.yaml", "version: 1\nrules:\n  - {name: second, call: {tool: b}}\n")
	_, err = Load(dir)
	require.EqualError(t, err, "load rules: "+c+`:3:12: rule "second" is already defined at `+filepath.Join(dir, "b.yaml")+":4:12")
	require.NoError(t, os.Remove(c))

	// The swap: the next load sees the new version whole.
	write("..v2/a.yml", "version: 1\nname: c\nrules:\n  - {name: third, call: {tool: c}}\n")
	write("..v2/b.yaml", "version: 1\n")
	require.NoError(t, os.Symlink("..v2", filepath.Join(dir, "..next")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..next"), filepath.Join(dir, "..data")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "..v1")))
	p, err = Load(dir)
	require.NoError(t, err)
	require.Equal(t, "c", p.Name())
	require.Len(t, p.Rules(), 1)

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "..v2")))
	_, err = Load(dir)
	require.ErrorContains(t, err, "points to nothing")

	big := write("big.yaml", strings.Repeat("#", maxFileBytes+10))
	_, err = Load(big)
	require.ErrorContains(t, err, "a pack file holds at most")
}

// The schema says what the decoder reads, field by field.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	type object struct {
		Properties           map[string]any `json:"properties"`
		AdditionalProperties any            `json:"additionalProperties"`
	}
	var doc struct {
		object `json:",embed"`
		Defs   map[string]object `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(Schema(), &doc))
	names := func(o object) []string {
		require.Equal(t, false, o.AdditionalProperties)
		var out []string
		for name := range o.Properties {
			out = append(out, name)
		}
		return out
	}
	require.ElementsMatch(t, packFields, names(doc.object))
	for def, fields := range map[string][]string{
		"rule": ruleFields, "selector": selectorFields, "result_selector": resultFields, "flow": flowFields, "step": stepFields, "loop": loopFields,
		"rate": rateFields, "budget": budgetFields, "test": testFields, "event": testCallFields, "result_data": testDataFields,
		"detector": detectorFields, "exception": allowFields,
	} {
		require.ElementsMatch(t, fields, names(doc.Defs[def]), def)
	}
}

func TestPlainData(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`version: 1
detectors:
  - name: project-code
    description: our project codes
    category: secret
    severity: block
    patterns: ['PRJ-\d{4}']
    keywords: [prj]
    mask: PROJECT
    side: request
  - {name: short, keywords: x}
allow:
  - {detector: project-code, text: PRJ-0000, service: wiki, tool: "get*", reason: the example in our manual}
`))
	require.NoError(t, err)
	require.Equal(t, []DetectorSpec{
		{Name: "project-code", Description: "our project codes", Category: "secret", Severity: "block", Patterns: []string{`PRJ-\d{4}`}, Keywords: []string{"prj"}, Mask: "PROJECT", Side: "request", Pos: Position{"p.yaml", 3, 11}},
		{Name: "short", Category: "policy", Severity: "review", Keywords: []string{"x"}, Side: "both", Pos: Position{"p.yaml", 11, 12}},
	}, p.Detectors())
	require.Equal(t, []AllowSpec{{Detector: "project-code", Text: "PRJ-0000", Service: "wiki", Tool: "get*", Reason: "the example in our manual", Pos: Position{"p.yaml", 13, 6}}}, p.Allow())
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(designPack))
	for _, seed := range []string{"version: 1\n", "a: &a [*a]", "version: 1\nrules:\n  - name: a\n    call: {when: 'x'}\n", "? a\n: b", "- - - -", "{a: [b, {c: d}]}", "a: |\n  x\n  y", "%YAML 1.2\n---\nversion: 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f.yaml", data)
		if err != nil {
			var all Errors
			require.ErrorAs(t, err, &all)
			return
		}
		s, err := p.Compile()
		if err != nil {
			return
		}
		p.Lint()
		s.Test()
		ev := Event{Tool: "a", Method: MethodToolsCall, Args: map[string]any{"x": "y"}, Now: testEpoch}
		m := s.Match(&ev)
		s.Advance(NewState(), &m, AdvanceInfo{Now: testEpoch})
	})
}

// While a folder is swapped again and again, every load sees one version of it. Versions have names of their own, as a kubelet's do.
func TestLoadDuringSwaps(t *testing.T) {
	dir := t.TempDir()
	swap := func(i int) error {
		version := fmt.Sprintf("..v%d", i)
		err := os.Mkdir(filepath.Join(dir, version), 0o755)
		for _, file := range []string{"a", "b"} {
			text := fmt.Sprintf("version: 1\nname: %s%d\n", file, i)
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, version, file+".yaml"), []byte(text), 0o600))
		}
		next := filepath.Join(dir, "..next")
		return errors.Join(err, os.Symlink(version, next), os.Rename(next, filepath.Join(dir, "..data")))
	}
	require.NoError(t, swap(0))
	for _, file := range []string{"a", "b"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", file+".yaml"), filepath.Join(dir, file+".yaml")))
	}
	const swaps = 300
	swapped := make(chan error, 1)
	go func() {
		var err error
		for i := 1; i <= swaps && err == nil; i++ {
			err = swap(i)
		}
		swapped <- err
	}()
	for done := false; !done; {
		select {
		case err := <-swapped:
			require.NoError(t, err)
			done = true // and one more load
		default:
		}
		p, err := Load(dir)
		if err != nil {
			require.ErrorContains(t, err, "changes faster than it can be read")
			continue
		}
		var a, b int
		_, err = fmt.Sscanf(p.Name(), "a%d+b%d", &a, &b)
		require.NoError(t, err)
		require.Equal(t, a, b)
		if done {
			require.Equal(t, swaps, a)
		}
	}
}
