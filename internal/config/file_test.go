package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/rules/toolglob"
)

func TestFileIsStrict(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"syntax", "log_level: [", "sallyport.yaml:1:12: "},
		{"duplicate key", "log_level: info\nlog_level: warn\n", "sallyport.yaml:2:1: "},
		{"not a mapping", "- a\n", "sallyport.yaml:1:1: the file is not a mapping"},
		{"a second document", "log_level: info\n---\nlog_level: warn\n", "sallyport.yaml:3:10: holds a second YAML document"},
		{"no value", "log_level:\n", "LOG_LEVEL: has no value"},
		{"a mapping where a value stands", "log_level: {a: b}\n", "LOG_LEVEL: is a mapping, want a plain value or a list"},
		{"a list in a list", "deny_tools: [[a]]\n", "DENY_TOOLS: the list holds something that is not a plain value"},
		{"an alias", "deny_tools: &x [a]\nallow_tools: *x\n", "sallyport.yaml:1:13: DENY_TOOLS: has an anchor or an alias, which are not supported"},
		{"an alias of a group", "shutdown: &x {drain_s: 1}\n", "sallyport.yaml:1:11: shutdown is not a mapping: it holds drain_s, grace_s, cleanup_s"},
		{"a value where a group stands", "model: off\n", "sallyport.yaml:1:8: model is not a mapping: it holds source, file, gate, label, workers, max_windows, judge_windows, queue_tokens, cache"},
		{"a value where a profile's settings stand", "profiles:\n  - {service: a, set: 1}\n", "set is not a mapping: it holds settings"},
		{"a merge", "shutdown:\n  <<: {drain_s: 1}\n", "sallyport.yaml:2:3: merge keys are not supported"},
		{"the file names itself", "config: other.yaml\n", `sallyport.yaml:1:1: unknown setting "config"`},
		{"another case", "Log_Level: info\n", `unknown setting "Log_Level" (did you mean "log_level"?)`},
		{"a dotted key", "shutdown.drain_s: 1\n", `sallyport.yaml:1:1: key "shutdown.drain_s" holds a dot: groups are nested mappings`},
		{"an environment name", "SHUTDOWN_DRAIN_S: 1\n", `unknown setting "SHUTDOWN_DRAIN_S" (did you mean "shutdown.drain_s"?)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := read(t, tc.yaml, nil, nil)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestFileIsBounded(t *testing.T) {
	_, err := read(t, strings.Repeat("#", maxFile)+"\n", nil, nil)
	require.EqualError(t, err, "configuration: sallyport.yaml: is over 1048576 bytes")
	_, err = read(t, "profiles:\n"+strings.Repeat("- {service: a}\n", maxProfiles+1), nil, nil)
	require.ErrorContains(t, err, "profiles holds over 256 entries")
	_, err = read(t, "deny_tools: ['', a]\n", nil, nil)
	require.ErrorContains(t, err, "DENY_TOOLS: holds an empty entry")
	_, err = read(t, "deny_tools: [\"a\\nb\"]\n", nil, nil)
	require.ErrorContains(t, err, "holds a character that cannot be seen")
	_, err = read(t, "deny_tools: "+strings.Repeat("a", toolglob.MaxBytes+1)+"\n", nil, nil)
	require.ErrorContains(t, err, "holds a glob over 256 bytes")
	_, err = read(t, "model: {source: ''}\n", nil, nil)
	require.ErrorContains(t, err, "MODEL: may not be empty")
	_, err = read(t, "max_inflight: "+strings.Repeat("9", 200)+"\n", nil, nil)
	require.ErrorContains(t, err, `MAX_INFLIGHT: "`+strings.Repeat("9", 80)+`..." is not a whole number`)
}

func TestFilesThatSetNothing(t *testing.T) {
	for _, yaml := range []string{"# nothing\n", "---\n", "{}", "shutdown:\n", "\ufefflog_level: info\n"} {
		require.Equal(t, "info", good(t, yaml, nil).LogLevel, "%q", yaml)
	}
}

// A reload in the moment in which a file is cut to be written anew drops no DENY_TOOLS.
func TestFileWithoutABytesWorthIsRefused(t *testing.T) {
	for _, yaml := range []string{"\n", " \n\t"} {
		_, err := read(t, yaml, nil, nil)
		require.ErrorContains(t, err, "sallyport.yaml: is empty; a file that sets nothing holds {}", "%q", yaml)
	}
	var problems Problems
	parseFile("sallyport.yaml", nil, &problems)
	require.Len(t, problems, 1)
}

func TestScalarsKeepTheirText(t *testing.T) {
	s := good(t, "model:\n  source: /models/own\n  label: 'off'\n  file: |-\n    a.onnx\n  gate: off\npins_file: 0123\nscan_max_payload_bytes: 1MiB\n", nil)
	require.Equal(t, "off", s.ModelLabel)
	require.Equal(t, "a.onnx", s.ModelFile)
	require.False(t, s.ModelGate)
	require.Equal(t, "0123", s.PinsFile, "a name that looks like a number stays as written")
	require.EqualValues(t, mib, s.ScanMaxPayloadBytes)
}

// Whatever the bytes are, reading ends with a document or with problems, and
// every value that came through is one of the table.
func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		"log_level: info\n", "shutdown: {drain_s: 1}\n", "profiles:\n- {service: a, set: {dry_run: true}}\n",
		"a: &x 1\nb: *x\n", "? [a]\n: b\n", "deny_tools:\n- a\n- b\n", "!!binary x", "\x00", "a:\n\t- b", "profiles: [{set: {pg: [1]}}]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var problems Problems
		doc := parseFile("fuzz.yaml", data, &problems)
		for path := range doc.leaves {
			if filePaths[path] == nil {
				t.Fatalf("path %q is not in the table", path)
			}
		}
		base := Defaults()
		for i := range doc.profiles {
			doc.profiles[i].resolve(base)
		}
	})
}
