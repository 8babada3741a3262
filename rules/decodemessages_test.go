package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The messages about values of the wrong kind or size, in every section, with their places.
func TestParseErrorsOfValues(t *testing.T) {
	call := func(field string) string {
		return "version: 1\ntests:\n  - name: t\n    fires: []\n    calls: [{tool: a, " + field + "}]\n"
	}
	for _, tc := range []struct{ name, in, want string }{
		{"name is a list", "version: 1\nname: [a]\n", `p.yaml:2:7: the pack's name must be a string, not a list`},
		{"long name", "version: 1\nname: " + strings.Repeat("n", 5000) + "\n", `p.yaml:2:7: the pack's name has 5000 bytes; at most 128 are allowed`},
		{"description is a number", pack("  - name: a\n    call: {tool: a}\n    description: 7\n"), `p.yaml:5:18: a description must be a string, not an integer; quote it`},
		{"many patterns", pack("  - name: a\n    call: {tool: [" + strings.Repeat("a,", 300) + "b]}\n"), `p.yaml:4:18: tool has 301 patterns; at most 256 are allowed`},
		{"max is a word", pack("  - name: a\n    rate: {max: many, within: 1s}\n"), `p.yaml:4:17: max must be an integer, not a string`},
		{"threshold is a list", pack("  - name: a\n    loop: {threshold: [3], within: 1s}\n"), `p.yaml:4:23: threshold must be an integer, not a list`},
		{"lists is a list", "version: 1\nlists: [a]\n", `p.yaml:2:8: lists must be a mapping of names to lists of strings, not a list`},
		{"list is a number", "version: 1\nlists: {a: 7}\n", `p.yaml:2:12: list a must be a string or a list of strings, not an integer; quote it`},
		{"odd name of a list", "version: 1\nlists: {a b: []}\n", `p.yaml:2:9: a list's name "a b": use letters, digits, dots, dashes and underscores`},
		{"long flow", pack("  - name: a\n    flow:\n      within: 1m\n      steps: [" + strings.Repeat("{call: {tool: a}}, ", 16) + "{call: {tool: b}}]\n"), `p.yaml:6:14: a flow with 17 calls and results; at most 16 are allowed`},
		{"steps is a mapping", pack("  - name: a\n    flow: {within: 1m, steps: {}}\n"), `p.yaml:4:31: steps must be a list, not a mapping`},
		{"meta is a list", call("meta: [x]"), `p.yaml:5:29: meta must be a mapping, not a list`},
		{"headers is a list", call("headers: [x]"), `p.yaml:5:32: headers must be a mapping, not a list`},
		{"denied is a word", call("denied: often"), `p.yaml:5:31: denied must be true or false, not a string`},
		{"repeat is a word", call("repeat: x"), `p.yaml:5:31: repeat must be an integer, not a string`},
		{"after is a word", call("after: soon"), `p.yaml:5:30: after "soon" is not a duration such as 30s, 10m or 2h`},
		{"result is a list", call("result: [x]"), `p.yaml:5:31: result must be a mapping, not a list`},
		{"fires is a mapping", call("fires: {x: y}"), `p.yaml:5:31: fires must be a list, not a mapping`},
		{"test is a string", "version: 1\ntests:\n  - x\n", `p.yaml:3:5: a test must be a mapping, not a string`},
		{"exception that is no expression", "version: 1\nallow:\n  - {detector: d, text: '/(/', reason: r}\n", "p.yaml:3:25: text: regular expression: missing closing ): `(`"},
		{"exception for a long service", "version: 1\nallow:\n  - {detector: d, service: " + strings.Repeat("s", 2000) + "}\n", `p.yaml:3:28: service: pattern of 2000 bytes; at most 1024 are allowed`},
		{"detector that is no expression", "version: 1\ndetectors:\n  - {name: d, category: policy, patterns: ['(']}\n", "p.yaml:3:44: regular expression: missing closing ): `(`"},
		{"category of a detector", "version: 1\ndetectors:\n  - {name: d, category: c, patterns: [a]}\n", `p.yaml:3:25: category must be hidden_text, prompt_injection, secret, personal_data, exfiltration or policy, not "c"`},
		{"severity of a detector", "version: 1\ndetectors:\n  - {name: d, category: policy, severity: loud, patterns: [a]}\n", `p.yaml:3:43: severity must be note, review or block, not "loud"`},
		{"side of a detector", "version: 1\ndetectors:\n  - {name: d, category: policy, side: left, patterns: [a]}\n", `p.yaml:3:39: side must be request, response or both, not "left"`},
		{"mask of a detector", "version: 1\ndetectors:\n  - {name: d, category: policy, mask: 'x y', patterns: [a]}\n", `p.yaml:3:39: a redaction type "x y": use letters, digits, dots, dashes and underscores`},
		{"detector without a name", "version: 1\ndetectors:\n  - {category: policy, keywords: [abc]}\n", `p.yaml:3:6: the detector has no name`},
		{"list as a key", "version: 1\n? [a]\n: b\n", `p.yaml:3:1: found an invalid key for this map`},
		{"mapping as a key", "version: 1\nlists: {{a: b}: []}\n", `p.yaml:2:15: found an invalid key for this map`},
		{"number as a list's name", "version: 1\nlists: {7: []}\n", `p.yaml:2:9: a list's name must be a string, not an integer; quote it`},
		{"anchor without a name", "version: 1\nname: &\n", `p.yaml:2:7: undefined anchor name`},
		{"anchor without a value", "version: 1\nname: &a\n", `p.yaml:2:7: undefined anchor value`},
		{"alias without a name", "version: 1\nname: *\n", `p.yaml:2:7: undefined alias name`},
		{"alias as a key", "version: 1\n*a : b\n", `p.yaml:2:1: unknown alias "a"`},
		{"open quotes", "version: 1\nname: 'x\n", `p.yaml:2:7: could not find end character of single-quoted text`},
		{"open mapping", "version: 1\nname: {a: b\n", `p.yaml:2:7: could not find flow mapping end token '}'`},
		{"tabulator", "version: 1\n\tname: x\n", "p.yaml:2:1: found character '\t' that cannot start any token"},
		{"unknown escape", "version: 1\nname: \"\\q\"\n", `p.yaml:2:9: found unknown escape character 'q'`},
		{"budget without a max", pack("  - name: a\n    budget: {tool: x, amount: args.a, within: 1m}\n"), `p.yaml:4:14: budget has no max`},
		{"when is empty", pack("  - name: a\n    call: {when: ''}\n"), `p.yaml:4:18: when is empty`},
		{"call is a list", pack("  - name: a\n    call: [x]\n"), `p.yaml:4:11: call must be a mapping, not a list`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("p.yaml", []byte(tc.in))
			require.EqualError(t, err, tc.want)
		})
	}
}

// The same list in two files of a pack.
func TestParseErrorsAcrossFiles(t *testing.T) {
	_, err := parseSources("dir", []packSource{
		{name: "a.yaml", data: []byte("version: 1\nlists: {l: [x]}\n")},
		{name: "b.yaml", data: []byte("version: 1\nlists: {l: [y]}\n")},
	})
	require.EqualError(t, err, `b.yaml:2:9: list "l" is already defined at a.yaml:2:9`)
}
