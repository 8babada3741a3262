package sallyport_test

import (
	"crypto/ed25519"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// denials is a trail as an embedding program may keep one: it names no package of ours
// but this one.
type denials struct{ said []string }

func (d *denials) Append(r *sallyport.AuditRecord) error {
	if r.Event == "" && r.Outcome == audit.OutcomeDeny {
		d.said = append(d.said, r.Tool+": "+r.Findings[0].Category)
	}
	return nil
}
func (*denials) Flush() error { return nil }
func (*denials) Close() error { return nil }

func TestATrailOfOnesOwn(t *testing.T) {
	trail := &denials{}
	e := start(t, func(c *sallyport.Config) { c.Audit = trail })
	require.True(t, e.CheckRequest(t.Context(), call("a", `{"name":"send","arguments":{"key":"AKIA`+`Z7Q4M2XKPLD3W5RT"}}`)).Denied())
	require.NoError(t, e.Shutdown(t.Context()))
	require.Equal(t, []string{"send: secret"}, trail.said)
}

// Two engines after each other keep one chain in a file; both at once do not write it.
func TestATrailInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	file := sallyport.AuditFile{Path: path, SignKey: private, NoSync: true}
	for range 2 {
		sink, err := sallyport.OpenAuditFile(file)
		require.NoError(t, err)
		e := start(t, func(c *sallyport.Config) { c.Audit = sink })
		require.False(t, e.CheckRequest(t.Context(), call("a", `{"name":"x"}`)).Denied())
		_, err = sallyport.OpenAuditFile(file)
		require.ErrorContains(t, err, "another process writes to it")
		require.NoError(t, e.Shutdown(t.Context()))
	}
	sources, err := audit.Files(path)
	require.NoError(t, err)
	r, err := audit.Verify(t.Context(), sources, audit.VerifyOptions{PublicKey: public})
	require.NoError(t, err)
	require.True(t, r.OK(), r.Problems)
	require.EqualValues(t, 1, r.Resumes)
	require.Positive(t, r.Signed)

	_, err = sallyport.OpenAuditFile(sallyport.AuditFile{Path: filepath.Dir(path)})
	require.ErrorContains(t, err, "is a directory")
}

// A key that cannot sign is told of at once, and not by the first checkpoint. A seed is
// half a key.
func TestATrailIsRefusedAKeyThatCannotSign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for _, key := range []ed25519.PrivateKey{{}, make([]byte, ed25519.SeedSize), make([]byte, ed25519.PrivateKeySize+1)} {
		_, err := sallyport.OpenAuditFile(sallyport.AuditFile{Path: path, SignKey: key})
		require.ErrorContains(t, err, "the signing key has")
		require.ErrorContains(t, err, path)
		require.NoFileExists(t, path)
	}
	_, err := sallyport.OpenAuditFile(sallyport.AuditFile{})
	require.ErrorContains(t, err, "without a path")
}
