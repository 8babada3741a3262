//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/grpcapi/extmcp"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// TestEX06HeadersNameNoTool: what a call is about is what its params say. Headers that name another tool or another
// method change neither the access lists nor rates nor metrics nor the trail, and where the operator keeps them in the
// trail, the line shows both names.
func TestEX06HeadersNameNoTool(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", `version: 1
name: names
rules:
  - name: merges
    rate: {tool: merge_branch, max: 2, within: 1h}
`)
	s := serve(t, noModel.with(env{"DENY_TOOLS": "delete_repo", "INVARIANT_RULES_PATH": pack, "AUDIT_HEADERS": "mcp-name,mcp-method"}))
	claims := func(body, name, method string) exchange {
		x := request(body).in("s")
		x.headers = []*extmcp.McpHeader{{Key: "mcp-name", Value: []byte(name)}, {Key: "mcp-method", Value: []byte(method)}}
		return x
	}
	ref := s.refused(s.ask(claims(`{"name":"delete_repo","arguments":{}}`, "read_weather", "tools/list")), blocked("tool_policy"))
	l := s.lineOf(ref)
	require.Equal(t, []string{"tools/call", "delete_repo"}, []string{l.Method, l.Tool})
	require.Equal(t, map[string]string{"mcp-name": "read_weather", "mcp-method": "tools/list"}, l.Headers)

	ref, _ = s.passed(s.ask(claims(`{"name":"read_weather","arguments":{}}`, "delete_repo", "tools/call")), "pass", "allow")
	require.Equal(t, "read_weather", s.lineOf(ref).Tool)

	for _, pretended := range []string{"read_weather", "list_branches"} {
		s.passed(s.ask(claims(`{"name":"merge_branch","arguments":{"n":"`+pretended+`"}}`, pretended, "tools/list")), "pass", "allow")
	}
	require.Equal(t, "RESOURCE_EXHAUSTED", s.ask(claims(`{"name":"merge_branch","arguments":{}}`, "read_weather", "tools/list")).verdict())
	require.Equal(t, "pass", s.ask(claims(`{"name":"read_weather","arguments":{}}`, "merge_branch", "tools/call")).verdict())
	require.EqualValues(t, 6, s.metric("mcp_guardrails_decisions_total", "method", "tools/call"))
	require.Zero(t, s.metric("mcp_guardrails_decisions_total", "method", "tools/list"))
}

// TestPI04RedactionsAreCounted: what was masked, however deep it lay, is a mutation and one redaction, in the reply, in
// the trail and in the metrics.
func TestPI04RedactionsAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	s.secrets = []string{"lee@example.org"}
	x := result(`{"content":[{"type":"text","text":"ok"}],"structuredContent":{"a":{"b":[{"c":"reach me: lee@example.org"}]}}}`)
	x.meta = map[string]any{"exchange": "deep"}
	a := s.ask(x)
	require.Equal(t, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"a":{"b":[{"c":"reach me: [REDACTED:EMAIL]"}]}}}`, string(a.mutated))
	require.EqualValues(t, 1, s.metric("mcp_guardrails_redactions_total"))
	l := s.awaitLine("the masked result", func(l audit.Line) bool { return l.Exchange == "deep" })
	require.Equal(t, "mutated", l.Outcome)
	require.Equal(t, 1, l.Redactions)
	require.Equal(t, "/structuredContent/a/b/0/c", l.Findings[0].Path)
}

// TestRS03PinnedToOneCPU: a process that may use one CPU takes one inference at a time without being told, and the
// runtime does not complain about the CPUs that it may not use.
func TestRS03PinnedToOneCPU(t *testing.T) {
	t.Parallel()
	pin, err := exec.LookPath("taskset")
	if err != nil {
		t.Skip("taskset is not installed")
	}
	self, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	one := regexp.MustCompile(`Cpus_allowed_list:\t(\d+)`).FindSubmatch(self)
	require.NotNil(t, one)
	s := launchWith(t, env{}, func(c *exec.Cmd) {
		c.Args, c.Path = append([]string{pin, "-c", string(one[1])}, c.Args...), pin
	})
	s.awaitServing()
	line := s.awaitLog("starting", nil)
	require.EqualValues(t, 1, line["gomaxprocs"])
	require.EqualValues(t, 1, line["cpus"])
	require.EqualValues(t, 1, s.metric("mcp_guardrails_model_workers"))
	s.refused(s.ask(text(injection)), blocked("prompt_injection"))
	require.NotContains(t, s.readLog(), "affinity")
}
