//go:build cgo

package onnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// library is onnxtest.Library, which cannot be imported from here.
func library(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(LibraryEnv); path != "" {
		return path
	}
	path, err := filepath.Abs("../../bin/lib/libonnxruntime.so.1")
	require.NoError(t, err)
	require.FileExists(t, path, "the ONNX Runtime library is missing: run `make setup`, or set %s to its path", LibraryEnv)
	return path
}

func runtimeOf(t testing.TB) *Runtime {
	t.Helper()
	r, err := Open(library(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func TestOpenCountsReferences(t *testing.T) {
	require.Zero(t, environment.refs)
	a, err := Open(library(t))
	require.NoError(t, err)
	b, err := Open("")
	require.NoError(t, err, "loaded already: nothing is looked for")
	require.Equal(t, 2, environment.refs)
	require.Equal(t, a.Version(), b.Version())
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	require.Equal(t, 1, environment.refs)
	require.NoError(t, b.Close())
	require.Zero(t, environment.refs)
	again, err := Open(library(t))
	require.NoError(t, err, "the library can be loaded again")
	require.NoError(t, again.Close())
	require.Error(t, releaseEnvironment(), "one more than was taken")
	require.Zero(t, environment.refs)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	require.NoError(t, os.WriteFile(text, []byte("not a library"), 0o644))
	for path, reason := range map[string]string{
		filepath.Join(dir, "absent.so"):  "not found",
		dir + string(filepath.Separator): "is a directory",
		text:                             "cannot be loaded",
		"libnosuchlibrary-x.so.9":        "not found",
		fakeLibrary(t, "nothing", ""):    "cannot be loaded",
		fakeLibrary(t, "old", oldSource): "too old",
	} {
		_, err := Open(path)
		var lib *LibraryError
		require.ErrorAs(t, err, &lib, path)
		require.Equal(t, path, lib.Path)
		require.Equal(t, reason, lib.Reason, err.Error())
		require.ErrorContains(t, err, "libonnxruntime 1.24 or newer")
		require.ErrorContains(t, err, LibraryEnv)
		require.Zero(t, environment.refs)
	}
	r, err := Open(library(t))
	require.NoError(t, err, "a failure spoils nothing")
	require.NoError(t, r.Close())
}

// oldSource is a runtime that knows no interface as new as ours.
const oldSource = `
struct base { const void *(*api)(unsigned); const char *(*version)(void); };
static const void *api(unsigned v) { (void)v; return 0; }
static const char *version(void) { return "1.23.2"; }
static const struct base b = { api, version };
const struct base *OrtGetApiBase(void) { return &b; }
`

// fakeLibrary compiles a shared library. A C compiler is there: cgo needs it.
func fakeLibrary(t *testing.T, name, source string) string {
	t.Helper()
	dir := t.TempDir()
	c, so := filepath.Join(dir, name+".c"), filepath.Join(dir, name+".so")
	require.NoError(t, os.WriteFile(c, []byte(source+"\nint sallyport_test_symbol;\n"), 0o644))
	out, err := exec.Command("cc", "-shared", "-fPIC", "-o", so, c).CombinedOutput()
	require.NoError(t, err, string(out))
	return so
}

func TestCandidates(t *testing.T) {
	t.Setenv(LibraryEnv, "/from/the/environment.so")
	require.Equal(t, []string{"/given.so"}, candidates("/given.so"), "a named library is the only one")
	require.Equal(t, []string{"/from/the/environment.so"}, candidates(""))
	t.Setenv(LibraryEnv, "")
	require.Equal(t, fileNames(), candidates(""), "none lies beside a test's executable")

	exe, err := os.Executable()
	require.NoError(t, err)
	beside := filepath.Join(filepath.Dir(exe), "lib")
	require.NoError(t, os.MkdirAll(beside, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(beside)) })
	so := filepath.Join(beside, fileNames()[0])
	require.NoError(t, os.WriteFile(so, nil, 0o644))
	require.Equal(t, append([]string{so}, fileNames()...), candidates(""))
}
