package config

import (
	"encoding/json/v2"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func printed(t *testing.T, s *Settings) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, s.Print(&b))
	return b.String()
}

// What is printed is a configuration file that comes to the same.
func TestPrintReadsBack(t *testing.T) {
	for name, s := range map[string]*Settings{
		"defaults": good(t, "", nil),
		"profiles": good(t, profiles, nil),
		"many": good(t, "deny_tools: ['a''b', 'c: d', '# e']\nmodel: {source: '/m o/pg2', workers: 3}\n", []string{
			"SCANNER_TIMEOUT_MS=80", "PG_BLOCK_THRESHOLD=0.25", "SHUTDOWN_DRAIN_S=0", "MODEL_CACHE=0", "TERMINATION_GRACE_S=60.5",
			"EXCHANGE_TOKEN_MAX_AGE=90m", "AUDIT_LOG_PATH=/var/log/a b.jsonl", "MAX_INFLIGHT_BYTES=1073741825", "AUDIT_HEADERS=x-a",
		}),
	} {
		t.Run(name, func(t *testing.T) {
			text := printed(t, s)
			again, err := read(t, text, nil, nil)
			require.NoError(t, err, text)
			require.Zero(t, Diff(s, again), text)
		})
	}
}

func TestPrintSaysWhereValuesComeFrom(t *testing.T) {
	text := printed(t, good(t, "max_inflight: 9\n", []string{"FAILURE_MODE=failopen"}, "--log-level=warn"))
	require.Contains(t, text, "# config: sallyport.yaml\n")
	require.Contains(t, text, "max_inflight: 9  # sallyport.yaml:1:1\n")
	require.Contains(t, text, "failure_mode: failOpen  # FAILURE_MODE\n")
	require.Contains(t, text, "log_level: warn  # --log-level\n")
	require.Contains(t, text, "dry_run: false  # default\n")
	require.Contains(t, text, "  # workers:  # one per usable CPU\n")
}

func TestSecretsNeverPrint(t *testing.T) {
	const secret = "the-most-secret-thing"
	s := good(t, "", []string{"EXCHANGE_KEY=" + secret + "-1," + secret + "-2", "AUDIT_HMAC_KEY=" + secret})
	other := good(t, "", []string{"EXCHANGE_KEY=another-" + secret})
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("settings", "hmac", s.AuditHMACKey, "keys", s.ExchangeKey, "all", s)
	text, err := s.AuditHMACKey.MarshalText()
	require.NoError(t, err)
	require.Equal(t, "(set)", string(text))
	asJSON, err := json.Marshal(s)
	require.NoError(t, err)
	require.Contains(t, string(asJSON), `{"name":"AUDIT_HMAC_KEY","path":"audit.hmac_key","value":"(set)","origin":"AUDIT_HMAC_KEY"}`)
	for name, text := range map[string]string{
		"print": printed(t, s), "values": fmt.Sprint(s.Values()), "%v": fmt.Sprintf("%v", s), "%+v": fmt.Sprintf("%+v", *s),
		"%#v": fmt.Sprintf("%#v", s), "%s": s.AuditHMACKey.String(), "json": string(asJSON), "slog": log.String(),
		"diff": fmt.Sprint(Diff(s, other)),
	} {
		require.NotContains(t, text, secret, name)
	}
	require.Contains(t, printed(t, s), "  # key: (set, 2)  # EXCHANGE_KEY\n")
	require.Contains(t, printed(t, s), "  # hmac_key: (set)  # AUDIT_HMAC_KEY\n")
	require.Contains(t, printed(t, Defaults()), "  # key:  # random for the life of the process\n")
}

func TestMarkdownHasEverySetting(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(Markdown()), "\n")
	require.Len(t, lines, len(Table())+2)
	for i, r := range Table() {
		line := lines[i+2]
		require.True(t, strings.HasPrefix(line, "| `"+r.Name+"`"), line)
		require.Equal(t, 8, strings.Count(line, "|")-strings.Count(line, `\|`), line)
	}
	require.Contains(t, Markdown(), "| `EXCHANGE_KEY`, `EXCHANGE_KEY_FILE` | `exchange.key` |")
}

func TestSchemaDescribesTheFile(t *testing.T) {
	first := string(Schema())
	require.Equal(t, first, string(Schema()), "deterministic")
	var schema struct {
		Additional *bool          `json:"additionalProperties"`
		Properties map[string]any `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(Schema(), &schema))
	require.False(t, *schema.Additional)
	for path := range filePaths {
		properties := schema.Properties
		group, key, grouped := strings.Cut(path, ".")
		if grouped {
			g := properties[group].(map[string]any)
			require.Equal(t, false, g["additionalProperties"], group)
			properties, group = g["properties"].(map[string]any), key
		}
		require.Contains(t, properties, group, path)
	}
	text := string(Schema())
	require.Contains(t, text, `"exclusiveMinimum": 0`)
	require.Contains(t, text, `"maxItems": 256`)
}
