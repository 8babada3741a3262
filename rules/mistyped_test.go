package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMissingMemberHidesNoWrongType: a caller who leaves one member out cannot make a predicate false that another one, of the
// wrong type, has to make a fault; nor by sending the text of an object in its place.
func TestMissingMemberHidesNoWrongType(t *testing.T) {
	type object = map[string]any
	const fires, silent, fault = "fires", "silent", "fault"
	bad, none := object{"path": int64(5)}, object{}
	for name, tc := range map[string]struct {
		when string
		args any
		want string
	}{
		"or, missing first":              {`args.path.startsWith("/etc") || args.file.startsWith("/etc")`, object{"file": []any{"/etc/passwd"}}, fault},
		"or, missing last":               {`args.file.startsWith("/etc") || args.path.startsWith("/etc")`, object{"file": []any{"/etc/passwd"}}, fault},
		"or, a literal expression":       {`args.path.matches("^/etc") || args.file.matches("^/etc")`, object{"file": []any{"/etc/passwd"}}, fault},
		"or that is true all the same":   {`args.path == "x" || args.file.startsWith("/etc") || args.n == 1`, object{"file": int64(1), "n": int64(1)}, fires},
		"and, missing first":             {`args.path == "x" && args.file.startsWith("/etc")`, object{"file": int64(1)}, silent},
		"and, not":                       {`!(args.path.startsWith("/ok") && args.mode.startsWith("r"))`, object{"mode": int64(1)}, fault},
		"and, asked for, not":            {`!(args.path.startsWith("/ok") && has(args.mode.write))`, object{"mode": "x"}, fault},
		"or, not":                        {`!(args.path.startsWith("/ok") || args.mode.startsWith("r"))`, object{"mode": int64(1)}, silent},
		"and, not not":                   {`!!(args.path.startsWith("/ok") && args.mode.startsWith("r"))`, object{"mode": int64(1)}, silent},
		"and, compared":                  {`(args.path.startsWith("/ok") && args.mode.startsWith("r")) == false`, object{"mode": int64(1)}, fault},
		"and, as a condition":            {`(args.path.startsWith("/ok") && args.mode.startsWith("r")) ? false : true`, object{"mode": int64(1)}, fault},
		"all, not":                       {`!args.items.all(i, i.path.startsWith("/etc"))`, object{"items": []any{none, bad}}, fault},
		"exists, not":                    {`!args.items.exists(i, i.path.startsWith("/etc"))`, object{"items": []any{none, bad}}, silent},
		"one alone":                      {`args.items.exists_one(i, i.path == "x" || i.file.startsWith("/etc"))`, object{"items": []any{object{"file": int64(1)}}}, fault},
		"or, no truth value":             {`args.a || args.b`, object{"b": "x"}, fault},
		"or within and":                  {`(args.path == "x" || args.file.startsWith("/etc")) && args.n == 1`, object{"file": int64(1), "n": int64(1)}, fault},
		"or of ors":                      {`args.a == 1 || (args.b == 1 || (args.c == 1 || args.d > 1))`, object{"d": "x"}, fault},
		"an or that was true before":     {`((args.d > 1 || args.e == 1) && args.path == "x") || args.file == "x"`, object{"d": "x", "e": int64(1)}, silent},
		"and that is false all the same": {`args.path == "x" && args.file.startsWith("/etc") && args.n == 1`, object{"file": int64(1), "n": int64(2)}, silent},
		"nothing but missing members":    {`args.path == "x" || args.file.startsWith("/etc")`, none, silent},
		"asked for the type before":      {`args.path == "x" || type(args.file) == string && args.file == "x"`, object{"file": int64(1)}, silent},
		"exists, missing first":          {`args.items.exists(i, i.path.startsWith("/etc"))`, object{"items": []any{none, bad}}, fault},
		"exists, missing last":           {`args.items.exists(i, i.path.startsWith("/etc"))`, object{"items": []any{bad, none}}, fault},
		"exists, one has it":             {`args.items.exists(i, i.path.startsWith("/etc"))`, object{"items": []any{none, bad, object{"path": "/etc/x"}}}, fires},
		"exists, all missing":            {`args.items.exists(i, i.path.startsWith("/etc"))`, object{"items": []any{none, none}}, silent},
		"all, missing first":             {`args.items.all(i, i.path.startsWith("/etc"))`, object{"items": []any{none, bad}}, silent},
		"exists in exists":               {`args.items.exists(i, i.exists(j, j.path.startsWith("/etc")))`, object{"items": []any{[]any{none}, []any{none, bad}}}, fault},
		"a text for an object":           {`args.request.url.startsWith("http:")`, object{"request": `{"url":"http://x"}`}, fault},
		"a text, asked for":              {`has(args.request.url) && args.request.url.startsWith("http:")`, object{"request": `{"url":"http://x"}`}, fault},
		"a text, with a default":         {`args.?request.?url.orValue("").startsWith("http:")`, object{"request": `{"url":"http://x"}`}, fault},
		"a text, by a computed name":     {`args.request[tool] == "x"`, object{"request": "x"}, fault},
		"a text for a list":              {`args.list[0] == "x"`, object{"list": `["x"]`}, fault},
		"a number in a loop":             {`args.items.exists(i, i.path == "x")`, object{"items": []any{int64(5)}}, fault},
		"null for an object":             {`args.request.url.startsWith("http:")`, object{"request": nil}, silent},
		"null, asked for":                {`!has(args.request.url)`, object{"request": nil}, fires},
		"null, with a default":           {`args.?request.?url.orValue("-") == "-"`, object{"request": nil}, fires},
		"no arguments":                   {`args.request.url.startsWith("http:")`, nil, silent},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse("pack.yaml", []byte("version: 1\nrules:\n  - name: r\n    call:\n      tool: url\n      when: '"+tc.when+"'\n"))
			require.NoError(t, err)
			s, err := p.Compile()
			require.NoError(t, err)
			for range 2 { // what one evaluation has noted is not the next one's
				m := s.Match(&Event{Tool: "url", Method: MethodToolsCall, Args: tc.args})
				got := strings.Repeat(fires, len(m.Hits)) + strings.Repeat(fault, len(m.Faults))
				if got == "" {
					got = silent
				}
				require.Equal(t, tc.want, got)
			}
		})
	}
}

// TestOrderOfOperandsDecidesNothing: an operand of the wrong type is a fault before a missing one and after it, whatever CEL has
// made of the operand.
func TestOrderOfOperandsDecidesNothing(t *testing.T) {
	args := map[string]any{"text": "x", "n": int64(1), "list": []any{"x", int64(1)}, "object": map[string]any{"n": int64(1)}}
	for _, wrong := range []string{
		`args.text.url in ["a"]`, `args.text.url in ["a", "b"]`, `args.text.url in lists.l`, `args.list in args.n`,
		`!(args.text.url in ["a"])`, `args.list[0].url in ["a"]`, `args.list.exists(i, i.url in ["a"])`,
		`args.n.startsWith("a")`, `args.n.matches("a")`, `args.text.url.matches("a")`, `args.n.matches("a") == false`,
		`args.text`, `args.object`, `args.list`, `args.text.url`, `has(args.text.url)`, `args.?text.?url.hasValue()`,
		`args.text > 1`, `args.text + 1 == 2`, `int(args.text) > 1`, `double(args.list) > 1.0`, `bool(args.text)`, `string(args.object) == "x"`,
		`size(args.n) > 1`, `args.n.size() > 1`, `-args.text == 1`, `args.n[0] == 1`, `args.object[args.list] == 1`,
		`(args.n ? true : true)`, `(args.text.url == "x") ? true : false`, `(args.n == 1 ? args.text : args.n).url == "x"`,
		`args.list.all(i, i > 0)`, `args.list.map(i, i + 1).size() == 2`, `args.list.filter(i, i.startsWith("y")).size() > 0`,
		`args.list.exists_one(i, i.startsWith("x"))`, `[args.text.url] == ["x"]`, `{"a": args.text.url} == {"a": "x"}`,
		`urls(args.text.url).size() > 0`, `host(args.n) == "x"`, `is_private(args.n)`, `in_domains(args.n, lists.l)`, `norm(args.n) == "x"`,
	} {
		for form, at := range map[string][2]string{
			"or":     {"%s || %s", `args.missing == "x"`},
			"and":    {"!(%s && %s)", `args.missing == "x"`},
			"exists": {"[args.text, args.n].exists(q, q == \"x\" ? (%s) : (%s))", `args.missing == "x"`},
		} {
			for _, when := range []string{fmt.Sprintf(at[0], wrong, at[1]), fmt.Sprintf(at[0], at[1], wrong)} {
				p, err := Parse("pack.yaml", []byte("version: 1\nlists: {l: [a]}\nrules:\n  - name: r\n    call:\n      tool: t\n      when: '"+when+"'\n"))
				require.NoError(t, err, "%s: %s", form, when)
				s, err := p.Compile()
				require.NoError(t, err, when)
				m := s.Match(&Event{Tool: "t", Method: MethodToolsCall, Args: args})
				require.Len(t, m.Faults, 1, when)
			}
		}
	}
}

// TestNothingIsNotedForAnotherPredicate: one event's predicates share an activation.
func TestNothingIsNotedForAnotherPredicate(t *testing.T) {
	p, err := Parse("pack.yaml", []byte(`version: 1
rules:
  - {name: true-all-the-same, call: {tool: t, when: 'args.n > 1 || args.n == "x"'}}
  - {name: missing, call: {tool: t, when: 'args.path == "x" || args.file == "x"'}}
  - {name: amount, budget: {tool: t, amount: args.size, max: 1, within: 1m}}
`))
	require.NoError(t, err)
	s, err := p.Compile()
	require.NoError(t, err)
	m := s.Match(&Event{Tool: "t", Method: MethodToolsCall, Args: map[string]any{"n": "x"}})
	require.Len(t, m.Hits, 1)
	require.Empty(t, m.Faults)
}
