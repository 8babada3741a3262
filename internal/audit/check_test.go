//go:build unix

package audit

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Check finds what Open would, beside a process that writes the file, and leaves
// everything as it was.
func TestCheckFindsWhatOpenWould(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	w, err := Open(Options{Path: at("trail")})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	require.NoError(t, w.Append(&Record{Event: EventStart}))
	require.NoError(t, os.WriteFile(at("foreign"), []byte("not a trail\n"), 0o600))
	require.NoError(t, os.WriteFile(at("empty"), nil, 0o600))
	require.NoError(t, syscall.Mkfifo(at("pipe"), 0o600)) // nobody reads it: opening it would wait
	before, err := os.ReadFile(at("trail"))
	require.NoError(t, err)

	for _, good := range []string{Stdout, at("trail"), at("empty"), at("new"), at("pipe")} {
		require.NoError(t, Check(good), good)
	}
	require.ErrorIs(t, Check(at("foreign")), errForeignFile)
	require.ErrorContains(t, Check(dir), "is a directory")
	require.ErrorIs(t, Check(at("none/trail")), os.ErrNotExist)
	require.ErrorContains(t, Check(at("foreign/trail")), "not a directory")
	if info, err := os.Stat("/proc/self"); err == nil && info.IsDir() {
		require.ErrorContains(t, Check("/proc/self/trail"), "no file can be made")
	}

	after, err := os.ReadFile(at("trail"))
	require.NoError(t, err)
	require.Equal(t, before, after)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 4)
}

// A pipe in the place of the file is not opened, which would wait until somebody reads: the old file stays in use.
func TestReopenDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail")
	w, err := Open(Options{Path: path})
	require.NoError(t, err)
	require.NoError(t, os.Rename(path, path+".1"))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	require.ErrorContains(t, w.Reopen(), "there is a pipe in its place")
	require.NoError(t, w.Append(&Record{Event: EventStart}))
	require.NoError(t, os.Remove(path))
	require.NoError(t, w.Reopen())
	require.NoError(t, w.Close())
	old, err := os.ReadFile(path + ".1")
	require.NoError(t, err)
	require.Contains(t, string(old), `"event":"start"`)
}
