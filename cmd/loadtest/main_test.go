package main

import (
	"context"
	"encoding/json/v2"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/sallyport-mcp/sallyport/cmd/loadtest/mesh"
)

// binary is the sidecar that the commands are tried on.
var binary string

// library is the runtime, as `make setup` leaves it.
const library = "../../bin/lib/libonnxruntime.so.1"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == mesh.EchoCommand {
		os.Exit(run(context.Background(), os.Args[1:])) // the yardstick starts its own program
	}
	code, err := setup(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadtest:", err)
		code = 1
	}
	os.Exit(code)
}

func setup(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "sallyport-loadtest-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lib, err := filepath.Abs(library)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(lib); err != nil {
		return 0, fmt.Errorf("ONNX Runtime is missing, run 'make setup': %w", err)
	}
	if os.Getenv("ONNXRUNTIME_LIB") == "" {
		if err := os.Setenv("ONNXRUNTIME_LIB", lib); err != nil {
			return 0, err
		}
	}
	binary = filepath.Join(dir, "sallyport")
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "../sallyport").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the sidecar: %w\n%s", err, out)
	}
	if code = m.Run(); code == 0 {
		err = goleak.Find(goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	}
	return code, err
}

// reportOf runs a command that writes JSON and returns what it wrote.
func reportOf(t *testing.T, code int, args ...string) map[string]any {
	t.Helper()
	dir := t.TempDir()
	file, page := filepath.Join(dir, "report.json"), filepath.Join(dir, "report.html")
	require.Equal(t, code, run(t.Context(), append(args, "--out", file, "--out", page)))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(data, &got))
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "</html>")
	return got
}

func TestModel(t *testing.T) {
	got := reportOf(t, exitOK, "model", "--duration", "100ms", "--rounds", "2", "--mix", "short,mcp", "--fraction", "0.5,2", "--workers", "1", "--shapes", "100")
	require.Equal(t, "Batched inference", got["title"])
}

func TestServe(t *testing.T) {
	got := reportOf(t, exitOK, "serve", "--sallyport", binary, "--duration", "300ms", "--rate", "50", "--callers", "4", "--set", "MODEL=off")
	require.Equal(t, "The sidecar under load", got["title"])
}

func TestServeWithAYardstick(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "serve.svg")
	got := reportOf(t, exitOK, "serve", "--sallyport", binary, "--duration", "1s", "--rate", "50", "--callers", "4", "--set", "MODEL=off", "--yardstick", "--picture", picture)
	require.Contains(t, fmt.Sprint(got), "bare server and its generator")
	require.FileExists(t, picture)
}

func TestSoak(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "soak.svg")
	// What grows in so short a time is no leak: only that it is measured is tested.
	code := run(t.Context(), []string{"soak", "--sallyport", binary, "--duration", "1s", "--rate", "50", "--set", "MODEL=off", "--out", filepath.Join(t.TempDir(), "soak.txt"), "--picture", picture})
	require.NotEqual(t, exitUsage, code)
	require.FileExists(t, picture)
}

func TestRolling(t *testing.T) {
	got := reportOf(t, exitOK, "drain", "--sallyport", binary, "--row", "rolling", "--restarts", "2")
	require.Contains(t, fmt.Sprint(got), "2 restarts, off the list")
}

// A row with few calls, and one that stops in the middle of the start.
func TestDrain(t *testing.T) {
	page := filepath.Join(t.TempDir(), "drill.md")
	got := reportOf(t, exitOK, "drain", "--sallyport", binary, "--traffic", "200ms", "--row", "warm-up,no-drain", "--markdown", page)
	require.Equal(t, "Shutdown drill", got["title"])
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| warm-up |")
}

func TestMistakesAreUsageErrors(t *testing.T) {
	for name, args := range map[string][]string{
		"no command":      {},
		"unknown command": {"measure"},
		"unknown mix":     {"model", "--mix", "medium"},
		"unknown format":  {"model", "--format", "pdf"},
		"no rounds":       {"model", "--rounds", "0"},
		"gate of itself":  {"model", "--gate"},
		"unknown row":     {"drain", "--row", "once"},
		"no restarts":     {"drain", "--restarts", "0"},
		"soak over":       {"soak", "--share", "1.2"},
		"endless traffic": {"drain", "--traffic", "2h"},
		"bad setting":     {"serve", "--set", "MODEL"},
		"no load":         {"serve", "--fraction", "0"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, exitUsage, run(t.Context(), args)) })
	}
}

// A file that cannot be written is found before half an hour is spent on what goes into it.
func TestFilesAreTriedFirst(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "no", "file")
	for name, args := range map[string][]string{
		"model":           {"model", "--out", none},
		"a folder":        {"model", "--out", dir},
		"serve":           {"serve", "--out", filepath.Join(dir, "a.txt"), "--out", none},
		"a soak's charts": {"soak", "--picture", none},
		"a page":          {"drain", "--markdown", none},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, exitFailed, run(t.Context(), args))
		})
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "a trial leaves nothing")
}

func TestWhatCannotBeMeasuredFails(t *testing.T) {
	for name, args := range map[string][]string{
		"no model":       {"model", "--model", t.TempDir()},
		"no sidecar":     {"drain", "--sallyport", filepath.Join(t.TempDir(), "none")},
		"a stranger":     {"serve", "--addr", "192.0.2.1:9001"},
		"a bad setting":  {"serve", "--sallyport", binary, "--set", "MAX_INFLIGHT=none"},
		"no place to go": {"drain", "--sallyport", binary, "--row", "warm-up", "--out", filepath.Join(t.TempDir(), "none", "x.txt")},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, exitFailed, run(t.Context(), args)) })
	}
}
