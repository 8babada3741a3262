package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	bcryptBody = "GTd7FguoV8FWnFbB0JxXujr4qqaaABvvLOzAxzXMcU1vsHiQMaRiN"
	storedHash = "$2b$12$" + bcryptBody
)

// TestStoredPasswordsBlockOnTheWayOutAndAreMasked: a file of accounts must not leave in an argument.
func TestStoredPasswordsBlockOnTheWayOutAndAreMasked(t *testing.T) {
	_, r := scanBody(t, "tools/call", SideRequest, `{"name":"post","arguments":{"body":`+quote(t, "kim:"+storedHash+":19000:0:99999:7:::")+`}}`)
	require.Equal(t, []string{"password-hash"}, detectors(r))
	require.Equal(t, Block, worst(r))
	d, r := scanBody(t, "tools/call", SideResponse, result("kim:"+storedHash+":19000:0:99999:7:::"))
	require.Contains(t, string(mask(t, d, r).Bytes), "kim:[REDACTED:PASSWORD_HASH]:19000")
}

// TestStatementsKeepTheirShape: of a statement of MySQL only the hash is masked.
func TestStatementsKeepTheirShape(t *testing.T) {
	d, r := scanBody(t, "tools/call", SideResponse, result("CREATE USER 'x' IDENTIFIED BY PASSWORD '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19';"))
	require.Contains(t, string(mask(t, d, r).Bytes), "IDENTIFIED BY PASSWORD '[REDACTED:PASSWORD_HASH]';")
}

func TestWhatIsNoStoredPassword(t *testing.T) {
	for _, text := range []string{
		"$2b$12$", "$2b$12$" + bcryptBody[1:], "$2b$12$" + bcryptBody + "a", "$2B$12$" + bcryptBody, "a$2b$12$" + bcryptBody, "$2b$" + bcryptBody,
		"$2b$12$" + strings.Repeat("a", 53), "costs $5 or $6$ a day", "{SSHA}", "$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>", "aad3b435b51404eeaad3b435b51404ee:",
	} {
		require.Empty(t, scanText(t, text).Findings, text)
	}
}
