//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// toolList is a tools/list result of tools with these names.
func toolList(services []string, names ...string) wireCall {
	tools := make([]string, len(names))
	for i, n := range names {
		tools[i] = fmt.Sprintf(`{"name":%q,"description":"Does %d.","inputSchema":{"type":"object"}}`, n, i)
	}
	body := `{"tools":[` + strings.Join(tools, ",") + `],"ttlMs":0,"cacheScope":"private"}`
	return wireCall{response: true, services: services, method: "tools/list", body: &body}
}

// listed are the names that a caller gets to see of a list.
func (s *sidecar) listed(c wireCall) []string {
	s.t.Helper()
	r := s.wire(c)
	checkShape(s.t, c, r)
	body := *c.body
	if r.verdict == "mutated" {
		body = r.mutated
		require.Contains(s.t, body, `"ttlMs":0,"cacheScope":"private"}`, "what is beside the tools stays")
	} else {
		require.Equal(s.t, "pass", r.verdict)
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(body), &list))
	names := []string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// Lists show the names that clients see, calls carry the service and its own name:
// what is denied is hidden under both, and nothing else is.
func TestBlackboxHiding(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel.with(env{"HIDE_DENIED_TOOLS": "true", "DENY_TOOLS": "git/push, git_hub/create, rm_*, *secret*"}))
	git, both, three := []string{"git"}, []string{"git", "git_hub"}, []string{"git", "git_hub", "files"}
	for _, row := range []struct {
		name     string
		services []string
		tools    []string
		want     []string
	}{
		{"one service, plain names", git, []string{"push", "pull"}, []string{"pull"}},
		{"one service, prefixed names", git, []string{"git_pull", "git_log"}, []string{"git_pull", "git_log"}},
		{"several services", both, []string{"git_push", "git_pull", "git_hub_create", "git_hub_push"}, []string{"git_pull", "git_hub_push"}},
		{"the longer service wins", both, []string{"git_hub_create", "git_create"}, []string{"git_create"}},
		{"a glob on every service", three, []string{"files_rm_all", "git_rm_x", "files_read"}, []string{"files_read"}},
		{"in another case", git, []string{"PUSH", "the_Secrets", "log"}, []string{"log"}},
		{"all of them", git, []string{"push", "rm_all"}, []string{}},
		{"none of them", git, []string{"pull", "log"}, []string{"pull", "log"}},
		{"no service named", []string{}, []string{"rm_all", "pull"}, []string{"pull"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, s.on(t).listed(toolList(row.services, row.tools...)))
		})
	}
	// Hiding is no enforcement: the call itself is refused.
	for _, c := range []struct {
		service, tool, want string
	}{
		{"git", "push", "PERMISSION_DENIED"},
		{"git", "PuSh", "PERMISSION_DENIED"},
		{"git_hub", "push", "pass"},
		{"git_hub", "create", "PERMISSION_DENIED"},
		{"files", "rm_all", "PERMISSION_DENIED"},
		{"files", "rm", "pass"},
		{"files", "xsecretx", "PERMISSION_DENIED"},
	} {
		call := toolCall(fmt.Sprintf(`{"name":%q}`, c.tool))
		call.services = []string{c.service}
		require.Equal(t, c.want, s.wire(call).verdict, "%s/%s", c.service, c.tool)
	}
}

// The three actions on a poisoned definition, and on one that has drifted.
func TestBlackboxListActions(t *testing.T) {
	t.Parallel()
	svc := []string{"svc"}
	poisoned := toolList(svc, "add", "bad")
	body := strings.Replace(*poisoned.body, "Does 1.", attack, 1)
	poisoned.body = &body
	before, after := toolList(svc, "add", "pinned"), toolList(svc, "add", "pinned")
	changed := strings.Replace(*after.body, "Does 1.", "Does something else.", 1)
	after.body = &changed
	for action, want := range map[string]struct {
		verdict string
		names   []string
	}{
		"remove": {"mutated", []string{"add"}}, "deny": {"PERMISSION_DENIED", nil}, "note": {"pass", []string{"add", "bad"}},
	} {
		t.Run(action, func(t *testing.T) {
			s := serve(t, env{"TOOLS_LIST_ACTION": action, "PIN_ACTION": action})
			require.Equal(t, []string{"add", "pinned"}, s.listed(before))
			for category, c := range map[string]wireCall{"prompt_injection": poisoned, "tool_policy": after} {
				r := s.wire(c.with("exchange", category))
				checkShape(t, c, r)
				require.Equal(t, want.verdict, r.verdict, category)
				if r.verdict == "PERMISSION_DENIED" {
					require.Equal(t, category, r.data["category"])
				}
				l := s.awaitLine(category, func(l audit.Line) bool { return l.Exchange == category })
				require.NotEmpty(t, l.Findings, "the trail says so whatever is done")
			}
		})
	}
}

// The demo in README is what the demo does.
func TestBlackboxReadmeDemo(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(readme), "<!-- demo:begin -->")
	shown, _, found := strings.Cut(shown, "<!-- demo:end -->")
	require.True(t, found)
	source, err := os.ReadFile("../examples/demo/exchanges.go")
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^\s*what: "([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		_, rest, ok := strings.Cut(shown, "  "+row[1]+"  ")
		require.True(t, ok, "%q is not in README, or not at its place", row[1])
		shown = rest
	}
}
