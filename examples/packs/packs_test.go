// Package packs holds example rule packs for common families of MCP servers. Each is a starting point: copy it, put your own names
// into its lists, and run its tests with "sallyport rules test".
package packs

import (
	"os"
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

// All of them load side by side, with the default pack among them.
func TestExamplePacksTogether(t *testing.T) {
	dir := t.TempDir()
	defaults, err := rules.DefaultFiles()
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, defaults))
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
	}
	problems, err := rules.Lint(dir)
	require.NoError(t, err)
	require.Empty(t, problems)
	pack, err := rules.Load(dir)
	require.NoError(t, err)
	report := pack.Test()
	require.NoError(t, report.Err)
	require.Empty(t, report.Failed)
}
