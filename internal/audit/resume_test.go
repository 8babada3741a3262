package audit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRotatedName(t *testing.T) {
	for name, want := range map[string]bool{
		"audit.log.1": true, "audit.log.12.gz": true, "audit.log-20260102": true, "audit.log_2": true, "audit.log.old": true, "audit.log.bak": true,
		"audit-20260102.log": true, "audit-2026-01-02T03-04-05.000.log": true, "audit.1.log": true, "audit-20260102.log.gz": true,
		"audit.log": false, "audit.log.": false, "audit.logs": false, "audit.log.lock": false, "audit.log.swp": false,
		"audit-b.log": false, "audit-b-1.log": false, "other.log.1": false, "audit": false, "audit-1.txt": false, "xaudit.log.1": false, "": false,
	} {
		require.Equal(t, want, rotatedName("audit.log", name), name)
	}
	require.True(t, rotatedName("audit", "audit.1"))
	require.False(t, rotatedName("audit", "audit-b"))
}

// A file longer than the window that is searched for its last line, plain and compressed.
func TestResumeOfALargeFile(t *testing.T) {
	b := newBench(t)
	w := b.start()
	large := fullRecord()
	for range MaxFindings {
		large.Findings = append(large.Findings, Finding{Detector: strings.Repeat("d", 200), Path: strings.Repeat("p", 400)})
	}
	for w.Head().Seq < 3*tailWindow/45_000 {
		require.NoError(t, w.Append(large))
	}
	require.NoError(t, w.Close())
	info, err := os.Stat(b.path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(2*tailWindow))
	head := w.Head()
	tail, err := readTail(OS(), b.path)
	require.NoError(t, err)
	require.Equal(t, head, Anchor{tail.seq, tail.hash})

	plain, err := os.ReadFile(b.path)
	require.NoError(t, err)
	var z bytes.Buffer
	zw := gzip.NewWriter(&z)
	_, err = zw.Write(plain)
	require.NoError(t, errors.Join(err, zw.Close()))
	require.NoError(t, os.WriteFile(b.path+".1.gz", z.Bytes(), 0o600))
	tail, err = readTail(OS(), b.path+".1.gz")
	require.NoError(t, err)
	require.Equal(t, head, Anchor{tail.seq, tail.hash})

	// More noise after the last line than the window holds is no audit file any more.
	require.NoError(t, os.WriteFile(b.path, append(plain, bytes.Repeat([]byte("noise\n"), tailWindow/6+1)...), 0o600))
	_, err = Open(b.opt)
	require.ErrorIs(t, err, errForeignFile)
}

// The newest line wins, not the newest file, and a name relative to the current folder works.
func TestNewestSibling(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	lines := chain(t, 6, nil)
	for name, upTo := range map[string]int{"audit.log.2": 2, "audit.log.1": 5, "audit.log.3": 1} {
		require.NoError(t, os.WriteFile(name, bytes.Join(lines[:upTo], nil), 0o600))
	}
	require.NoError(t, os.WriteFile("audit.log.4", nil, 0o600))
	require.NoError(t, os.Mkdir("audit.log.5", 0o700))
	require.NoError(t, os.WriteFile("audit.log.6.gz", []byte("not gzip"), 0o600))
	for _, path := range []string{"audit.log", filepath.Join(dir, "audit.log")} {
		tail, err := newestSibling(OS(), path)
		require.NoError(t, err)
		require.EqualValues(t, 5, tail.seq)
	}
}

func TestReopenFindsBytesInTheNewFile(t *testing.T) {
	b := newBench(t)
	w := b.start()
	b.write(w, 1)
	require.NoError(t, os.Rename(b.path, b.path+".1"))
	require.NoError(t, os.WriteFile(b.path, []byte("half a line of somebody else"), 0o600))
	require.NoError(t, w.Reopen())
	require.NoError(t, w.Close())
	require.Equal(t, "damaged resume(rotation) checkpoint", events(b.lines(b.path)), "our lines do not join theirs")
}
