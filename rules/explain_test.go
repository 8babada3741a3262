package rules

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func explain(t *testing.T, trace string) (string, error) {
	t.Helper()
	p, err := Parse("p.yaml", []byte(designPack))
	require.NoError(t, err)
	s, err := p.Compile()
	require.NoError(t, err)
	var out strings.Builder
	err = s.Explain(&out, strings.NewReader(trace))
	return out.String(), err
}

func TestExplain(t *testing.T) {
	got, err := explain(t, `{"tool":"inbox_read"}
{"tool":"email_approve","denied":true}

{"tool":"email_send","args":{"to":"bob@evil.example"}}
{"tool":"email_approve","after":"1m"}
{"tool":"email_send","args":{"to":"bob@evil.example"}}
{"tool":"web","result":{"labels":["injection"]},"key":"bob"}
{"tool":"run_shell","key":"bob","shared":true}
{"tool":"fs_read","args":{"size":10485760}}
{"tool":"fs_read","args":{"size":1}}
{"tool":"fs_read","args":{"size":"x"},"at":"2025-01-06T10:00:00Z"}
{"tool":"get_it","service":"k8s","args":{"kind":"SECRET"}}
{"tool":"echo","repeat":5}
`)
	require.NoError(t, err)
	require.Equal(t, `1: +1s call "inbox_read"
   mailbox-then-external-mail: is step 1 of 2; holds step 1, begun 0s ago (within 30m)
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
2: +2s call "email_approve"
   mailbox-then-external-mail: is a guard behind step 1; holds step 1, begun 1s ago (within 30m)
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
   denied: its steps and amounts are withdrawn
4: +3s call "email_send"
   mailbox-then-external-mail: is step 2 of 2; holds step 1, begun 2s ago (within 30m)
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
   FIRES mailbox-then-external-mail (block)
   denied: its steps and amounts are withdrawn
5: +1m3s call "email_approve"
   mailbox-then-external-mail: is a guard behind step 1; holds nothing
   retry-storm: counts; holds 2 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
6: +1m4s call "email_send"
   mailbox-then-external-mail: is step 2 of 2; holds nothing
   retry-storm: counts; holds 2 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
7: +1m5s result of "web" labels=["injection"] key="bob"
   untrusted-output-then-shell: is step 1 of 2; holds step 1, begun 0s ago (within 10m)
8: +1m6s call "run_shell" key="bob" (shared key)
   untrusted-output-then-shell: is step 2 of 2; holds step 1, begun 1s ago (within 10m)
   retry-storm: counts
   per-tool-rate: counts
   FIRES untrusted-output-then-shell (review)
9: +1m7s call "fs_read"
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
   read-volume: adds 10485760; holds 10485760 of 10485760 within 1h
10: +1m8s call "fs_read"
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 2 of 30 calls within 1m
   read-volume: adds 1; holds 10485760 of 10485760 within 1h
   FIRES read-volume (block), retry after 59m59s
   denied: its steps and amounts are withdrawn
11: +1h call "fs_read"
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
   read-volume: cannot be evaluated: a value has the wrong type, or cannot be computed with (type)
   denied: its steps and amounts are withdrawn
12: +1h0m1s call "k8s"/"get_it"
   retry-storm: counts; holds 1 identical calls within 10m (fires from 5 on)
   per-tool-rate: counts; holds 1 of 30 calls within 1m
   FIRES no-secret-objects (block)
   denied: its steps and amounts are withdrawn
13: +1h0m6s call "echo", the last of 5
   retry-storm: counts; holds 4 identical calls within 10m (the next one fires)
   per-tool-rate: counts; holds 5 of 30 calls within 1m
   FIRES retry-storm (block)
   denied: its steps and amounts are withdrawn
`, got)
	require.NotContains(t, got, "evil.example", "arguments are not repeated")
}

func TestExplainErrors(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"{}\n{\"tol\":1}", `explain: line 2: unknown field "tol"`},
		{`{"result":{"tool":"x"}}`, `explain: line 1: unknown field "tool"`},
		{`{"tool":1}`, `explain: line 1: field "tool" has the wrong type`},
		{`["x"]`, "explain: line 1: not an object"},
		{"nonsense", "explain: line 1: "},
		{`{"after":"soon"}`, `explain: line 1: after "soon" is not a duration`},
		{`{"after":"-1s"}`, `explain: line 1: after "-1s" is not a duration`},
		{`{"repeat":-1}`, "explain: line 1: repeat must be from 1 to 100000"},
		{`{"repeat":100001}`, "explain: line 1: repeat must be from 1 to 100000"},
	} {
		_, err := explain(t, tc.in)
		require.ErrorContains(t, err, tc.want)
	}
	got, err := explain(t, `{"tool":"inbox_read"}`+"\nnonsense")
	require.ErrorContains(t, err, "line 2")
	require.Contains(t, got, `1: +1s call "inbox_read"`, "what could be read is explained")
}
