//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/audit"
)

// packThat forbids one tool.
func packThat(forbids string) string {
	return fmt.Sprintf("version: 1\nname: e2e\nrules:\n  - name: forbidden\n    call: {tool: %s}\n", forbids)
}

// brokenPack is wrong in its fifth line, eleventh column.
const brokenPack = "version: 1\nname: e2e\nrules:\n  - name: forbidden\n    call: {tol: shell}\n"

// reloads is a count of the reload counter.
func (s *sidecar) reloads(result string) float64 {
	s.t.Helper()
	return s.metric("mcp_guardrails_rules_reload_total", "result", result)
}

// caller calls without a pause until it is stopped or a call fails, and reports
// what went wrong. One failed call has failed the test; a caller that went on
// against a process that is gone would do nothing but collect errors, thousands a
// second for as long as the test waits.
type caller struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	mu     sync.Mutex
	counts map[string]int
	failed []error
}

// callAll keeps n callers busy, all on one connection.
func (s *sidecar) callAll(n int, x exchange) *caller {
	ctx, cancel := context.WithCancel(context.Background())
	c := &caller{cancel: cancel, counts: map[string]int{}}
	for range n {
		c.done.Add(1)
		go func() {
			defer c.done.Done()
			for ctx.Err() == nil {
				a, err := x.try(ctx, s.mcp)
				if ctx.Err() != nil {
					return
				}
				c.mu.Lock()
				if err != nil {
					c.failed = append(c.failed, err)
					c.mu.Unlock()
					return
				}
				c.counts[a.verdict()]++
				c.mu.Unlock()
			}
		}()
	}
	s.t.Cleanup(func() { cancel(); c.done.Wait() })
	return c
}

func (c *caller) count(verdict string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts[verdict]
}

// stop ends the calls and returns what they saw.
func (c *caller) stop() (counts map[string]int, failed []error) {
	c.cancel()
	c.done.Wait()
	return c.counts, c.failed
}

// A good pack takes effect under load without a failed call; a broken one changes
// nothing and says where it is broken; the repaired one takes effect again.
func TestLC07ReloadUnderLoad(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", packThat("shell"))
	s := serve(t, noModel.with(env{"INVARIANT_RULES_PATH": pack}))
	load := s.callAll(4, request(`{"name":"shell","arguments":{}}`))
	eventually(t, func() bool { return load.count("PERMISSION_DENIED") > 20 }, "no calls")
	require.Zero(t, load.count("pass"))

	replaceFile(t, pack, packThat("other"))
	s.signal(sigHup)
	eventually(t, func() bool { return load.count("pass") > 20 }, "the good pack has no effect")
	require.Equal(t, "pass", s.ask(request(`{"name":"shell"}`)).verdict())
	require.Equal(t, "PERMISSION_DENIED", s.ask(request(`{"name":"other"}`)).verdict())
	good := s.reloads("success")
	errorsBefore := s.reloads("error")
	version := s.metrics()["mcp_guardrails_rules_version"].String()

	replaceFile(t, pack, brokenPack)
	s.signal(sigHup)
	l := s.awaitLine("the failed reload", func(l audit.Line) bool { return l.Event == audit.EventRulesReload && l.OK != nil && !*l.OK })
	require.Contains(t, l.Reason, "pack.yaml:5:")
	said := s.awaitLog("reload failed", nil)
	require.Contains(t, said.text("error"), pack+":5:12", "file, line and column")
	require.Contains(t, said.text("error"), "tol")
	require.Equal(t, errorsBefore+1, s.reloads("error"))
	require.Equal(t, good, s.reloads("success"))
	require.Equal(t, version, s.metrics()["mcp_guardrails_rules_version"].String())
	require.Zero(t, s.metric("mcp_guardrails_rules_last_reload_successful"))
	require.Equal(t, serving, s.status(""))
	require.Equal(t, "pass", s.ask(request(`{"name":"shell"}`)).verdict())
	require.Equal(t, "PERMISSION_DENIED", s.ask(request(`{"name":"other"}`)).verdict())

	replaceFile(t, pack, packThat("shell"))
	denied := load.count("PERMISSION_DENIED")
	s.signal(sigHup)
	eventually(t, func() bool { return load.count("PERMISSION_DENIED") > denied+20 }, "the repaired pack has no effect")
	require.EqualValues(t, 1, s.metric("mcp_guardrails_rules_last_reload_successful"))
	require.Equal(t, serving, s.status(""))
	counts, failed := load.stop()
	require.Empty(t, failed)
	require.Equal(t, []string{"PERMISSION_DENIED", "pass"}, keys(counts))
}

// LC-09: a mounted config map changes by a link that is swapped.
func TestLC09SwappedLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	version := func(name, forbids string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "rules.yaml"), []byte(packThat(forbids)), 0o600))
		require.NoError(t, os.Symlink(name, filepath.Join(dir, "..data~")))
		require.NoError(t, os.Rename(filepath.Join(dir, "..data~"), filepath.Join(dir, "..data")))
	}
	version("..v1", "shell")
	require.NoError(t, os.Symlink("..data/rules.yaml", filepath.Join(dir, "rules.yaml")))
	for _, path := range []string{filepath.Join(dir, "rules.yaml"), dir} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := serve(t, noModel.with(env{"INVARIANT_RULES_PATH": path}))
			require.Equal(t, "PERMISSION_DENIED", s.ask(request(`{"name":"shell"}`)).verdict())
			version("..v2", "other")
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "..v1")))
			s.signal(sigHup)
			eventually(t, func() bool { return s.ask(request(`{"name":"other"}`)).verdict() == "PERMISSION_DENIED" }, "the new pack has no effect")
			require.Equal(t, "pass", s.ask(request(`{"name":"shell"}`)).verdict())
			require.Zero(t, s.reloads("error"))
			// Back, for the next path.
			version("..v1", "shell")
			require.NoError(t, os.RemoveAll(filepath.Join(dir, "..v2")))
		})
	}
}

// A reloadable setting of the file takes effect, one that is not is named.
func TestReloadSettings(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", wirePack)
	file := func(mode string, inflight int, more string) string {
		return fmt.Sprintf("failure_mode: %s\nmax_inflight: %d\ninvariant: {rules_path: %s}\n%s", mode, inflight, pack, more)
	}
	config := writeFile(t, "sallyport.yaml", file("failClosed", 100, ""))
	s := serve(t, noModel.with(env{"CONFIG": config}))
	faulty := request(`{"name":"adds","arguments":{"n":"one"}}`)
	require.Equal(t, "UNKNOWN", s.ask(faulty).verdict())

	replaceFile(t, config, file("failOpen", 50, "deny_tools: [shell]\n"))
	s.signal(sigHup)
	eventually(t, func() bool { return s.ask(faulty).verdict() == "pass" }, "FAILURE_MODE was not taken over")
	require.Equal(t, "PERMISSION_DENIED", s.ask(request(`{"name":"shell"}`)).verdict())
	s.awaitLog("setting changed but needs a restart", func(l logLine) bool { return l.text("setting") == "MAX_INFLIGHT" })
	changed := s.awaitLog("setting changed", func(l logLine) bool { return l.text("setting") == "FAILURE_MODE" })
	require.Equal(t, []string{"failClosed", "failOpen"}, []string{changed.text("from"), changed.text("to")})
	_, body := s.get("/config")
	require.Contains(t, body, "failOpen")

	// A file that is wrong changes nothing and is told with its place.
	replaceFile(t, config, file("failSafe", 100, "colour: red\n"))
	s.signal(sigHup)
	said := s.awaitLog("reload failed", func(l logLine) bool { return l.text("part") == "settings" })
	for _, want := range []string{"sallyport.yaml:1:", "failSafe", "sallyport.yaml:4:", "colour"} {
		require.Contains(t, said.text("error"), want)
	}
	require.Equal(t, "pass", s.ask(faulty).verdict())
	require.Equal(t, serving, s.status(""))

	replaceFile(t, config, file("failClosed", 100, "log_level: error\n"))
	s.signal(sigHup)
	eventually(t, func() bool { return s.ask(faulty).verdict() == "UNKNOWN" }, "FAILURE_MODE was not taken back")
	require.Equal(t, "pass", s.ask(request(`{"name":"shell"}`)).verdict())
}

// A new FAILURE_MODE counts although the pack beside it is broken.
func TestReloadPartsFailAlone(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", wirePack)
	config := writeFile(t, "sallyport.yaml", "invariant: {rules_path: "+pack+"}\n")
	s := serve(t, noModel.with(env{"CONFIG": config}))
	replaceFile(t, config, "invariant: {rules_path: "+pack+"}\nfailure_mode: failOpen\n")
	replaceFile(t, pack, brokenPack)
	s.signal(sigHup)
	faulty := request(`{"name":"adds","arguments":{"n":"one"}}`)
	eventually(t, func() bool { return s.ask(faulty).verdict() == "pass" }, "FAILURE_MODE was not taken over")
	require.EqualValues(t, 1, s.reloads("error"))
	require.Equal(t, "PERMISSION_DENIED", s.ask(request(`{"name":"vault_open"}`)).verdict(), "the rules in force stay")
}

// A pipe in the place of a file that the settings are read from holds up no reload:
// nobody writes to it.
func TestReloadDoesNotWaitForAPipe(t *testing.T) {
	t.Parallel()
	config, key := writeFile(t, "sallyport.yaml", "failure_mode: failClosed\n"), writeFile(t, "key", strings.Repeat("k", 32))
	s := serve(t, noModel.with(env{"CONFIG": config, "AUDIT_HMAC_KEY_FILE": key}))
	for i, path := range []string{config, key} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		s.signal(sigHup)
		eventually(t, func() bool { return s.reloads("error") == float64(i+1) }, "the pipe was waited for")
		replaceFile(t, path, string(text))
	}
	replaceFile(t, config, "failure_mode: failOpen\n")
	s.signal(sigHup)
	s.awaitLog("setting changed", func(l logLine) bool { return l.text("setting") == "FAILURE_MODE" })
}

// A burst of signals under load ends with the newest pack and breaks no call.
func TestReloadBurst(t *testing.T) {
	t.Parallel()
	pack := writeFile(t, "pack.yaml", packThat("shell-0"))
	s := serve(t, noModel.with(env{"INVARIANT_RULES_PATH": pack}))
	load := s.callAll(2, request(`{"name":"fine","arguments":{}}`))
	const n = 50
	for i := range n {
		replaceFile(t, pack, packThat(fmt.Sprintf("shell-%d", i+1)))
		s.signal(sigHup)
	}
	last := request(fmt.Sprintf(`{"name":"shell-%d"}`, n))
	eventually(t, func() bool { return s.ask(last).verdict() == "PERMISSION_DENIED" }, "the last pack has no effect")
	require.Equal(t, "pass", s.ask(request(`{"name":"shell-0"}`)).verdict())
	require.Zero(t, s.reloads("error"))
	eventually(t, func() bool { return load.count("pass") > 50 }, "no calls")
	counts, failed := load.stop()
	require.Empty(t, failed)
	require.Equal(t, []string{"pass"}, keys(counts))
	require.Equal(t, serving, s.status(""))
}

// RS-10 from outside: the chain goes on over a rotation, a kill and a restart, and
// a changed byte is found.
func TestRS10ChainOverRotationAndKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trail := filepath.Join(dir, "audit.jsonl")
	settings := noModel.with(env{"AUDIT_LOG_PATH": trail})
	s := serve(t, settings)
	for range 10 {
		s.ask(request(`{"name":"fine"}`))
	}
	s.awaitLine("ten exchanges", func(l audit.Line) bool { return l.Seq >= 12 })
	require.NoError(t, os.Rename(trail, trail+".1"))
	require.NoError(t, s.cmd.Process.Kill())
	<-s.exited
	s = serve(t, settings)
	for range 5 {
		s.ask(request(`{"name":"fine"}`))
	}
	s.signal(sigTerm)
	require.Zero(t, s.exitCode())
	code, out := run1(t, nil, "audit", "verify", trail+".1", trail)
	require.Zero(t, code, out)

	data, err := os.ReadFile(trail + ".1")
	require.NoError(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	lines[6] = strings.Replace(lines[6], `"outcome":"allow"`, `"outcome":"allov"`, 1)
	require.NoError(t, os.WriteFile(trail+".1", []byte(strings.Join(lines, "")), 0o600))
	code, out = run1(t, nil, "audit", "verify", trail+".1", trail)
	require.Equal(t, 1, code)
	require.Contains(t, out, "audit.jsonl.1:7 (seq 7)", "the file and the record")
}

// SIGUSR1 follows a rotation at once.
func TestRotateBySignal(t *testing.T) {
	t.Parallel()
	s := serve(t, noModel)
	ref, _ := s.passed(s.ask(request(`{"name":"fine"}`)), "pass", "allow")
	old := s.lineOf(ref)
	require.NoError(t, os.Rename(s.trail, s.trail+".1"))
	s.signal(sigUsr1)
	l := s.awaitLine("the resumed chain", func(l audit.Line) bool { return l.Event == audit.EventChainResume })
	require.Greater(t, l.Seq, old.Seq)
	s.passed(s.ask(request(`{"name":"fine"}`)), "pass", "allow")
}
