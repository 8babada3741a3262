package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoginsAndRows finds passwords in pairs of a name and its password, and in the rows that statements insert.
func TestLoginsAndRows(t *testing.T) {
	for text, want := range map[string][]string{
		"creds: kim:Qx4FK4Rlj2XW9":                                                  {"Qx4FK4Rlj2XW9"},
		"Creds are `kim` / `Kx7!mn4fGq2`.":                                          {"Kx7!mn4fGq2"},
		"Login with kim.b / Kx7!mn4fGq2, then go on":                                {"Kx7!mn4fGq2"},
		"user/pass: kim/Kx7!mn4fGq2":                                                {"Kx7!mn4fGq2"},
		"INSERT INTO users (id, login, password) VALUES (1, 'kim', 'Kx7!mn4fGq2');": {"Kx7!mn4fGq2"},
		"insert into `u` (`password`,`n`)\nvalues ('Kx7!mn4fGq2','a,b)'), ('X5CHoZ!oFEdcqk','c');\nINSERT INTO `u` (`password`,`n`) VALUES ('Zr4kQ9!L2xTm','d');": {"Kx7!mn4fGq2", "X5CHoZ!oFEdcqk", "Zr4kQ9!L2xTm"},
		"INSERT INTO keys (name, api_key) VALUES ('a', 'q8W4zT1xLm90Kd7sVb2p')":                                                                                   {"q8W4zT1xLm90Kd7sVb2p"},
		"|st.e45ded14be1da314ac249406.85cb1070333848f094cde5a77f32e545.cc27ca44a1d2a50ff6692376493df773|":                                                         {"st.e45ded14be1da314ac249406.85cb1070333848f094cde5a77f32e545.cc27ca44a1d2a50ff6692376493df773"},
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, want, secretsIn(d, r))
		})
	}
	for _, text := range []string{
		"login: kim", "Log in with GitHub / Google2FA", "creds: see vault:secret/Path2", "login with user:password", "Login as root:wheel and go on", "auth: basic/Digest1",
		"INSERT INTO users (id, login, password) VALUES (1, 'Kx7!mn4fGq2', 'none');", "INSERT INTO t (password) VALUES (?)", "INSERT INTO t (password) VALUES ('$2a$10$short')",
		"INSERT INTO t (a, password) SELECT 'Kx7!mn4fGq2', 'b'", "INSERT INTO t (a) VALUES ('Kx7!mn4fGq2')", "insert into the slot (password) values matter",
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Empty(t, secretsIn(d, r))
		})
	}
}
