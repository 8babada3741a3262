package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUsageErrorsNameTheCommand(t *testing.T) {
	for line, want := range map[string]string{
		"bogus":                    "sallyport: unknown command \"bogus\" for \"sallyport\"\nUsage: sallyport COMMAND\nRun 'sallyport --help' for more.\n",
		"rules":                    "sallyport: \"sallyport rules\" needs a command: default, explain, lint, schema, test\nUsage: sallyport rules COMMAND\nRun 'sallyport rules --help' for more.\n",
		"rules explain pack.yaml":  "sallyport: accepts 2 arg(s), received 1\nUsage: sallyport rules explain PACK TRACE.jsonl [flags]\nRun 'sallyport rules explain --help' for more.\n",
		"scan --phase both":        "sallyport: --phase \"both\": want request or response\nUsage: sallyport scan [FILE] [flags]\nRun 'sallyport scan --help' for more.\n",
		"scan --bogus":             "sallyport: unknown flag: --bogus\nUsage: sallyport scan [FILE] [flags]\nRun 'sallyport scan --help' for more.\n",
		"completion":               "sallyport: \"sallyport completion\" needs a command: bash, fish, powershell, zsh\nUsage: sallyport completion COMMAND\nRun 'sallyport completion --help' for more.\n",
		"completion tcsh":          "sallyport: unknown command \"tcsh\" for \"sallyport completion\"\nUsage: sallyport completion COMMAND\nRun 'sallyport completion --help' for more.\n",
		"help rulez":               "sallyport: unknown command \"rulez\" for \"sallyport\"\nUsage: sallyport help [COMMAND]\nRun 'sallyport help --help' for more.\n",
		"help rules lint extra":    "sallyport: unknown command \"rules lint extra\" for \"sallyport\"\nUsage: sallyport help [COMMAND]\nRun 'sallyport help --help' for more.\n",
		"health --cert c.pem":      "sallyport: --cert and --key are for TLS, which --ca switches on\nUsage: sallyport health [flags]\nRun 'sallyport health --help' for more.\n",
		"audit stats - b":          "sallyport: audit: standard input cannot be put in order with files\n",
		"audit verify --anchor 1x": "sallyport: requires at least 1 arg(s), only received 0\nUsage: sallyport audit verify FILE...|- [flags]\nRun 'sallyport audit verify --help' for more.\n",
	} {
		t.Run(line, func(t *testing.T) {
			var said strings.Builder
			require.Equal(t, exitUsage, run(t.Context(), strings.Fields(line), &said))
			require.Equal(t, want, said.String())
		})
	}
}

// What is wrong with a file is said with its name.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	binary, empty := write("binary", "\xff\xfe\x00"), write("empty", "")
	trace := write("trace.jsonl", "{\"tool\":\"fetch\"}\n{\"tool\":\n")
	pack := write("pack.yaml", "version: 1\nrules:\n  - {name: a, call: {tool: never}}\n")
	for line, want := range map[string]string{
		"scan " + binary:                      "sallyport: scan " + binary + ": it is neither JSON nor UTF-8 text\n",
		"scan " + empty:                       "sallyport: scan " + empty + ": it is empty\n",
		"rules explain " + pack + " " + trace: "sallyport: " + trace + ": explain: line 2: ",
	} {
		t.Run(line, func(t *testing.T) {
			var said strings.Builder
			require.Equal(t, exitFailed, run(t.Context(), strings.Fields(line), &said))
			require.True(t, strings.HasPrefix(said.String(), want), said.String())
		})
	}
}

// An empty pack is a variable that was not set and not the embedded pack, and an empty
// model directory is not the embedded model.
func TestAnEmptyNameIsNone(t *testing.T) {
	for _, args := range [][]string{
		{"rules", "lint", ""}, {"rules", "test", ""}, {"rules", "explain", "", "trace.jsonl"},
		{"model", "inspect", ""}, {"model", "selftest", ""}, {"model", "score", ""}, {"model", "calibrate", "", "--benign", "a"},
	} {
		var said strings.Builder
		require.Equal(t, exitUsage, run(t.Context(), args, &said), args)
		require.Contains(t, said.String(), " is empty; leave it out for ")
	}
}

// later is standard error on a pipe that is read an hour later.
type later struct{ said strings.Builder }

func (l *later) Write(p []byte) (int, error) {
	time.Sleep(time.Hour)
	return l.said.Write(p)
}

// What a command has to say waits for its reader; a sidecar that has ended does not.
func TestOnlyTheSidecarEndsUnread(t *testing.T) {
	for line, waits := range map[string]bool{"rules lint --bogus": true, "serve --bogus": false, "--bogus": false} {
		t.Run(line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipe, begin := &later{}, time.Now()
				require.Equal(t, exitUsage, run(t.Context(), strings.Fields(line), pipe))
				require.Equal(t, waits, time.Since(begin) >= time.Hour)
				time.Sleep(2 * time.Hour) // until it is read in any case
				synctest.Wait()
				require.Contains(t, pipe.said.String(), "unknown flag: --bogus")
			})
		})
	}
}

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

// What a command could not say it has not said, even where the command itself does
// not look.
func TestOutputRemembersTheFirstError(t *testing.T) {
	o := &output{to: &full{left: 3}}
	for _, text := range []string{"ab", "cd", "e"} {
		_, _ = io.WriteString(o, text)
	}
	require.EqualError(t, o.err, "no space left on device")
}
