package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every field of Settings is one row and every row is one field: a setting that
// is documented but not read, or read but not documented, cannot exist.
func TestTableAndSettingsAgree(t *testing.T) {
	var s Settings
	rows := map[any]string{}
	for _, r := range Table() {
		p := r.ptr(&s)
		require.Empty(t, rows[p], "%s shares a field with another row", r.Name)
		rows[p] = r.Name
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Name == "Profiles" {
			continue
		}
		require.NotEmpty(t, rows[v.Field(i).Addr().Interface()], "field %s has no row", f.Name)
	}
	require.Len(t, rows, v.NumField()-2)
}

func TestTableRowsAreComplete(t *testing.T) {
	seen := map[string]string{}
	claim := func(what, by string) {
		if what == "" {
			return
		}
		require.NotContains(t, seen, what)
		seen[what] = by
	}
	for _, r := range Table() {
		t.Run(r.Name, func(t *testing.T) {
			require.Equal(t, strings.ToUpper(r.Name), r.Name)
			require.True(t, strings.HasSuffix(r.Doc, "."), "documentation is a sentence")
			require.Equal(t, r.Kind == Enum, len(r.Enum) > 0)
			require.Equal(t, r.Kind.number(), r.Max > r.Min, "numbers have a range, others do not")
			if r.Default == "" && !r.Kind.list() {
				require.NotEmpty(t, r.Unset, "an unset value must mean something")
			}
			if r.Verdict {
				require.True(t, r.Reloadable)
			}
			for _, n := range append(r.Aliases, r.Name, r.FileName()) {
				claim(n, r.Name)
			}
			claim(r.Path, r.Name)
			claim(r.filePath(), r.Name)
			claim(r.Flag, r.Name)
		})
	}
}

// The names and defaults of the published table, written down a second time so
// that a slip in one place is seen.
func TestDefaultsAreThePublishedOnes(t *testing.T) {
	published := map[string]string{
		"LISTEN_ADDR": "127.0.0.1:9001", "ADMIN_ADDR": "127.0.0.1:9090", "CONFIG": "", "LOG_LEVEL": "info",
		"FAILURE_MODE": "failClosed", "HUMAN_REVIEW_MODE": "pass", "DRY_RUN": "false",
		"ALLOW_TOOLS": "", "DENY_TOOLS": "", "SCAN_MAX_PAYLOAD_BYTES": "8 MiB", "MAX_JSON_DEPTH": "128",
		"REDACT_RESPONSES": "true", "REDACT_REQUEST_PARAMS": "false", "TOOLS_LIST_ACTION": "remove",
		"PIN_ACTION": "note", "PINS_FILE": "", "HIDE_DENIED_TOOLS": "false", "MODEL": "default",
		"MODEL_FILE": "model.onnx", "MODEL_GATE": "true", "MODEL_LABEL": "", "PG_BLOCK_THRESHOLD": "",
		"PG_REVIEW_THRESHOLD": "", "MODEL_WORKERS": "", "MODEL_MAX_WINDOWS": "256", "MODEL_JUDGE_WINDOWS": "8",
		"MODEL_QUEUE_TOKENS": "65536", "MODEL_CACHE": "65536", "ONNXRUNTIME_LIB": "", "INVARIANT_RULES_PATH": "",
		"INVARIANT_MAX_TRACES": "65536", "RULES_WATCH": "false",
		"TRACE_KEY":    "meta.principal, meta.session, header.mcp-session-id",
		"RULE_HEADERS": "", "EXCHANGE_KEY": "", "EXCHANGE_TOKEN_MAX_AGE": "1h0m0s", "SCANNER_TIMEOUT_MS": "",
		"EXCHANGE_TIMEOUT_MS": "", "MAX_INFLIGHT": "256", "MAX_INFLIGHT_BYTES": "256 MiB",
		"GRPC_MAX_RECV_BYTES": "16 MiB", "GRPC_MAX_STREAMS": "1000", "GRPC_MAX_CONNS": "256", "GRPC_REFLECTION": "true",
		"TLS_CERT_FILE": "", "TLS_KEY_FILE": "", "TLS_CLIENT_CA_FILE": "", "TLS_ALLOWED_SANS": "",
		"UNHEALTHY_SCANNER_WINDOW": "100", "UNHEALTHY_SCANNER_MIN_SAMPLES": "20", "UNHEALTHY_SCANNER_ERROR_RATE": "0.5",
		"SHUTDOWN_DRAIN_S": "5", "SHUTDOWN_GRACE_S": "5", "SHUTDOWN_CLEANUP_S": "2", "TERMINATION_GRACE_S": "",
		"AUDIT_LOG_PATH": "-", "AUDIT_FAILURE_MODE": "continue", "AUDIT_FSYNC": "interval", "AUDIT_HMAC_KEY": "",
		"AUDIT_SIGN_KEY_FILE": "", "AUDIT_HEADERS": "x-forwarded-user", "ADMIN_PPROF": "false",
	}
	got := map[string]string{}
	for _, v := range Defaults().Values() {
		got[v.Name] = v.Text
	}
	require.Equal(t, published, got)
	require.NoError(t, func() error { _, err := read(t, "", nil, nil); return err }(), "the defaults contradict themselves")
}

func TestPathsFollowTheGroups(t *testing.T) {
	for name, want := range map[string]string{
		"LISTEN_ADDR": "listen_addr", "MODEL": "model.source", "MODEL_FILE": "model.file", "TLS_CERT_FILE": "tls.cert_file",
		"UNHEALTHY_SCANNER_WINDOW": "unhealthy_scanner.window", "EXCHANGE_KEY": "exchange.key", "CONFIG": "",
		"AUDIT_SIGN_KEY_FILE": "audit.sign_key_file", "SCANNER_TIMEOUT_MS": "scanner_timeout_ms",
	} {
		require.Equal(t, want, index[name].Path, name)
	}
}

func TestReloadableAndFlaggedAreThePublishedOnes(t *testing.T) {
	var reload, flags []string
	for _, r := range Table() {
		if r.Reloadable {
			reload = append(reload, r.Name)
		}
		if r.Flag != "" {
			flags = append(flags, r.Flag)
		}
	}
	require.Equal(t, []string{
		"LOG_LEVEL", "FAILURE_MODE", "HUMAN_REVIEW_MODE", "DRY_RUN", "ALLOW_TOOLS", "DENY_TOOLS", "REDACT_RESPONSES",
		"REDACT_REQUEST_PARAMS", "TOOLS_LIST_ACTION", "PIN_ACTION", "HIDE_DENIED_TOOLS", "PG_BLOCK_THRESHOLD",
		"PG_REVIEW_THRESHOLD", "INVARIANT_RULES_PATH", "TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CLIENT_CA_FILE", "TLS_ALLOWED_SANS",
	}, reload)
	require.Equal(t, []string{
		"listen-addr", "admin-addr", "config", "log-level", "model", "invariant-rules-path", "shutdown-drain-s", "audit-log-path",
	}, flags)
}

// Every number is accepted at its bounds and refused beyond them.
func TestRangesAreEnforced(t *testing.T) {
	for _, r := range Table() {
		if !r.Kind.number() {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			text := func(n float64) string {
				if r.Kind == Duration {
					return formatFloat(n) + "s"
				}
				return formatFloat(n)
			}
			var s Settings
			require.NoError(t, r.assign(&s, text(r.Max)))
			require.ErrorContains(t, r.assign(&s, text(r.Max+1)), "is not within")
			require.ErrorContains(t, r.assign(&s, text(r.Min-1)), "is not within")
			if r.Above {
				require.ErrorContains(t, r.assign(&s, text(r.Min)), "is not within")
				require.NoError(t, r.assign(&s, text((r.Min+r.Max)/2)))
			} else {
				require.NoError(t, r.assign(&s, text(r.Min)))
			}
			for _, junk := range []string{"", "x", "1e999", "NaN", "Inf", "0x10", "1_000", "1 000", "--1"} {
				require.Error(t, r.assign(&s, junk), "accepted %q", junk)
			}
		})
	}
}

func TestBytesAndBooleans(t *testing.T) {
	for text, want := range map[string]int64{
		"65536": 65536, "64KiB": 65536, "64 kib": 65536, "1 MiB": mib, "1mib": mib, "2048 B": 2048,
	} {
		n, err := parseBytes(text)
		require.NoError(t, err)
		require.Equal(t, want, n, text)
	}
	for _, junk := range []string{"8 MB", "8.5 MiB", "MiB", "9223372036854775807 GiB", "8 MiB MiB"} {
		_, err := parseBytes(junk)
		require.Error(t, err, junk)
	}
	row := index["DRY_RUN"]
	for _, word := range []string{"true", "TRUE", "Yes", "on", "1"} {
		var s Settings
		require.NoError(t, row.assign(&s, word))
		require.True(t, s.DryRun, word)
	}
	for _, word := range []string{"false", "No", "OFF", "0"} {
		s := Settings{DryRun: true}
		require.NoError(t, row.assign(&s, word))
		require.False(t, s.DryRun, word)
	}
	require.EqualError(t, row.assign(&Settings{}, "enabled"), `"enabled" is not true or false`)
}

func TestEnumerationsIgnoreCaseAndRefuseUnknownWords(t *testing.T) {
	for _, r := range Table() {
		for _, word := range r.Enum {
			for _, spelling := range []string{word, strings.ToUpper(word), strings.ToLower(word)} {
				var s Settings
				require.NoError(t, r.assign(&s, spelling), r.Name)
				require.Equal(t, word, r.format(&s), r.Name)
			}
			var s Settings
			require.Error(t, r.assign(&s, word+"x"), r.Name)
		}
	}
	_, err := read(t, "", nil, []string{"FAILURE_MODE=open"})
	require.EqualError(t, err, `configuration: FAILURE_MODE: "open" is not one of failClosed, failOpen`)
}
