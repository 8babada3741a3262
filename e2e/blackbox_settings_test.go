//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badValues are values that a setting must refuse, by variable. Every variable of
// the settings table is here, except those that take any text.
var badValues = map[string][]string{
	"LISTEN_ADDR":                   {"9001", "localhost", "127.0.0.1:70000", "127.0.0.1:x", "unix:", "unix:relative.sock", "http://127.0.0.1:9001"},
	"ADMIN_ADDR":                    {"9090", "127.0.0.1:-1", "unix:/tmp/a.sock"},
	"LOG_LEVEL":                     {"loud", "warning!", "0"},
	"FAILURE_MODE":                  {"open", "fail_open", "true"},
	"HUMAN_REVIEW_MODE":             {"maybe", "block"},
	"DRY_RUN":                       {"maybe", "2", "ja"},
	"SCAN_MAX_PAYLOAD_BYTES":        {"1", "-1", "1 TiB", "many", "1e9", "NaN"},
	"MAX_JSON_DEPTH":                {"7", "1001", "12.5", "deep"},
	"REDACT_RESPONSES":              {"maybe"},
	"REDACT_REQUEST_PARAMS":         {"maybe"},
	"TOOLS_LIST_ACTION":             {"drop"},
	"PIN_ACTION":                    {"drop"},
	"HIDE_DENIED_TOOLS":             {"maybe"},
	"MODEL_GATE":                    {"maybe"},
	"PG_BLOCK_THRESHOLD":            {"0", "1.01", "-0.5", "NaN", "Inf", "high"},
	"PG_REVIEW_THRESHOLD":           {"0", "1.01", "NaN"},
	"MODEL_WORKERS":                 {"0", "257", "two"},
	"MODEL_MAX_WINDOWS":             {"0", "65537"},
	"MODEL_JUDGE_WINDOWS":           {"0", "65537"},
	"MODEL_QUEUE_TOKENS":            {"1023", "1e9"},
	"MODEL_CACHE":                   {"-1", "16777217"},
	"INVARIANT_MAX_TRACES":          {"0", "16777217"},
	"RULES_WATCH":                   {"maybe"},
	"TRACE_KEY":                     {"principal", "meta.", "header.", "body.x", "header.a b"},
	"RULE_HEADERS":                  {"a b", ":path", "x-ä"},
	"EXCHANGE_KEY":                  {"too-short", "0123456789abcdef,short"},
	"EXCHANGE_KEY_FILE":             {"/nonexistent/key"},
	"EXCHANGE_TOKEN_MAX_AGE":        {"1", "0s", "169h", "-1h", "soon"},
	"SCANNER_TIMEOUT_MS":            {"9", "60001", "fast", "1s"},
	"EXCHANGE_TIMEOUT_MS":           {"19", "120001"},
	"MAX_INFLIGHT":                  {"0", "65537"},
	"MAX_INFLIGHT_BYTES":            {"1023 KiB", "65 GiB"},
	"GRPC_MAX_RECV_BYTES":           {"63 KiB", "2 GiB", "4 MiB"}, // the last is under SCAN_MAX_PAYLOAD_BYTES
	"GRPC_MAX_STREAMS":              {"99", "65537"},
	"GRPC_MAX_CONNS":                {"0", "65537"},
	"GRPC_REFLECTION":               {"maybe"},
	"TLS_CERT_FILE":                 {"cert.pem"}, // without a key
	"TLS_KEY_FILE":                  {"key.pem"},
	"TLS_CLIENT_CA_FILE":            {"ca.pem"},
	"TLS_ALLOWED_SANS":              {"spiffe://mesh/*", "spiffe://mesh/a"}, // a pattern; without authorities
	"UNHEALTHY_SCANNER_WINDOW":      {"0", "100001"},
	"UNHEALTHY_SCANNER_MIN_SAMPLES": {"0", "101"}, // the last can never be reached in a window of 100
	"UNHEALTHY_SCANNER_ERROR_RATE":  {"-0.1", "1.1", "NaN"},
	"SHUTDOWN_DRAIN_S":              {"-1", "3601", "5s", "NaN"},
	"SHUTDOWN_GRACE_S":              {"-1", "3601"},
	"SHUTDOWN_CLEANUP_S":            {"-1", "3601"},
	"TERMINATION_GRACE_S":           {"0", "13"}, // the last is all that drain, grace and clean-up need
	"AUDIT_FAILURE_MODE":            {"maybe"},
	"AUDIT_FSYNC":                   {"always"},
	"AUDIT_HMAC_KEY":                {"short"},
	"AUDIT_HMAC_KEY_FILE":           {"/nonexistent/key"},
	"AUDIT_HEADERS":                 {"authorization", "cookie", "a b"},
	"ADMIN_PPROF":                   {"maybe"},
	"CONFIG":                        {"/nonexistent/sallyport.yaml"},
}

// A value that is out of range or of the wrong kind is an error that names its
// variable, whatever else is right.
func TestBlackboxBadSettings(t *testing.T) {
	t.Parallel()
	for name, values := range badValues {
		for _, value := range values {
			t.Run(name+"="+strings.ReplaceAll(value, "/", "|"), func(t *testing.T) {
				code, out := run1(t, env{name: value}, "config", "validate")
				require.Equal(t, 1, code, out)
				require.Contains(t, out, name)
				require.NotContains(t, out, "\n\n")
				if name == "EXCHANGE_KEY" || name == "AUDIT_HMAC_KEY" {
					require.NotContains(t, out, value, "a secret is told")
				}
			})
		}
	}
}

// Right values in every spelling that the manual allows.
func TestBlackboxGoodSettings(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"LISTEN_ADDR":            {":9001", "[::1]:9001", "0.0.0.0:9001", "unix:/run/s.sock"},
		"FAILURE_MODE":           {"FAILOPEN", "failopen", ""},
		"DRY_RUN":                {"true", "TRUE", "1", "on", "yes", "false", "0", "off", "no", ""},
		"SCAN_MAX_PAYLOAD_BYTES": {"1048576", "1MiB", "1 MiB", "2048 KiB"},
		"MODEL_CACHE":            {"0"},
		"ALLOW_TOOLS":            {"a", "a, b", "svc/*", "*"},
		"EXCHANGE_TOKEN_MAX_AGE": {"1h", "90m", "1h30m"},
		"SHUTDOWN_DRAIN_S":       {"0", "1.5", "5"},
		"TERMINATION_GRACE_S":    {"14"},
	} {
		for _, value := range values {
			code, out := run1(t, env{name: value}, "config", "validate")
			require.Zero(t, code, "%s=%q: %s", name, value, out)
		}
	}
}

// Defaults, file, environment and flag, each over the one before, and config print
// says which it was.
func TestBlackboxPrecedence(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "sallyport.yaml", "log_level: warn\nadmin: {addr: \"127.0.0.1:7777\"}\nshutdown:\n  drain_s: 3\n")
	printed := func(e env, args ...string) string {
		code, out := run1(t, e, append([]string{"config", "print"}, args...)...)
		require.Zero(t, code, out)
		return out
	}
	line := func(out, key string) string {
		for l := range strings.Lines(out) {
			if strings.HasPrefix(strings.TrimSpace(l), key+":") {
				return strings.TrimSpace(l)
			}
		}
		return ""
	}
	require.Contains(t, line(printed(nil), "log_level"), "info")
	require.Contains(t, line(printed(nil, "--config", file), "log_level"), "warn")
	require.Contains(t, line(printed(env{"CONFIG": file}), "log_level"), "warn")
	require.Contains(t, line(printed(env{"SALLYPORT_CONFIG": file}), "drain_s"), "3")
	over := line(printed(env{"CONFIG": file, "LOG_LEVEL": "error"}), "log_level")
	require.Contains(t, over, "error")
	require.Contains(t, over, "LOG_LEVEL")
	over = line(printed(env{"CONFIG": file, "LOG_LEVEL": "error"}, "--log-level", "debug"), "log_level")
	require.Contains(t, over, "debug")
	require.Contains(t, over, "--log-level")
	require.Contains(t, line(printed(env{"CONFIG": file, "LOG_LEVEL": ""}), "log_level"), "warn", "an empty variable is unset")

	// What is printed can be read back.
	again := filepath.Join(t.TempDir(), "again.yaml")
	replaceFile(t, again, printed(env{"CONFIG": file}))
	require.Contains(t, line(printed(nil, "--config", again), "drain_s"), "3")

	// Secrets are hidden wherever they come from.
	secret := strings.Repeat("s3", 16)
	for _, e := range []env{{"EXCHANGE_KEY": secret}, {"EXCHANGE_KEY_FILE": writeFile(t, "key", secret+"\n")}, {"AUDIT_HMAC_KEY": secret}} {
		require.NotContains(t, printed(e), secret)
	}
	code, out := run1(t, env{"EXCHANGE_KEY": secret, "EXCHANGE_KEY_FILE": file}, "config", "validate")
	require.Equal(t, 1, code)
	require.Contains(t, out, "EXCHANGE_KEY")
}
