package config

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPrecedence(t *testing.T) {
	const yaml = "log_level: debug\nshutdown:\n  drain_s: 1\nmodel:\n  source: \"off\"\n"
	for _, tc := range []struct {
		name   string
		env    []string
		args   []string
		level  string
		drain  time.Duration
		origin string
	}{
		{"file over default", nil, nil, "debug", time.Second, "sallyport.yaml:1:1"},
		{"environment over file", []string{"LOG_LEVEL=warn", "SHUTDOWN_DRAIN_S=2.5"}, nil, "warn", 2500 * time.Millisecond, "LOG_LEVEL"},
		{"flag over environment", []string{"LOG_LEVEL=warn", "SHUTDOWN_DRAIN_S=2"}, []string{"--log-level=error", "--shutdown-drain-s", "3"}, "error", 3 * time.Second, "--log-level"},
		{"empty variable is unset", []string{"LOG_LEVEL=", "SHUTDOWN_DRAIN_S= "}, nil, "debug", time.Second, "sallyport.yaml:1:1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := good(t, yaml, tc.env, tc.args...)
			require.Equal(t, tc.level, s.LogLevel)
			require.Equal(t, tc.drain, s.ShutdownDrain)
			require.Equal(t, tc.origin, s.Origin("LOG_LEVEL"))
			require.Equal(t, ModelOff, s.Model)
			require.Equal(t, "default", s.Origin("FAILURE_MODE"))
			require.Equal(t, "sallyport.yaml", s.Config)
		})
	}
}

// A prefix is a mistake that would open what the setting is there to close. What an
// orchestrator says about a service of our name is none of our settings.
func TestPrefixedVariables(t *testing.T) {
	for name, plain := range map[string]string{"SALLYPORT_DENY_TOOLS": "DENY_TOOLS", "SALLYPORT_MODEL_DIR": "MODEL_DIR", "SALLYPORT_EXCHANGE_KEY_FILE": "EXCHANGE_KEY_FILE"} {
		_, err := read(t, "", nil, []string{name + "=x"})
		require.ErrorContains(t, err, name+": is not read: settings have no prefix, name it "+plain)
	}
	good(t, "", []string{"SALLYPORT_DENY_TOOLS=", "SALLYPORT_SERVICE_HOST=10.0.0.1", "SALLYPORT_PORT_9001_TCP=tcp://10.0.0.1:9001"})
	_, err := read(t, "", nil, []string{"SALLYPORT_CONFIG=none.yaml"})
	require.ErrorContains(t, err, "none.yaml")
}

// An empty flag is a decision, unlike an empty variable.
func TestEmptyFlagOverridesFile(t *testing.T) {
	s := good(t, "invariant:\n  rules_path: /packs\n", nil, "--invariant-rules-path=")
	require.Empty(t, s.InvariantRulesPath)
}

func TestLists(t *testing.T) {
	s := good(t, "deny_tools: [shell, 'k8s/*']\nallow_tools: \" a, b\"\nrule_headers:\n  - X-Team\n", []string{"AUDIT_HEADERS=X-A, x-b "})
	require.Equal(t, []string{"shell", "k8s/*"}, s.DenyTools)
	require.Equal(t, []string{"a", "b"}, s.AllowTools)
	require.Equal(t, []string{"x-team"}, s.RuleHeaders)
	require.Equal(t, []string{"x-a", "x-b"}, s.AuditHeaders)
	for _, none := range []string{"[]", "''", "' '"} {
		require.Empty(t, good(t, "audit:\n  headers: "+none+"\n", nil).AuditHeaders, "a list can be emptied")
	}
}

// What a list holds is what was meant, or it is refused: an entry that is missing
// because a template left it out would open what the list is there to close.
func TestListEntriesAreHeldToTheirForm(t *testing.T) {
	const keyText = "0123456789abcdef"
	for env, want := range map[string]string{
		"ALLOW_TOOLS=,":                              "ALLOW_TOOLS: holds an empty entry",
		"DENY_TOOLS=shell,":                          "DENY_TOOLS: holds an empty entry",
		"DENY_TOOLS=, ,shell":                        "DENY_TOOLS: holds an empty entry",
		"TRACE_KEY=,":                                "TRACE_KEY: holds an empty entry",
		"RULE_HEADERS=a,,b":                          "RULE_HEADERS: holds an empty entry",
		"TLS_ALLOWED_SANS=a,":                        "TLS_ALLOWED_SANS: holds an empty entry",
		"EXCHANGE_KEY=," + keyText:                   "EXCHANGE_KEY: holds an empty entry",
		"EXCHANGE_KEY=" + keyText + ",,\n" + keyText: "EXCHANGE_KEY: holds an empty entry",
		"ALLOW_TOOLS=[":                              `ALLOW_TOOLS: "[" holds one of []{}\: a glob knows * and ? alone`,
		"DENY_TOOLS=get_[ab]":                        `DENY_TOOLS: "get_[ab]" holds one of []{}\`,
		"DENY_TOOLS={shell,exec}":                    `DENY_TOOLS: "{shell" holds one of []{}\`,
		`DENY_TOOLS=rm\*`:                            `DENY_TOOLS: "rm\\*" holds one of []{}\`,
		"ALLOW_TOOLS=*,!shell":                       `ALLOW_TOOLS: "!shell" begins with !`,
		"DENY_TOOLS=shell/":                          `DENY_TOOLS: "shell/" is neither a tool nor service/tool`,
		"DENY_TOOLS=/shell":                          `DENY_TOOLS: "/shell" is neither a tool nor service/tool`,
		"DENY_TOOLS=a\x01b":                          `DENY_TOOLS: "a\x01b" holds a character that cannot be seen`,
		"DENY_TOOLS=shell\u200b":                     `DENY_TOOLS: "shell\u200b" holds a character that cannot be seen`,
		`DENY_TOOLS="shell,exec"`:                    `DENY_TOOLS: "\"shell" holds a quotation mark or a separator`,
		"DENY_TOOLS='shell'":                         `DENY_TOOLS: "'shell'" holds a quotation mark`,
		"DENY_TOOLS=shell;exec":                      `DENY_TOOLS: "shell;exec" holds a quotation mark or a separator`,
		"DENY_TOOLS=shell|exec":                      `DENY_TOOLS: "shell|exec" holds a quotation mark or a separator`,
	} {
		t.Run(env, func(t *testing.T) {
			_, err := read(t, "", nil, []string{env})
			require.ErrorContains(t, err, want)
		})
	}
	s := good(t, "", []string{"DENY_TOOLS=k8s/delete_*, fs/a/b ,?x"})
	require.Equal(t, []string{"k8s/delete_*", "fs/a/b", "?x"}, s.DenyTools)
	key := good(t, "", []string{"EXCHANGE_KEY=" + keyText + "\r\n\n " + keyText + "2\n"})
	require.Equal(t, Secrets{keyText, keyText + "2"}, key.ExchangeKey)
	key = good(t, "", []string{"EXCHANGE_KEY=" + keyText + ",\r\n" + keyText + "2 ,\n" + keyText + "3\n"})
	require.Equal(t, Secrets{keyText, keyText + "2", keyText + "3"}, key.ExchangeKey, "a comma at the end of a line separates as the end does")
}

func TestAliases(t *testing.T) {
	require.Equal(t, "/models/pg2", good(t, "", []string{"MODEL_DIR=/models/pg2"}).Model)
	require.Equal(t, ModelOff, good(t, "", []string{"MODEL=OFF"}).Model)
	_, err := read(t, "", nil, []string{"MODEL=off", "MODEL_DIR=/models/pg2"})
	require.ErrorContains(t, err, "MODEL_DIR: says something else than MODEL")
	_, err = read(t, "", nil, []string{"MODEL=off", "MODEL_DIR=off"})
	require.NoError(t, err)
	_, err = read(t, "", nil, []string{"SALLYPORT_CONFIG=absent.yaml"})
	require.EqualError(t, err, "configuration: CONFIG: open absent.yaml: file does not exist")
}

func TestEveryProblemIsReportedAtOnce(t *testing.T) {
	_, err := read(t, strings.Join([]string{
		"log_level: loud",
		"modle: off",
		"shutdown:",
		"  drain_s: -1",
		"  grce_s: 2",
		"scan-max-payload-bytes: 1",
		"tls: yes",
		"max_inflight:",
		"  - 1",
	}, "\n"), nil, []string{"FAILURE_MODE=maybe", "MAX_JSON_DEPTH=deep", "TLS_CERT_FILE=a.pem"}, "--listen-addr=nowhere")
	var problems Problems
	require.ErrorAs(t, err, &problems)
	require.Equal(t, strings.TrimSpace(`
configuration: 11 problems
  sallyport.yaml:2:1: unknown setting "modle"
  sallyport.yaml:5:3: unknown setting "shutdown.grce_s"
  sallyport.yaml:6:1: unknown setting "scan-max-payload-bytes" (did you mean "scan_max_payload_bytes"?)
  sallyport.yaml:7:6: tls is not a mapping: it holds cert_file, key_file, client_ca_file, allowed_sans
  sallyport.yaml:9:3: MAX_INFLIGHT: is not a list
  --listen-addr: LISTEN_ADDR: "nowhere" is not host:port
  sallyport.yaml:1:1: LOG_LEVEL: "loud" is not one of debug, info, warn, error
  FAILURE_MODE: "maybe" is not one of failClosed, failOpen
  MAX_JSON_DEPTH: "deep" is not a whole number
  sallyport.yaml:4:3: SHUTDOWN_DRAIN_S: "-1" is not within 0 to 3600
  TLS_CERT_FILE: and TLS_KEY_FILE are given together or not at all`), err.Error())
}

// CT-04: a scanner that is named and does not exist is an error, not silence.
func TestCT04UnknownScannerIsAnError(t *testing.T) {
	_, err := read(t, "scanners:\n  promptgard: on\n", nil, nil)
	require.EqualError(t, err, `configuration: sallyport.yaml:1:1: unknown setting "scanners"`)
}

func TestSecrets(t *testing.T) {
	const key1, key2, hmac = "0123456789abcdef-one", "0123456789abcdef-two", "fingerprint-key-0123"
	files := map[string]string{"keys": key1 + "\n" + key2 + "\n", "short": "tiny\n", "hmac": hmac + "\n"}
	for _, tc := range []struct {
		name string
		yaml string
		env  []string
		want Secrets
		err  string
	}{
		{"list in the environment", "", []string{"EXCHANGE_KEY=" + key1 + "," + key2}, Secrets{key1, key2}, ""},
		{"file with lines", "", []string{"EXCHANGE_KEY_FILE=keys"}, Secrets{key1, key2}, ""},
		{"file named in YAML", "exchange: {key_file: keys}", nil, Secrets{key1, key2}, ""},
		{"environment replaces the file named in YAML", "exchange: {key_file: absent}", []string{"EXCHANGE_KEY=" + key2}, Secrets{key2}, ""},
		{"file in the environment replaces the key in YAML", "exchange: {key: " + key1 + "}", []string{"EXCHANGE_KEY_FILE=keys"}, Secrets{key1, key2}, ""},
		{"both at once", "", []string{"EXCHANGE_KEY=" + key1, "EXCHANGE_KEY_FILE=keys"}, nil, "EXCHANGE_KEY: is given together with EXCHANGE_KEY_FILE"},
		{"missing file", "", []string{"EXCHANGE_KEY_FILE=absent"}, nil, "EXCHANGE_KEY_FILE: EXCHANGE_KEY: open absent: file does not exist"},
		{"too short", "", []string{"EXCHANGE_KEY_FILE=short"}, nil, "EXCHANGE_KEY_FILE: EXCHANGE_KEY: holds a key under 16 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := read(t, tc.yaml, files, tc.env)
			if tc.err != "" {
				require.EqualError(t, err, "configuration: "+tc.err)
				require.NotContains(t, err.Error(), "tiny")
				require.NotContains(t, err.Error(), key1)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, s.ExchangeKey)
		})
	}
	s, err := read(t, "", files, []string{"AUDIT_HMAC_KEY_FILE=hmac"})
	require.NoError(t, err)
	require.Equal(t, hmac, s.AuditHMACKey.Reveal())
}

func TestContradictions(t *testing.T) {
	for _, tc := range []struct {
		name string
		yaml string
		env  []string
		want string
	}{
		{"termination", "", []string{"TERMINATION_GRACE_S=13"}, "TERMINATION_GRACE_S: 13s is not more than drain, grace, clean-up and a second together, which take 13s"},
		{"scanner over exchange", "", []string{"SCANNER_TIMEOUT_MS=900", "EXCHANGE_TIMEOUT_MS=800"}, "SCANNER_TIMEOUT_MS: 900ms is over EXCHANGE_TIMEOUT_MS, 800ms"},
		{"exchange under the least scanner", "", []string{"EXCHANGE_TIMEOUT_MS=499"}, "EXCHANGE_TIMEOUT_MS: 499ms is under the least scanner timeout, 500ms; give SCANNER_TIMEOUT_MS too"},
		{"receive limit", "", []string{"GRPC_MAX_RECV_BYTES=8MiB"}, "GRPC_MAX_RECV_BYTES: 8 MiB is not above SCAN_MAX_PAYLOAD_BYTES, 8 MiB"},
		{"inflight bytes", "", []string{"MAX_INFLIGHT_BYTES=4MiB"}, "MAX_INFLIGHT_BYTES: 4 MiB could never admit a payload of SCAN_MAX_PAYLOAD_BYTES, 8 MiB"},
		{"judge windows", "", []string{"MODEL_JUDGE_WINDOWS=300"}, "MODEL_JUDGE_WINDOWS: 300 is over MODEL_MAX_WINDOWS, 256"},
		{"samples", "", []string{"UNHEALTHY_SCANNER_MIN_SAMPLES=101"}, "UNHEALTHY_SCANNER_MIN_SAMPLES: 101 can never be reached in a window of 100"},
		{"a file of no directory", "", []string{"MODEL_FILE=small.onnx"}, `MODEL_FILE: "small.onnx" is a file of no model directory: MODEL is the embedded one`},
		{"nothing to watch", "", []string{"RULES_WATCH=true"}, "RULES_WATCH: there is nothing to watch without INVARIANT_RULES_PATH"},
		{"thresholds", "", []string{"PG_BLOCK_THRESHOLD=0.5", "PG_REVIEW_THRESHOLD=0.6"}, "PG_REVIEW_THRESHOLD: 0.6 is over PG_BLOCK_THRESHOLD, 0.5"},
		{"thresholds in a profile", "pg: {review_threshold: 0.6}\nprofiles:\n- {name: p, service: a, set: {pg: {block_threshold: 0.5}}}", nil, "profile p: PG_REVIEW_THRESHOLD: 0.6 is over PG_BLOCK_THRESHOLD, 0.5"},
		{"key without certificate", "", []string{"TLS_KEY_FILE=k"}, "TLS_CERT_FILE: and TLS_KEY_FILE are given together or not at all"},
		{"authorities without certificate", "", []string{"TLS_CLIENT_CA_FILE=ca"}, "TLS_CLIENT_CA_FILE: asks clients for a certificate, but there is no TLS_CERT_FILE"},
		{"names without authorities", "", []string{"TLS_ALLOWED_SANS=spiffe://a/b", "TLS_CERT_FILE=c", "TLS_KEY_FILE=k"}, "TLS_ALLOWED_SANS: checks client certificates, but there is no TLS_CLIENT_CA_FILE"},
		{"one port twice", "", []string{"ADMIN_ADDR=127.0.0.1:9001"}, "ADMIN_ADDR: is also LISTEN_ADDR, 127.0.0.1:9001"},
		{"profiles for everyone", "", []string{"ADMIN_PPROF=true", "ADMIN_ADDR=:9090"}, `ADMIN_PPROF: profiles are served on loopback only, and ADMIN_ADDR is ":9090"`},
		{"trace header never read", "", []string{"TRACE_KEY=meta.principal,header.X-Team"}, `TRACE_KEY: "header.X-Team" is never read: add the header to RULE_HEADERS`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := read(t, tc.yaml, nil, tc.env)
			require.EqualError(t, err, "configuration: "+tc.want)
		})
	}
	for _, env := range [][]string{
		{"TERMINATION_GRACE_S=14"}, {"EXCHANGE_TIMEOUT_MS=500"}, {"TRACE_KEY=header.x-team", "RULE_HEADERS=X-Team"},
		{"LISTEN_ADDR=127.0.0.1:0", "ADMIN_ADDR=127.0.0.1:0"}, {"RULES_WATCH=true", "INVARIANT_RULES_PATH=/packs"},
		{"MODEL_FILE=small.onnx", "MODEL=/models/own"}, {"MODEL_FILE=small.onnx", "MODEL=off"},
		{"LISTEN_ADDR=unix:/run/sallyport.sock"}, {"ADMIN_PPROF=on", "ADMIN_ADDR=[::1]:9090"},
	} {
		_, err := read(t, "", nil, env)
		require.NoError(t, err, env)
	}
}

func TestSingleValuesAreChecked(t *testing.T) {
	for env, want := range map[string]string{
		"LISTEN_ADDR=unix:sock":                         `"unix:sock" is not unix: and an absolute path`,
		"LISTEN_ADDR=:http":                             `":http" has no port from 0 to 65535`,
		"LISTEN_ADDR=unix:/" + strings.Repeat("a", 110): "the socket path is over 106 bytes",
		"ADMIN_ADDR=unix:/run/admin.sock":               `"unix:/run/admin.sock" is not host:port`,
		"AUDIT_HEADERS=Authorization":                   `"authorization" carries credentials and cannot be audited`,
		"RULE_HEADERS=:path":                            `":path" is not a header name`,
		"TRACE_KEY=header.X-Request-ID":                 `"header.X-Request-ID" differs with every exchange`,
		"TRACE_KEY=meta.session,meta.call":              `"meta.call" differs with every exchange`,
		"PG_BLOCK_THRESHOLD=0":                          `"0" is not within 0 (excluded) to 1`,
		"TRACE_KEY=session":                             `"session" is neither meta.<key> nor header.<name>`,
		"TLS_ALLOWED_SANS=*.example.com":                `"*.example.com" is not one exact URI or DNS name`,
		"EXCHANGE_TOKEN_MAX_AGE=3600":                   `"3600" is not a duration such as 90m`,
	} {
		_, err := read(t, "", nil, []string{env})
		require.ErrorContains(t, err, want)
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true, "localhost:1": true, "unix:/a": true,
		":1": false, "0.0.0.0:1": false, "[::]:1": false, "10.0.0.1:1": false, "localhost.example:1": false, "nonsense": false,
	} {
		require.Equal(t, want, Loopback(addr), addr)
	}
}
