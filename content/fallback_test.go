package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFallbacks finds the secret that stands in for a reference, and leaves references that have none.
func TestFallbacks(t *testing.T) {
	const password, key = "Kx7!mn4fGq2", "q8W4zT1xLm90Kd7sVb2"
	for text, want := range map[string]string{
		"password: ${DB_PASS:-" + password + "}":                            password,
		"DB_PASSWORD=${DB_PASSWORD:-" + password + "}":                      password,
		"spring.redis.password: ${REDIS_PASSWORD:" + password + "}":         password,
		"'password' => env('DB_PASSWORD', '" + password + "'),":             password,
		`os.environ.get("DB_PASSWORD", "` + password + `")`:                 password,
		"os.getenv('API_KEY', '" + key + "')":                               key,
		"x = process.env.JWT_SECRET || '" + key + "'":                       key,
		`k = Deno.env.get("API_KEY") ?? "` + key + `"`:                      key,
		`p = os.getenv("DB_PASSWORD") or "` + password + `"`:                password,
		`{"Key":"password","Value":"` + password + `"}`:                     password,
		`{"ParameterKey":"DBPassword","ParameterValue":"` + password + `"}`: password,
		"mariadb -h db1 -u app -p" + password:                               password,
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, []string{want}, secretsIn(d, r))
		})
	}
	for _, text := range []string{
		"password: ${DB_PASS:-}", "password: ${DB_PASS:-changeme}", "password: ${DB_PASS:?not set}", "password: ${DB_PASS:-$ROOT_PASS1}", "token: ${TOKEN:-$(cat token1)}",
		"env('DB_PASSWORD', 'secret')", `os.environ.get("API_KEY", "")`, "x = process.env.SECRET || 'dev'", `t("password", "Passwort2 eingeben")`, `os.Setenv("S2A_ACCESS_TOKEN", "TestInfo_s2a_access_token")`, `schema("password", "Field1Rule")`,
		`{"Key":"password","Value":"required"}`, "process.env.TOKEN || fallbackToken1", "the password or 'phrase'",
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Empty(t, secretsIn(d, r))
		})
	}
}
