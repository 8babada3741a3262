//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A model that cannot be proved: the process stays, is not ready, says why wherever
// an operator may look, and refuses every exchange whatever the failure mode.
func TestBrokenModel(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		settings func(t *testing.T) env
		says     []string // all of them, in every channel
	}{
		{"missing directory", func(t *testing.T) env {
			return env{"MODEL": filepath.Join(t.TempDir(), "no-such-model")}
		}, []string{"no-such-model"}},
		{"a file for a directory", func(t *testing.T) env {
			return env{"MODEL": writeFile(t, "model-file", "x")}
		}, []string{"model-file", "not a directory"}},
		{"broken config.json", func(t *testing.T) env {
			return env{"MODEL": modelWith(t, func(dir string) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"id2label": {`), 0o600))
			})}
		}, []string{"config.json"}},
		{"missing model.onnx", func(t *testing.T) env {
			return env{"MODEL": modelWith(t, func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "model.onnx"))) })}
		}, []string{"model.onnx", "not found"}},
		{"truncated model.onnx", func(t *testing.T) env {
			return env{"MODEL": modelWith(t, func(dir string) { require.NoError(t, os.Truncate(filepath.Join(dir, "model.onnx"), 100_000)) })}
		}, []string{"model.onnx"}},
		{"swapped labels", func(t *testing.T) env { return env{"MODEL": modelWith(t, swapLabels(t))} }, []string{"label"}},
		{"no runtime", func(t *testing.T) env {
			return env{"ONNXRUNTIME_LIB": filepath.Join(t.TempDir(), "no-such-lib.so")}
		}, []string{"no-such-lib.so"}},
		{"a text file for a runtime", func(t *testing.T) env {
			return env{"ONNXRUNTIME_LIB": writeFile(t, "text-lib.so", "this is no library\n")}
		}, []string{"text-lib.so"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			settings := row.settings(t)
			s := launch(t, settings.with(env{"FAILURE_MODE": "failOpen"}))
			s.awaitListening()
			var parts map[string]part
			var code int
			eventually(t, func() bool {
				code, parts = s.readiness()
				return containsAll(parts["model"].Reason, row.says) && parts["rules"].Ready
			}, "readyz does not say why: %+v", parts["model"])
			require.Equal(t, http.StatusServiceUnavailable, code)
			require.False(t, parts["model"].Ready)
			t.Run("log", func(t *testing.T) {
				eventually(t, func() bool { return containsAll(s.readLog(), row.says) }, "the log does not say why")
			})
			for _, name := range readinessNames {
				require.Equal(t, notServing, s.status(name))
			}
			require.Equal(t, serving, s.status("liveness"))
			s.refuseAll()
			require.Zero(t, s.metric("mcp_guardrails_serving"))

			// The operator's command says the same, in one line, and ends with 1.
			args := []string{"model", "inspect"}
			if row.name == "swapped labels" {
				args[1] = "selftest"
			}
			if dir := settings["MODEL"]; dir != "" {
				args = append(args, dir)
			}
			code, out := run1(t, settings, args...)
			require.Equal(t, 1, code, out)
			require.True(t, containsAll(out, row.says), out)
			require.True(t, strings.HasPrefix(out, "sallyport: "), out)
		})
	}
}

func containsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return text != ""
}

// refuseAll asks in both phases and insists on the row "not ready".
func (s *sidecar) refuseAll() {
	s.t.Helper()
	s.refused(s.ask(request(`{"name":"forecast","arguments":{}}`)), unavailable)
	s.refused(s.ask(exchange{method: "tools/list"}), unavailable)
	s.refused(s.ask(text("fine weather")), unavailable)
	s.refused(s.ask(request("marzipan")), unavailable)
}

// The same in the other failure mode.
func TestBrokenModelFailClosed(t *testing.T) {
	t.Parallel()
	s := launch(t, env{"MODEL": filepath.Join(t.TempDir(), "no-such-model"), "FAILURE_MODE": "failClosed"})
	s.awaitListening()
	eventually(t, func() bool { _, parts := s.readiness(); return parts["rules"].Ready }, "the rules are not ready")
	s.refuseAll()
}

// swapLabels makes the two labels of config.json change places.
func swapLabels(t *testing.T) func(dir string) {
	return func(dir string) {
		path := filepath.Join(dir, "config.json")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var config map[string]any
		require.NoError(t, json.Unmarshal(data, &config))
		labels, _ := config["id2label"].(map[string]any)
		require.Len(t, labels, 2)
		labels["0"], labels["1"] = labels["1"], labels["0"]
		config["label2id"] = map[string]any{fmt.Sprint(labels["0"]): 0, fmt.Sprint(labels["1"]): 1}
		data, err = json.Marshal(config)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		// The manifest knows the file's hash; without it the self-test must notice.
		require.NoError(t, os.Remove(filepath.Join(dir, "sallyport.json")))
	}
}

// Without a model it serves, and says that it has none.
func TestModelOff(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	s.passed(s.ask(request(`{"name":"forecast"}`)), "pass", "allow")
	require.Equal(t, "pass", s.ask(text("fine weather")).verdict())
	require.Zero(t, s.metric("mcp_guardrails_scanner_results_total", "scanner", "model"))
	t.Run("says so", func(t *testing.T) {
		_, parts := s.readiness()
		require.Contains(t, parts["model"].Reason, "off")
		require.Contains(t, s.readLog(), "model")
	})
}

// A pack that does not load ends the start with its place.
func TestBrokenPackAtStart(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", brokenPack)
	s := launch(t, noModel.with(env{"INVARIANT_RULES_PATH": pack}))
	require.Equal(t, 1, s.exitCode())
	require.Contains(t, s.readLog(), pack+":5:12")

	missing := launch(t, noModel.with(env{"INVARIANT_RULES_PATH": filepath.Join(t.TempDir(), "no-such-pack.yaml")}))
	require.Equal(t, 1, missing.exitCode())
	require.Contains(t, missing.readLog(), "no-such-pack.yaml")

	failing := writeFile(t, "failing.yaml", packThat("shell")+"tests:\n  - name: hopeful\n    calls: [{tool: shell}]\n    fires: []\n")
	untrue := launch(t, noModel.with(env{"INVARIANT_RULES_PATH": failing}))
	require.Equal(t, 1, untrue.exitCode())
	require.Contains(t, untrue.readLog(), "hopeful")
}

// Bad settings end the start with all that is wrong, not with the first of it.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	config := writeFile(t, "sallyport.yaml", "failure_mode: open\ncolour: red\nscan_max_payload_bytes: 1 TiB\n")
	s := launch(t, noModel.with(env{
		"CONFIG": config, "HUMAN_REVIEW_MODE": "maybe", "SHUTDOWN_DRAIN_S": "-1", "TRACE_KEY": "principal",
		"TLS_CERT_FILE": "a.pem", "EXCHANGE_KEY": "too-short-key", "TERMINATION_GRACE_S": "3",
	}), "--log-level", "loud")
	s.secrets = []string{"too-short-key"}
	require.Equal(t, 1, s.exitCode())
	said := s.readLog()
	for _, want := range []string{
		"sallyport.yaml:1:", "sallyport.yaml:2:", "sallyport.yaml:3:", "HUMAN_REVIEW_MODE", "SHUTDOWN_DRAIN_S", "TRACE_KEY",
		"TLS_CERT_FILE", "EXCHANGE_KEY", "TERMINATION_GRACE_S", "log-level",
	} {
		require.Contains(t, said, want)
	}
	unread := launch(t, noModel, "--config", filepath.Join(t.TempDir(), "no-such-file.yaml"))
	require.Equal(t, 1, unread.exitCode())
	require.Contains(t, unread.readLog(), "no-such-file.yaml")
}

// An address that somebody else has ends the start and is named.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	first := serve(t, noModel)
	for _, row := range []struct{ name, addr string }{{"LISTEN_ADDR", first.addr}, {"ADMIN_ADDR", first.admin}} {
		t.Run(row.name, func(t *testing.T) {
			s := launch(t, noModel.with(env{row.name: row.addr}))
			require.Equal(t, 1, s.exitCode())
			require.Contains(t, s.readLog(), row.addr)
			require.Contains(t, s.readLog(), "in use")
		})
	}
	require.Equal(t, serving, first.status(""))
	require.NoError(t, first.callOnce(within(t)))
}

// Two processes cannot write one chain: the second ends and harms nothing.
func TestSecondOnTheSameTrail(t *testing.T) {
	t.Parallel()
	first := serve(t, noModel)
	first.passed(first.ask(request(`{"name":"fine"}`)), "pass", "allow")
	second := launch(t, noModel.with(env{"AUDIT_LOG_PATH": first.trail}))
	require.Equal(t, 1, second.exitCode())
	require.Contains(t, second.readLog(), first.trail)
	require.Contains(t, second.readLog(), "another process")
	first.passed(first.ask(request(`{"name":"fine"}`)), "pass", "allow")
	first.signal(sigTerm)
	require.Zero(t, first.exitCode())
	code, out := run1(t, nil, "audit", "verify", first.trail)
	require.Zero(t, code, out)
}

// A file that is no trail is not written to.
func TestTrailThatIsNone(t *testing.T) {
	t.Parallel()
	notes := writeFile(t, "notes.txt", "remember the milk\n")
	s := launch(t, noModel.with(env{"AUDIT_LOG_PATH": notes}))
	require.Equal(t, 1, s.exitCode())
	require.Contains(t, s.readLog(), notes)
	data, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Equal(t, "remember the milk\n", string(data))
}

// A unix socket serves as a port does, and a stale one is replaced.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.sock")
	settings := noModel.with(env{"LISTEN_ADDR": "unix:" + path})
	s := serve(t, settings)
	s.passed(s.ask(request(`{"name":"fine"}`)), "pass", "allow")
	code, out := run1(t, nil, "health", "--addr", "unix:"+path)
	require.Zero(t, code, out)
	require.NoError(t, s.cmd.Process.Kill())
	<-s.exited
	again := serve(t, settings)
	again.passed(again.ask(request(`{"name":"fine"}`)), "pass", "allow")
	again.signal(sigTerm)
	require.Zero(t, again.exitCode())
	require.NoFileExists(t, path)
}
