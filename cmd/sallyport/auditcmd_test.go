package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
)

// A trail whose beginning is not there verifies, as it must after a rotation, but not
// without a word.
func TestVerifySaysWhereATrailBegins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	trail, err := sallyport.OpenAuditFile(sallyport.AuditFile{Path: path})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, trail.Append(&sallyport.AuditRecord{Event: "ready"}))
	}
	require.NoError(t, trail.Close())

	out, errText, code := runCommand(t, "", "audit", "verify", path)
	require.Equal(t, exitOK, code, errText)
	require.NotContains(t, out, "it begins with")

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	_, rest, _ := bytes.Cut(whole, []byte("\n"))
	require.NoError(t, os.WriteFile(path, rest, 0o600))
	out, errText, code = runCommand(t, "", "audit", "verify", path)
	require.Equal(t, exitOK, code, errText)
	require.Contains(t, out, "it begins with line 2: what was before that is in none of the files\n")
}
