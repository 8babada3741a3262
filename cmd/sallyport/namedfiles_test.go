package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/inference"
)

// Each setting that names a file is held to it, and the error says which setting,
// which file and what is wrong.
func TestValidateTriesWhatTheSettingsName(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"text":        "x",
		"pack.yaml":   "version: 1\nrules:\n  - {name: a, call: {tool: x}}\n",
		"broken.yaml": "version: 1\nrules:\n  - {name: a, cal: {tool: x}}\n  - {name: b, call: {tool: 7}, action: never}\n",
		"failing.yaml": "version: 1\nrules:\n  - {name: a, call: {tool: x}}\ntests:\n  - name: t\n" +
			"    calls: [{tool: y}]\n    fires: [a]\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	lib, err := filepath.Abs("../../bin/lib/libonnxruntime.so.1")
	require.NoError(t, err)
	for _, tc := range []struct {
		name string
		set  string   // NAME=value; ./ is the folder of the test
		want []string // nothing: it is right
	}{
		{"pack", "INVARIANT_RULES_PATH=./pack.yaml", nil},
		{"pack absent", "INVARIANT_RULES_PATH=./none.yaml", []string{"none.yaml: no such file"}},
		{"pack folder empty", "INVARIANT_RULES_PATH=./folder", []string{"no *.yaml or *.yml file"}},
		{"pack broken", "INVARIANT_RULES_PATH=./broken.yaml", []string{"broken.yaml:3:15: ", "broken.yaml:4:28: ", "broken.yaml:4:40: "}},
		{"pack whose test fails", "INVARIANT_RULES_PATH=./failing.yaml", []string{"failing.yaml:5:11: ", `"t"`}},
		{"pins new", "PINS_FILE=./pins.json", nil},
		{"pins folder absent", "PINS_FILE=./none/pins.json", []string{"none: no such file"}},
		{"pins broken", "PINS_FILE=./text", []string{"load pins "}},
		{"pins folder that takes no file", "PINS_FILE=/proc/self/pins.json", []string{"no file can be made"}},
		{"trail folder that takes no file", "AUDIT_LOG_PATH=/proc/self/audit.jsonl", []string{"no file can be made"}},
		{"trail that is none", "AUDIT_LOG_PATH=./text", []string{"it holds no line of an audit chain"}},
		{"socket folder that takes no file", "LISTEN_ADDR=unix:/proc/self/s", []string{"no file can be made"}},
		{"trail new", "AUDIT_LOG_PATH=./audit.jsonl", nil},
		{"trail folder absent", "AUDIT_LOG_PATH=./none/audit.jsonl", []string{"none: no such file"}},
		{"trail is a folder", "AUDIT_LOG_PATH=./folder", []string{"is a directory"}},
		{"trail below a file", "AUDIT_LOG_PATH=./text/audit.jsonl", []string{"not a directory"}},
		{"signing key absent", "AUDIT_SIGN_KEY_FILE=./none.pem", []string{"none.pem: no such file"}},
		{"signing key broken", "AUDIT_SIGN_KEY_FILE=./text", []string{"text"}},
		{"socket folder absent", "LISTEN_ADDR=unix:./none/s", []string{"none: no such file"}},
		{"socket is a file", "LISTEN_ADDR=unix:./text", []string{"is not a socket"}},
		{"socket new", "LISTEN_ADDR=unix:./s", nil},
		{"certificate absent", "TLS_CERT_FILE=./none.pem TLS_KEY_FILE=./none.pem", []string{"none.pem: no such file"}},
		{"model absent", "MODEL=./none", []string{"is not a directory"}},
		{"model empty", "MODEL=./folder", []string{"config.json"}},
		{"label unknown", "MODEL_LABEL=NOBODY MODEL=default", []string{`"NOBODY"`}},
		{"label known", "MODEL_LABEL=MALICIOUS MODEL=default", nil},
		{"runtime absent", "ONNXRUNTIME_LIB=./none.so MODEL=default", []string{"none.so"}},
		{"exporter unknown", "OTEL_TRACES_EXPORTER=jaeger", []string{"jaeger"}},
		{"collector", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", nil},
		{"queue and sampler", "OTEL_BSP_MAX_QUEUE_SIZE=-1 OTEL_TRACES_SAMPLER=never OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", []string{"2 problems", "SAMPLER: \"never\""}},
		{"runtime that is none", "ONNXRUNTIME_LIB=./text MODEL=default", []string{"text"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("MODEL", "off")
			t.Setenv("ONNXRUNTIME_LIB", lib)
			for set := range strings.FieldsSeq(tc.set) {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, strings.ReplaceAll(value, "./", dir+"/"))
			}
			setting, _, _ := strings.Cut(tc.set, "=")
			var said strings.Builder
			code := run(t.Context(), []string{"config", "validate"}, &said)
			if tc.want == nil {
				require.Zero(t, code, said.String())
				return
			}
			require.Equal(t, exitFailed, code)
			require.NotContains(t, said.String(), setting+": "+setting)
			for _, want := range append(tc.want, setting+": ") {
				require.Contains(t, said.String(), want)
			}
		})
	}
}

// TestValidateMissesTheRuntime: the models are in the binary, what reads them is not. A binary that was copied
// without its library starts and never gets ready.
func TestValidateMissesTheRuntime(t *testing.T) {
	if lib, err := inference.OpenRuntime(""); err == nil {
		require.NoError(t, lib.Close())
		t.Skip("ONNX Runtime is installed here")
	}
	for model, want := range map[string]int{"default": exitFailed, "off": exitOK} {
		t.Setenv("MODEL", model)
		var said strings.Builder
		require.Equal(t, want, run(t.Context(), []string{"config", "validate"}, &said), model)
		require.Equal(t, want == exitFailed, strings.Contains(said.String(), "ONNXRUNTIME_LIB: load onnx runtime"), said.String())
	}
}
