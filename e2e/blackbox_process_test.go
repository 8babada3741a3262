//go:build unix

package e2e

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever reads the trail from standard output may end before the sidecar. Under
// continue it goes on serving, under deny it refuses, and in neither case does it
// die of the broken pipe.
func TestBlackboxBrokenPipe(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"continue": "pass", "deny": "UNKNOWN"} {
		t.Run(mode, func(t *testing.T) {
			read, write, err := os.Pipe()
			require.NoError(t, err)
			s := launchWith(t, noModel.with(env{"AUDIT_LOG_PATH": "-", "AUDIT_FAILURE_MODE": mode}), func(cmd *exec.Cmd) { cmd.Stdout = write })
			require.NoError(t, write.Close())
			lines := bufio.NewReader(read)
			for { // the trail is there until its reader goes
				line, err := lines.ReadString('\n')
				require.NoError(t, err)
				if strings.Contains(line, `"event":"ready"`) {
					break
				}
			}
			s.awaitServing()
			require.NoError(t, read.Close())
			call := toolCall(`{"name":"forecast"}`)
			eventually(t, func() bool {
				r := s.wire(call)
				checkShape(t, call, r)
				return s.metric("mcp_guardrails_audit_dropped_total") > 0 && r.verdict == want
			}, "no line was lost")
			if mode == "deny" {
				eventually(t, func() bool { return s.status("") == notServing }, "a replica that must refuse everything is still ready")
			} else {
				require.Equal(t, serving, s.status(""))
			}
			s.awaitLog("audit lines cannot be written", nil)
			s.signal(syscall.SIGTERM)
			require.Equal(t, 1, s.exitCode(), "lines were lost")
		})
	}
}

// Whoever reads the log may stop reading without going away. That holds up neither
// the start nor a call that has something to log, nor the end, which took for ever.
func TestBlackboxStalledLog(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	fd := int(write.Fd())
	require.NoError(t, syscall.SetNonblock(fd, true))
	for err == nil { // full before the first line
		_, err = syscall.Write(fd, make([]byte, 4096))
	}
	require.ErrorIs(t, err, syscall.EAGAIN)
	require.NoError(t, syscall.SetNonblock(fd, false))
	s := launchWith(t, noModel.with(env{"SHUTDOWN_GRACE_S": "1", "SHUTDOWN_CLEANUP_S": "1"}), func(cmd *exec.Cmd) { cmd.Stderr = write })
	require.NoError(t, write.Close())
	eventually(t, func() bool { // the log cannot say it
		r, err := http.Get("http://" + s.admin + "/readyz")
		if err != nil {
			return false
		}
		return r.Body.Close() == nil && r.StatusCode == http.StatusOK
	}, "never ready")
	call := toolCall(`{"name":"forecast"}`)
	require.Equal(t, "pass", s.wire(call).verdict)
	s.signal(syscall.SIGHUP)
	eventually(t, func() bool { return s.metric("mcp_guardrails_rules_reload_total") >= 2 }, "no reload")
	s.signal(syscall.SIGTERM)
	require.Equal(t, 0, s.exitCode())
}

// A signal that comes while the sidecar is still starting is not lost: what it
// points at may have changed since it was read.
func TestBlackboxSignalsDuringStart(t *testing.T) {
	t.Parallel()
	config := writeFile(t, "sallyport.yaml", "log_level: info\n")
	s := launch(t, noModel.with(env{"CONFIG": config}))
	s.awaitListening() // the settings were read, the rules are being compiled
	replaceFile(t, config, "log_level: warn\ndeny_tools: [forecast]\ngrpc: {max_conns: 9}\n")
	s.signal(syscall.SIGHUP)
	s.signal(syscall.SIGUSR1)
	s.awaitLog("setting changed", func(l logLine) bool { return l.text("setting") == "DENY_TOOLS" })
	s.awaitServing()
	eventually(t, func() bool { return s.wire(toolCall(`{"name":"forecast"}`)).verdict == "PERMISSION_DENIED" }, "the new settings are not in force")
	s.awaitLog("setting changed but needs a restart", func(l logLine) bool { return l.text("setting") == "GRPC_MAX_CONNS" })
}

// A reload says what came of it even when nothing did.
func TestBlackboxReloadSumsUp(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", wirePack)
	config := writeFile(t, "sallyport.yaml", "dry_run: false\n")
	s := serve(t, noModel.with(env{"CONFIG": config, "INVARIANT_RULES_PATH": pack}))
	summary := func(changed, restart, failed []any) {
		t.Helper()
		n := len(s.logLines(func(l logLine) bool { return l.text("msg") == "reload done" }))
		s.signal(syscall.SIGHUP)
		var last logLine
		eventually(t, func() bool {
			lines := s.logLines(func(l logLine) bool { return l.text("msg") == "reload done" })
			if len(lines) == n {
				return false
			}
			last = lines[len(lines)-1]
			return true
		}, "no summary")
		require.Equal(t, []any{changed, restart, failed}, []any{last["changed"], last["need_restart"], last["failed"]})
	}
	none := []any{}
	summary(none, none, none)
	replaceFile(t, config, "dry_run: true\nmax_inflight: 7\n")
	summary([]any{"DRY_RUN"}, []any{"MAX_INFLIGHT"}, none)
	replaceFile(t, config, "dry_run: perhaps\n")
	summary(none, none, []any{"settings"})
	replaceFile(t, config, "dry_run: true\n")
	replaceFile(t, pack, brokenPack)
	summary(none, none, []any{"policy"})
	s.signal(syscall.SIGUSR1)
	s.awaitLog("audit file opened again", nil)
}

// With one processor, few file descriptors and little memory it still serves.
func TestBlackboxSmallHost(t *testing.T) {
	t.Parallel()
	s := launchWith(t, env{"GOMAXPROCS": "1", "GOMEMLIMIT": "64MiB"}, func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", `ulimit -n 32 && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	})
	s.awaitServing()
	for range 40 { // more connections than it has descriptors for: some wait, none breaks it
		s.dial().Connect()
	}
	require.Equal(t, "PERMISSION_DENIED", s.wire(toolResult(`{"content":[{"type":"text","text":`+q(attack)+`}]}`)).verdict)
	require.Equal(t, serving, s.status(""))
}

// The trail of a life begins with its start and ends with its stop, and every line
// is no older than the one before.
func TestBlackboxTrailOfALife(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	s.wire(toolCall(`{"name":"forecast"}`))
	s.signal(syscall.SIGTERM)
	require.Zero(t, s.exitCode())
	var story []string
	last := ""
	for _, l := range s.lines() {
		if l.Event != "checkpoint" {
			story = append(story, l.Event+l.Outcome)
		}
		ts := l.Time.Format("2006-01-02T15:04:05.000")
		require.LessOrEqual(t, last, ts)
		last = ts
	}
	require.Equal(t, []string{"start", "rules_reload", "ready", "allow", "drain", "stop"}, story)
}

// The first thing the process does is listen for signals: before that, one would end
// it by signal, as a crash does, and not in order.
func TestBlackboxSignalBeforeMain(t *testing.T) {
	t.Parallel()
	// The runtime says of every package when it was set up; nothing of ours has
	// run by then.
	s := launch(t, noModel.with(env{"GODEBUG": "inittrace=1"}))
	eventually(t, func() bool {
		return strings.Contains(s.readLog(), "\ninit github.com/sallyport-mcp/sallyport/internal/early ")
	}, "the package that catches signals was not set up")
	s.signal(syscall.SIGTERM)
	require.Equal(t, 0, s.exitCode())
	log := s.readLog()
	early := strings.Index(log, "sallyport/internal/early ")
	for _, slow := range []string{"sallyport/content ", "sallyport/internal/config ", "golang.org/x/text/language/display "} {
		require.Contains(t, log, slow)
		require.Less(t, early, strings.Index(log, slow), "set up later than %s", slow)
	}
}

// A stop is obeyed while the settings are waited for: nobody may ever write what they
// are read from.
func TestBlackboxStopBeforeTheSettings(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "sallyport.yaml")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	s := launch(t, noModel.with(env{"CONFIG": pipe}))
	var held *os.File
	eventually(t, func() (reading bool) {
		var err error
		held, err = os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0) // an error until somebody reads
		return err == nil
	}, "the settings were not read")
	defer held.Close()
	s.signal(syscall.SIGTERM)
	require.Zero(t, s.exitCode())
}

// A watched pack is read again however it changes; one that is broken or gone leaves
// what is in force.
func TestBlackboxWatchedPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	pack := func(tool string) string { return "version: 1\nrules:\n  - {name: r, call: {tool: " + tool + "}}\n" }
	release := func(name, text string) {
		t.Helper()
		require.NoError(t, os.Mkdir(at(name), 0o750))
		replaceFile(t, filepath.Join(at(name), "pack.yaml"), text)
		require.NoError(t, os.Symlink(name, at("next")))
		require.NoError(t, os.Rename(at("next"), at("current")))
	}
	release("v1", pack("one"))
	s := serve(t, noModel.with(env{"RULES_WATCH": "true", "INVARIANT_RULES_PATH": at("current")}))
	refuses := func(tool, why string) {
		t.Helper()
		eventually(t, func() bool { return s.wire(toolCall(`{"name":"`+tool+`"}`)).verdict == "PERMISSION_DENIED" }, why)
	}
	failed := func(n float64) {
		t.Helper()
		eventually(t, func() bool { return s.metric("mcp_guardrails_rules_reload_total", "result", "error") == n }, "no reload failed")
	}
	refuses("one", "the pack is not in force")
	release("v2", pack("two"))
	refuses("two", "a link that leads to another directory was not seen")
	replaceFile(t, at("v2/pack.yaml"), pack("three"))
	refuses("three", "a file behind the link was not seen")
	replaceFile(t, at("v2/pack.yaml"), "version: 1\nrules: [\n")
	failed(1)
	refuses("three", "a broken pack is in force")
	require.NoError(t, os.Remove(at("v2/pack.yaml")))
	failed(2)
	refuses("three", "nothing is in force")
	require.Equal(t, serving, s.status(""))
	require.NoError(t, os.Remove(at("v2")))
	release("v3", pack("four"))
	refuses("four", "a new directory was not seen")
}
