package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiffSortsChanges(t *testing.T) {
	old := good(t, "deny_tools: [a]\n", []string{"MAX_INFLIGHT=10", "EXCHANGE_KEY=0123456789abcdef"})
	next := good(t, profiles, []string{"FAILURE_MODE=failOpen", "MAX_INFLIGHT=20", "EXCHANGE_KEY=fedcba9876543210"})
	c := Diff(old, next)
	require.Equal(t, []Change{
		{"FAILURE_MODE", "failClosed", "failOpen"}, {"DENY_TOOLS", "a", ""},
		{"PG_REVIEW_THRESHOLD", "", "0.4"}, {"profiles", "", "staging (service staging-*, DRY_RUN=true, FAILURE_MODE=failOpen); " +
			"internal read (service wiki|docs?, route int/*, PG_BLOCK_THRESHOLD=0.9, TOOLS_LIST_ACTION=note); profiles[2] (service wiki, route *, HUMAN_REVIEW_MODE=deny)"},
	}, c.Reloadable)
	require.Equal(t, []Change{
		{"EXCHANGE_KEY", "(set, 1)", "(set, 1)"}, {"MAX_INFLIGHT", "10", "20"},
	}, c.Restart)
	require.Zero(t, Diff(old, old))
}

// What a reload says of profiles is which of them are others now, or that they stand in another order.
func TestDiffSaysWhichProfilesChanged(t *testing.T) {
	const one, two = "  - {name: a, service: s, set: {dry_run: true}}\n", "  - {name: b, route: r, set: {pin_action: deny}}\n"
	old := good(t, "profiles:\n"+one+two, nil)
	for file, want := range map[string][]Change{
		"profiles:\n" + one + two: nil,
		"profiles:\n" + two + one: {{"profiles", "a, b", "b, a"}},
		"profiles:\n" + one:       {{"profiles", "b (route r, PIN_ACTION=deny)", ""}},
		"profiles:\n" + one + strings.Replace(two, "deny", "note", 1): {{"profiles", "b (route r, PIN_ACTION=deny)", "b (route r, PIN_ACTION=note)"}},
	} {
		require.Equal(t, want, Diff(old, good(t, file, nil)).Reloadable, file)
	}
}

func TestReloadedTakesOnlyWhatCanBeReloaded(t *testing.T) {
	old := good(t, "", []string{"MAX_INFLIGHT=10", "LOG_LEVEL=info"})
	next := good(t, profiles, []string{"MAX_INFLIGHT=20", "LOG_LEVEL=debug", "DENY_TOOLS=shell"})
	mixed, err := Reloaded(old, next)
	require.NoError(t, err)
	require.Equal(t, 10, mixed.MaxInflight)
	require.Equal(t, "debug", mixed.LogLevel)
	require.Equal(t, []string{"shell"}, mixed.DenyTools)
	require.Equal(t, "LOG_LEVEL", mixed.Origin("LOG_LEVEL"))
	require.Len(t, mixed.Profiles, 3)
	require.Equal(t, "info", old.LogLevel, "the settings in force are not written to")
	require.Empty(t, old.Profiles)
	require.Equal(t, []Change{{"MAX_INFLIGHT", "10", "20"}}, Diff(mixed, next).Restart)
	require.Empty(t, Diff(mixed, next).Reloadable)
}

// TLS that is on can be another one after a reload, but not off, nor can it be switched on.
func TestTLSIsNotSwitchedByAReload(t *testing.T) {
	off := good(t, "", []string{"DENY_TOOLS=a"})
	on := good(t, "tls: {cert_file: a.crt, key_file: a.key, client_ca_file: ca.crt}\n", nil)
	renewed := good(t, "tls: {cert_file: b.crt, key_file: b.key}\n", nil)
	names := func(list []Change) (names []string) {
		for _, c := range list {
			names = append(names, c.Name)
		}
		return names
	}
	for _, c := range []struct{ old, next *Settings }{{off, on}, {on, off}} {
		changes := Diff(c.old, c.next)
		require.Equal(t, []string{"DENY_TOOLS"}, names(changes.Reloadable))
		require.Equal(t, []string{"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CA_FILE"}, names(changes.Restart))
		mixed, err := Reloaded(c.old, c.next)
		require.NoError(t, err)
		require.Equal(t, c.old.TLSCertFile, mixed.TLSCertFile)
		require.Equal(t, c.old.TLSClientCAFile, mixed.TLSClientCAFile)
		require.Equal(t, c.old.Origin("TLS_CERT_FILE"), mixed.Origin("TLS_CERT_FILE"))
	}
	require.Equal(t, []string{"TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CA_FILE"}, names(Diff(on, renewed).Reloadable))
	require.Empty(t, Diff(on, renewed).Restart)
}

// Two right configurations can make a wrong mixture: then the old one stays.
func TestReloadedRefusesAWrongMixture(t *testing.T) {
	old := good(t, "", []string{"RULES_WATCH=true", "INVARIANT_RULES_PATH=/packs"})
	next := good(t, "", nil)
	mixed, err := Reloaded(old, next)
	require.EqualError(t, err, "configuration: RULES_WATCH: there is nothing to watch without INVARIANT_RULES_PATH")
	require.Same(t, old, mixed)
}
