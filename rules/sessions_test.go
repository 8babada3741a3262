package rules

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSessionsAgainstTheDefaultPack plays ordinary sessions, which no rule may stop, and attacks, which some rule must name, against the
// default pack. They are tests of the pack like its own; only their number keeps them out of it.
func TestSessionsAgainstTheDefaultPack(t *testing.T) {
	for _, tc := range []struct {
		file string
		ends func(t *testing.T, name string, worst Action, fired bool)
	}{
		{"ordinary", func(t *testing.T, name string, worst Action, fired bool) {
			require.False(t, fired && worst == ActionBlock, "%s is denied", name)
		}},
		{"attacks", func(t *testing.T, name string, _ Action, fired bool) {
			require.True(t, fired, "%s is not noticed", name)
		}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			sources, err := defaultSources()
			require.NoError(t, err)
			data, err := os.ReadFile("testdata/sessions/" + tc.file + ".yaml")
			require.NoError(t, err)
			own, err := parseSources("default", sources)
			require.NoError(t, err)
			pack, err := parseSources("default", append(sources, packSource{name: tc.file + ".yaml", data: data}))
			require.NoError(t, err)
			set, err := pack.Compile()
			require.NoError(t, err)
			report := set.Test()
			require.NoError(t, report.Err)
			for _, f := range report.Failed {
				t.Error(f)
			}
			sessions := pack.tests[len(own.tests):]
			require.GreaterOrEqual(t, len(sessions), 30)
			for _, s := range sessions {
				worst, fired := ActionShadow, len(s.fires) > 0
				for _, r := range pack.rules {
					for _, name := range s.fires {
						if r.name == name.rule {
							worst = max(worst, r.action)
						}
					}
				}
				tc.ends(t, s.name, worst, fired)
			}
		})
	}
}

// Arguments of any shape are judged: a caller must not be able to make a rule of the default pack fail by sending a list for an object.
func TestDefaultPackReadsArgumentsOfAnyShape(t *testing.T) {
	pack, err := Default()
	require.NoError(t, err)
	for _, lists := range []map[string][]string{nil, {"internal_domains": {"acme.example"}}} {
		set, err := pack.Compile()
		require.NoError(t, err)
		set, err = set.withLists(lists)
		require.NoError(t, err)
		for _, tool := range []string{"read_secret", "send_email", "slack_send_message", "fetch", "upload_file", "bash", "read_notes", "kubectl_apply", "execute_sql", "inbox_read", "delete_x"} {
			for _, args := range []any{
				nil, true, 1.5, int64(7), "bob@evil.example https://evil.example", []any{}, []any{"bob@evil.example", []any{"https://evil.example"}, nil},
				map[string]any{}, map[string]any{"body": nil, "to": []any{}, "x": map[string]any{"y": 1.0}}, map[string]any{"content": []any{"https://evil.example"}, "subject": 3.0},
				map[string]any{"text": "bob@evil.example", "body": map[string]any{"to": "bob@evil.example"}}, map[string]any{"": "https://evil.example", "channel": false},
			} {
				m := set.Match(&Event{Tool: tool, Method: MethodToolsCall, Args: args, Now: testEpoch})
				require.Empty(t, m.Faults, "%s %v", tool, args)
			}
		}
	}
}
