// Package systemd_test holds the tests of the unit files: that they agree with the
// settings, and that a restart behind an inherited socket refuses no call.
package systemd_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport/internal/config"
)

// options are the values of a unit file by "Section.Name".
func options(t *testing.T, file string) map[string][]string {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	list, err := unit.DeserializeOptions(f)
	require.NoError(t, err)
	values := map[string][]string{}
	for _, o := range list {
		key := o.Section + "." + o.Name
		values[key] = append(values[key], o.Value)
	}
	return values
}

// one is the only value of key.
func one(t *testing.T, o map[string][]string, key string) string {
	t.Helper()
	require.Len(t, o[key], 1, key)
	return o[key][0]
}

func duration(t *testing.T, o map[string][]string, key string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(one(t, o, key))
	require.NoError(t, err, key)
	return d
}

// environment are the NAME=value words of the service.
func environment(t *testing.T, o map[string][]string) []string {
	t.Helper()
	var env []string
	for _, line := range o["Service.Environment"] {
		env = append(env, strings.Fields(strings.ReplaceAll(line, "%S", "/var/lib"))...)
	}
	require.NotEmpty(t, env)
	return env
}

// The unit stops the process later than the process stops itself.
func TestServiceBudgets(t *testing.T) {
	o := options(t, "sallyport.service")
	env := environment(t, o)
	s, err := config.Load(config.Sources{Environ: env})
	require.NoError(t, err)
	stop := duration(t, o, "Service.TimeoutStopSec")
	require.Greater(t, stop, s.TerminationNeed())
	require.Equal(t, stop, s.TerminationGrace, "TimeoutStopSec and TERMINATION_GRACE_S")
	require.Zero(t, s.ShutdownDrain, "nobody reads readiness behind a socket that stays")
	require.True(t, config.Loopback(s.AdminAddr))
}

// A misspelt variable would be ignored without a word.
func TestServiceEnvironmentIsKnown(t *testing.T) {
	known := []string{"GOMEMLIMIT"}
	for _, row := range config.Table() {
		known = append(known, row.Name)
	}
	for _, line := range environment(t, options(t, "sallyport.service")) {
		name, _, _ := strings.Cut(line, "=")
		require.True(t, slices.Contains(known, name), name)
	}
}

func TestServiceIsNotifiedAndConfined(t *testing.T) {
	o := options(t, "sallyport.service")
	for key, want := range map[string]string{
		"Service.Type": "notify", "Service.DynamicUser": "yes", "Service.NoNewPrivileges": "yes", "Service.ProtectSystem": "strict",
		"Service.CapabilityBoundingSet": "", "Service.KillMode": "mixed", "Unit.Requires": "sallyport.socket",
		"Service.ExecReload": "/bin/kill -HUP $MAINPID",
	} {
		require.Equal(t, want, one(t, o, key), key)
	}
	require.NotEmpty(t, one(t, o, "Service.MemoryMax"))
	// Liveness is withdrawn after half a minute without progress; systemd must not be quicker.
	require.Greater(t, duration(t, o, "Service.WatchdogSec"), 30*time.Second)
	require.Contains(t, strings.Join(o["Service.RestrictAddressFamilies"], " "), "AF_UNIX", "the notification socket")
}

// The descriptor carries the name that the server looks for, and the socket is
// where the documentation tells the gateway to connect.
func TestSocket(t *testing.T) {
	o := options(t, "sallyport.socket")
	require.Equal(t, "grpc", one(t, o, "Socket.FileDescriptorName"))
	require.Equal(t, config.Defaults().ListenAddr, one(t, o, "Socket.ListenStream"))
}
