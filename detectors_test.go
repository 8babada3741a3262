package sallyport_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-mcp/sallyport"
	"github.com/sallyport-mcp/sallyport/decision"
)

// allowed are exceptions of every scope. Letters that a fixed text spells with an escape show in the decoded view only.
const allowed = `
allow:
  - {detector: email, text: press@site.example, reason: published}
  - {detector: acme-code, text: AC-000001, tool: 'read_*', reason: the manual's example}
  - {detector: acme-code, text: '/AC-0000\d\d/', service: manual, reason: examples}
  - {text: "ZW\u200bJ", tool: render, reason: a test page}
detectors:
  - {name: acme-code, category: policy, severity: block, patterns: ['AC-\d{6}'], keywords: [AC-]}
  - {name: acme-word, category: policy, severity: block, keywords: [Project Falcon, nightjar]}
`

// TestAllowEntriesMeanTheSameInEveryScope: where an entry holds is one question, what it silences another, answered alike for an
// entry that holds everywhere and for one that does not.
func TestAllowEntriesMeanTheSameInEveryScope(t *testing.T) {
	o := newOffice(t, allowed, nil)
	ask := func(services []string, tool, text string) decision.Outcome {
		return o.e.CheckRequest(t.Context(), &sallyport.Exchange{
			Services: services, Method: "tools/call", HasBody: true, Principal: "alice",
			Body: []byte(`{"name":"` + tool + `","arguments":{"text":"` + text + `"}}`),
		}).Outcome
	}
	for _, tc := range []struct {
		name     string
		services []string
		tool     string
		text     string
		want     decision.Outcome
	}{
		{"a tool in scope", []string{"wiki"}, "read_page", "see AC-000001", decision.Allow},
		{"a tool out of scope", []string{"wiki"}, "write_page", "see AC-000001", decision.Deny},
		{"another text", []string{"wiki"}, "read_page", "see AC-000002", decision.Deny},
		{"only the allowed one of two", []string{"wiki"}, "read_page", "AC-000001 AC-777777", decision.Deny},
		{"a service in scope", []string{"manual"}, "write_page", "see AC-000042", decision.Allow},
		{"one of two services out of scope", []string{"manual", "wiki"}, "write_page", "see AC-000042", decision.Deny},
		{"two scopes at once", []string{"manual"}, "read_page", "AC-000001 AC-000042", decision.Allow},
		{"behind an escape", []string{"wiki"}, "read_page", "see %41C-000001", decision.Allow},
		{"behind an escape, out of scope", []string{"wiki"}, "write_page", "see %41C-000001", decision.Deny},
		{"hidden text needs a named detector", []string{"wiki"}, "render", "ZW\u200bJ", decision.Deny},
		{"keywords alone", []string{"wiki"}, "read_page", "about project falcon", decision.Deny},
		{"the second keyword", []string{"wiki"}, "read_page", "the Nightjar plan", decision.Deny},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, ask(tc.services, tc.tool, tc.text)) })
	}
}

func TestLintPackSeesWhatTheScannerRefuses(t *testing.T) {
	for _, tc := range []struct{ name, pack, want string }{
		{"unknown detector", "version: 1\nallow:\n  - {detector: emial, text: a}\n", `pack.yaml:3:6: error: exception: unknown detector "emial" (invalid)`},
		{"a built-in name", "version: 1\ndetectors:\n  - {name: fine, category: policy, severity: note, patterns: [xx]}\n  - {name: email, category: policy, severity: note, patterns: [x]}\n", `pack.yaml:4:12: error: detector "email": name: is taken (invalid)`},
		{"matches nothing", "version: 1\ndetectors:\n  - {name: d, category: policy, severity: note, patterns: ['x*']}\n", `pack.yaml:3:12: error: detector "d": pattern: matches the empty text (invalid)`},
		{"a short keyword", "version: 1\ndetectors:\n  - {name: d, category: policy, severity: note, keywords: [ab], patterns: [abc]}\n", `pack.yaml:3:12: error: detector "d": keywords: "ab" has fewer than 3 bytes (invalid)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "pack.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tc.pack), 0o600))
			found, err := sallyport.LintPack(path)
			require.NoError(t, err)
			var lines []string
			for _, p := range found {
				lines = append(lines, strings.TrimPrefix(p.String(), dir+"/"))
			}
			require.Contains(t, lines, tc.want)
		})
	}
}
