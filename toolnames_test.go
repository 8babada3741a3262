package sallyport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNativeTool(t *testing.T) {
	for _, c := range []struct {
		name, listed  string
		services      []string
		service, tool string
	}{
		{"one target, plain", "get_issue", []string{"github"}, "github", "get_issue"},
		{"merged", "github_get_issue", []string{"github", "jira"}, "github", "get_issue"},
		{"longest target wins", "git_hub_push", []string{"git", "git_hub"}, "git_hub", "push"},
		{"prefix of a name is not a target", "gitx_push", []string{"git", "jira"}, "", "gitx_push"},
		{"nothing after the prefix", "git_", []string{"git", "jira"}, "", "git_"},
		{"no targets", "x", nil, "", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			service, tool := nativeTool(c.listed, c.services)
			require.Equal(t, c.service, service)
			require.Equal(t, c.tool, tool)
		})
	}
}

func TestCallNamesCoverEveryReading(t *testing.T) {
	require.Equal(t, [][2]string{{"git", "git_push"}, {"git", "push"}}, callNames("git_push", []string{"git"}))
	require.Equal(t, [][2]string{{"", "push"}, {"git", "push"}, {"jira", "push"}}, callNames("push", []string{"git", "jira"}))
	require.Equal(t, [][2]string{{"git", "push"}}, callNames("git_push", []string{"git", "jira"}))
}

// TestTheLongestServiceNamesTheTool: whatever the order in which the services are named.
func TestTheLongestServiceNamesTheTool(t *testing.T) {
	for _, services := range [][]string{{"git", "git_hub"}, {"git_hub", "git"}} {
		service, name := nativeTool("git_hub_clone", services)
		require.Equal(t, []string{"git_hub", "clone"}, []string{service, name})
	}
}
