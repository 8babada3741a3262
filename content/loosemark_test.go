package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLooseValues finds credentials behind marks that seldom stand for "is", below their name, and in calls that set them.
func TestLooseValues(t *testing.T) {
	for text, want := range map[string][]string{
		"db_password → Kx7!mn4fGq2":                                                                {"Kx7!mn4fGq2"},
		"db_password→Kx7!mn4fGq2\nport 5":                                                          {"Kx7!mn4fGq2"},
		"Password – X5CHoZDoFEdcqk":                                                                {"X5CHoZDoFEdcqk"},
		"Password — Kx7!mn4fGq2, user kim":                                                         {"Kx7!mn4fGq2"},
		"password - Kx7!mn4fGq2":                                                                   {"Kx7!mn4fGq2"},
		"password~X5CHoZDoFEdcqk":                                                                  {"X5CHoZDoFEdcqk"},
		"user|kim|password|Kx7!mn4fGq2":                                                            {"Kx7!mn4fGq2"},
		"API key → q8W4zT1xLm90Kd7sVb2p":                                                           {"q8W4zT1xLm90Kd7sVb2p"},
		"Username\nkim\nPassword\nKx7!mn4fGq2\n":                                                   {"Kx7!mn4fGq2"},
		"Password:\n    X5CHoZDoFEdcqk":                                                            {"X5CHoZDoFEdcqk"},
		"db_password=\r\n  Kx7!mn4fGq2\r\nport=5":                                                  {"Kx7!mn4fGq2"},
		"[Environment]::SetEnvironmentVariable('DB_PASSWORD', 'Kx7!mn4fGq2', 'User')":              {"Kx7!mn4fGq2"},
		`props.put("db.password", "X5CHoZDoFEdcqk");`:                                              {"X5CHoZDoFEdcqk"},
		`localStorage.setItem("api_key", "q8W4zT1xLm90Kd7sVb2p")`:                                  {"q8W4zT1xLm90Kd7sVb2p"},
		"<property>\n  <name>javax.jdo.password</name>\n  <value>Kx7!mn4fGq2</value>\n</property>": {"Kx7!mn4fGq2"},
		"<param-name>password</param-name><param-value>Kx7!mn4fGq2</param-value>":                  {"Kx7!mn4fGq2"},
		"array(1) {\n  [\"password\"]=>\n  string(11) \"Kx7!mn4fGq2\"\n}":                          {"Kx7!mn4fGq2"},
		"X-Postmark-Server-Token: f43e6cb1-4b4f-ebe4-0db0-fc4824f0102b":                            {"f43e6cb1-4b4f-ebe4-0db0-fc4824f0102b"},
		"deploy_key: q8W4zT1xLm90Kd7sVb2p":                                                         {"q8W4zT1xLm90Kd7sVb2p"},
		"see:EAAAdV137m4rZ_-XNdP3o6AFYd1vsm0bipYeqaetS6sgOwpOw7sdkfx9c8dNbn-J.":                    {"EAAAdV137m4rZ_-XNdP3o6AFYd1vsm0bipYeqaetS6sgOwpOw7sdkfx9c8dNbn-J"},
		"key pat.hV2mQ8xLr0TzYb4NcKd7Wf.65a1f0c4e8b97d2135f6a0c4.Zq81LmTx04RsVb7NcKdQ here":        {"pat.hV2mQ8xLr0TzYb4NcKd7Wf.65a1f0c4e8b97d2135f6a0c4.Zq81LmTx04RsVb7NcKdQ"},
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, want, secretsIn(d, r))
		})
	}
	for _, text := range []string{
		"Reset your password - Windows10", "password – required", "`password` — the password of Version2", "Forgot password\nSign in with OAuth2!", "Password\n\nKx7 is a name",
		"password=\nDB_HOST=db1!Xy7", "password:\n  minLength: 8\n", "password:\n  Type: String1!\n", "secret → sha256 of it", "API key → see docs/Keys2.md", "token | description |",
		"password-reset2Xy!a", `t("password", "Passwort1")`, `label("password", "Your password: 8+ Characters!")`, `assert.Equal("token", "id_token_hint_2")`, "<name>password</name><value>${DB_PASSWORD}</value>",
		"[\"password\"]=>\n  string(8) \"required\"", "EAAA" + "abcdefghijklmnopqrstuvwxyz", "pat.example.org/a-long-path-that-goes-on-and-on-without-any-digit-at-all",
		"The file starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"between -----BEGIN RSA PRIVATE KEY----- and the matching -----END RSA PRIVATE KEY----- line",
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Empty(t, secretsIn(d, r))
		})
	}
}
