// Package packs holds example rule packs for common families of MCP servers. Each is a starting point: copy it, put your own names
// into its lists, and run its tests with "sallyport rules test".
package packs

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/rules"
)

func TestExamplePacks(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 7)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			problems, err := rules.Lint(file)
			require.NoError(t, err)
			require.Empty(t, problems)
			pack, err := rules.Load(file)
			require.NoError(t, err)
			report := pack.Test()
			require.NoError(t, report.Err)
			require.Empty(t, report.Failed)
			require.GreaterOrEqual(t, report.Passed, 4)
			require.Equal(t, file, pack.Name()+".yaml")
		})
	}
}
