package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListings finds the values of names in two columns, in lists of arguments, and behind commands that take one.
func TestListings(t *testing.T) {
	for text, want := range map[string][]string{
		"Key         Value\n---         -----\npassword    Kx7!mn4fGq2\nusername    app":                   {"Kx7!mn4fGq2"},
		"Name             Value\n----             -----\nDB_PASSWORD      VqFg1L9weNn  \nOS    Windows_NT": {"VqFg1L9weNn"},
		"api_key\tq8W4zT1xLm90Kd7s\nregion\teu-west-1":                                                     {"q8W4zT1xLm90Kd7s"},
		"      ~ password          = \"Kx7!mn4fGq2\" -> (sensitive value)":                                 {"Kx7!mn4fGq2"},
		"    Key Content            : q8W4zT1xLm90":                                                        {"q8W4zT1xLm90"},
		"password:            Kx7!mn4fGq2":                                                                 {"Kx7!mn4fGq2"},
		`CMD ["serve", "--api-key", "q8W4zT1xLm90Kd7sVb2", "--verbose"]`:                                   {"q8W4zT1xLm90Kd7sVb2"},
		"subprocess.run(['x', '--password', 'Kx7!mn4fGq2'])":                                               {"Kx7!mn4fGq2"},
		`{"Cmd":["serve","--api-key","q8W4zT1xLm90Kd7sVb2","--verbose"]}`:                                  {"q8W4zT1xLm90Kd7sVb2"},
		`{"Cmd":["serve","--password","aB3dE5fG7hJ9","--verbose"]}`:                                        {"aB3dE5fG7hJ9"},
		`{"Cmd":["serve","--password","Tr0ub4dorx"]}`:                                                      {"Tr0ub4dorx"},
		`net use Z: \\files\share /user:CORP\svc Kx7!mn4fGq2`:                                              {"Kx7!mn4fGq2"},
		`net use \\files\share Kx7!mn4fGq2 /user:CORP\svc`:                                                 {"Kx7!mn4fGq2"},
		"curl -u deploy:'Kx7!mn4fGq2' -T a.zip https://nexus.acme.example/":                                {"Kx7!mn4fGq2"},
		"<Password>\n  <Value>Kx7!mn4fGq2</Value>\n  <PlainText>true</PlainText>\n</Password>":             {"Kx7!mn4fGq2"},
		"user admin, pw 4zq25xtBEtlW - keep it":                                                            {"4zq25xtBEtlW"},
		"user kim and password 4zq25xtBEtlW.":                                                              {"4zq25xtBEtlW"},
		"?private_token=d62030028e6f79a2f4bdb99fbf9e601881d8eade&page=2":                                   {"d62030028e6f79a2f4bdb99fbf9e601881d8eade"},
		"url.https://6ewu9jusc9d3sc091wy0apllmv7c4jy8gg0edlqooajrjue1xy4c@dev.azure.com.insteadOf=x":       {"6ewu9jusc9d3sc091wy0apllmv7c4jy8gg0edlqooajrjue1xy4c"},
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, want, secretsIn(d, r))
		})
	}
	for _, text := range []string{
		"password    VARCHAR(255)\napi_token   CHAR40", "password        The password of version 2", "token      d62030028e6f79a2f4bdb99fbf9e601881d8eade",
		"shop-secret   kubernetes.io/tls   2   4d3h", "secret_key     ****************abcd shared", "DB_PASSWORD      required\nDB_HOST   db1",
		`["--password", "--verbose2"]`, `args: ['--token', 'TOKEN_FILE']`, `{"Cmd":["serve","--api-key","$API_KEY1","--x"]}`, `{"Cmd":["--password","required"]}`,
		`net use Z: \\files2\Share1 /persistent:yes`, "net use of the network rose by 12 %", "curl -u user: https://x.acme.example/Path1", "<Password>\n  <Encrypted>true</Encrypted></Password>",
		"the pw is required, pw reset2 and pw Argon2id follow", "page_token=d62030028e6f79a2f4bdb99fbf9e601881d8eade", "password SHA256withRSA is no option, password PBKDF2WithHmacSHA1 neither",
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Empty(t, secretsIn(d, r))
		})
	}
}
