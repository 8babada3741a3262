package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpareCodes finds the codes of a list, which all have one form, and no other words behind the name of one.
func TestSpareCodes(t *testing.T) {
	for text, want := range map[string][]string{
		"Backup codes:\n1. 4f2k-9xq7\n2. 7h3m-2pzd\n3. q8wn-5rtc\n":                {"4f2k-9xq7", "7h3m-2pzd", "q8wn-5rtc"},
		"recovery codes\n\n  a1b2c-3d4e5\n  9f8e7-d6c5b\n  0a9b8-c7d6e\nKeep them": {"a1b2c-3d4e5", "9f8e7-d6c5b", "0a9b8-c7d6e"},
		"recovery codes: 7HK2M9QX, P4T8WZ3N, 5JR6VYB1":                             {"7HK2M9QX", "P4T8WZ3N", "5JR6VYB1"},
		"Backup codes: k3v9-m2xq zjwp-tkhr 8d4s-p6rn":                              {"k3v9-m2xq", "zjwp-tkhr", "8d4s-p6rn"},
		"Backup codes:\n 8391 0274\n 5528 1903\n 7740 3316\n 2096 5581\n":          nil,
		"backup codes: see CVE-2024-12345, build-20261130 and version 2":           nil,
		"Recovery codes hardware2 software3 firmware5 are supported.":              nil,
		"Recovery codes: windows10, fedora-41, debian-12":                          nil,
		"recovery codes for router01 switch02 server03":                            nil,
		"backup codes: 2026-11-28a 2026-11-29a 2026-11-30b":                        nil,
		"backup codes release-1a release-2b release-3c":                            nil,
		"recovery_codes: step-one2 step-two3 last-one4 more-one5":                  nil,
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, want, secretsIn(d, r))
		})
	}
}
