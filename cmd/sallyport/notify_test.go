package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/messages"
)

func changed(to messages.Phase, reason string) sallyport.PhaseChange {
	return sallyport.PhaseChange{To: to, Reason: reason}
}

// told runs script against a notifier with a hold of a minute and returns what
// systemd was told, without the time stamps of reloads.
func told(t *testing.T, script func(n *notifier)) (states []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := startNotifier(zap.NewNop(), time.Minute, func(state string) error {
			state, _, _ = strings.Cut(state, "\nMONOTONIC_USEC=")
			states = append(states, state)
			return nil
		})
		script(n)
		synctest.Wait()
		n.close()
	})
	return states
}

func TestNotify(t *testing.T) {
	for name, tc := range map[string]struct {
		script func(n *notifier)
		want   []string
	}{
		"a run": {func(n *notifier) {
			n.phase(changed(messages.Warming, ""))
			n.phase(changed(messages.Serving, ""))
			n.phase(changed(messages.Degraded, "model: 12 of 20 failed"))
			n.phase(changed(messages.Serving, ""))
			n.phase(changed(messages.Draining, "stop"))
			n.phase(changed(messages.Stopping, "stop"))
		}, []string{
			"STATUS=warming", "STATUS=serving", "READY=1", "STATUS=degraded: model: 12 of 20 failed", "STATUS=serving",
			"STATUS=draining: stop", "STOPPING=1", "STATUS=stopping: stop",
		}},
		"a model that is never proved": {func(n *notifier) {
			n.phase(changed(messages.Warming, "model: bad\nweights"))
			time.Sleep(2 * time.Minute) // the bubble's clock
		}, []string{"STATUS=warming: model: bad weights", "READY=1"}},
		"stopped while warming": {func(n *notifier) {
			n.phase(changed(messages.Warming, ""))
			n.phase(changed(messages.Stopping, "stop"))
			time.Sleep(2 * time.Minute)
		}, []string{"STATUS=warming", "STATUS=stopping: stop", "STOPPING=1"}},
		"a reload": {func(n *notifier) {
			n.phase(changed(messages.Serving, ""))
			n.reloading()()
		}, []string{"STATUS=serving", "READY=1", "RELOADING=1", "READY=1"}},
		"a stop during a reload": {func(n *notifier) {
			over := n.reloading()
			n.phase(changed(messages.Draining, ""))
			over()
		}, []string{"RELOADING=1", "STATUS=draining", "STOPPING=1"}},
		"the watchdog": {func(n *notifier) {
			n.phase(changed(messages.Warming, ""))
			n.alive(sallyport.Status{Phase: messages.Warming})
			n.alive(sallyport.Status{Phase: messages.Warming, Reason: "model: not found"})
		}, []string{"STATUS=warming", "WATCHDOG=1", "STATUS=warming: model: not found", "WATCHDOG=1"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, told(t, tc.script)) })
	}
}

// A systemd that does not read holds nobody up.
func TestNotifyNeverWaits(t *testing.T) {
	stuck := make(chan struct{})
	n := startNotifier(zap.NewNop(), time.Hour, func(string) error { <-stuck; return nil })
	defer n.close()
	defer close(stuck)
	for range 10 * notifyQueue {
		n.alive(sallyport.Status{})
	}
}

// The datagrams arrive on the socket that systemd names.
func TestNotifySocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(30*time.Second)))
	t.Setenv("NOTIFY_SOCKET", path)
	n := newNotifier(zap.NewNop())
	defer n.close()
	n.phase(changed(messages.Serving, ""))
	buf := make([]byte, 1024)
	for _, want := range []string{"STATUS=serving", "READY=1"} {
		got, err := c.Read(buf)
		require.NoError(t, err)
		require.Equal(t, want, string(buf[:got]))
	}
}

// A socket that is gone is a warning and nothing more.
func TestNotifySocketThatIsGone(t *testing.T) {
	core, seen := observer.New(zap.WarnLevel)
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "none"))
	n := newNotifier(zap.New(core))
	for range 3 {
		n.say("WATCHDOG=1")
	}
	require.Eventually(t, func() bool { return len(n.lines) == 0 && seen.Len() > 0 }, 30*time.Second, time.Millisecond)
	n.close()
	require.Equal(t, 1, seen.FilterMessage("systemd is not told").Len(), "said once")
}
