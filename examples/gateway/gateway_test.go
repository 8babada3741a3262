// Package gateway_test keeps the example configurations of the gateway true.
package gateway_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/gateway"
)

func TestExamplesHaveNoFindings(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		found, err := gateway.Lint(name, data)
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

// The manual shows the same configuration, without the comment on top.
func TestTheManualShowsTheExample(t *testing.T) {
	manual, err := os.ReadFile("../../docs/gateway.md")
	require.NoError(t, err)
	example, err := os.ReadFile("agentgateway.yaml")
	require.NoError(t, err)
	_, body, found := strings.Cut(string(example), "config:")
	require.True(t, found)
	require.Contains(t, string(manual), "```yaml\nconfig:"+body+"```")
}
