package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentialsBesideTheirName(t *testing.T) {
	cookie := ".AspNetCore.Cookies=CfDJ8" + strings.Repeat("a1B2c3D4", 60)
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"the value in an object of that name":         {`{"content":[],"structuredContent":{"db_password":{"value":"Zx7!R2Xpuj","type":"string"}}}`, 1},
		"the same in text":                            {result(`{"outputs":{"db_password":{"value":"Zx7!R2Xpuj","type":"string"}}}`), 1},
		"the value in an object of another name":      {`{"content":[],"structuredContent":{"db_host":{"value":"Zx7!R2Xpuj","type":"string"}}}`, 0},
		"what is no value in such an object":          {`{"content":[],"structuredContent":{"db_password":{"hint":"Zx7!R2Xpuj"}}}`, 0},
		"a column of passwords":                       {result("id|username|password|role\n1|anna|Kq7#b3xW|admin\n2|bob|Tr0ub4d%r|user"), 2},
		"a column of rules about passwords":           {result("id|username|password|role\n1|anna|expired|admin\n2|bob|must change 1|user"), 0},
		"program text under such a word":              {result("f(\"a\", \"password\", 1)\nf(\"b\", \"Kq7#b3xW\", 2)\n"), 0},
		"the cookie of a session, as a member":        {`{"content":[],"structuredContent":{"headers":{"Cookie":"a=b; sid=TGNnLO8iB9KZ6F7E9sG80mNU"}}}`, 1},
		"the cookie of another thing, as a member":    {`{"content":[],"structuredContent":{"headers":{"Cookie":"a=b; theme=TGNnLO8iB9KZ6F7E9sG80mNU"}}}`, 0},
		"a place in a list, as a member":              {`{"content":[],"structuredContent":{"nextPageToken":"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"}}`, 0},
		"what gives access to a list, as a member":    {`{"content":[],"structuredContent":{"accessToken":"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"}}`, 1},
		"a long cookie far behind others":             {result("Cookie: " + strings.Repeat("consent=all; ", 40) + cookie), 1},
		"an option whose name ends like a password's": {result("app --admin-password 'Kq7#b3xW' --x"), 1},
		"a password in an embedded document":          {result(`{"user":"anna","pass":"Kq7!vGx86b"}`), 1},
		"the number of tests that passed, in one":     {result(`{"suite":"Anna2","pass":"12 of 13"}`), 0},
		"the name of a test that passed":              {result("pass: TestLogin/a#01!x"), 0},
		"the last of three literals of a call":        {result("c = getConnection(\"jdbc:x\", \"root\", \"Kq7!vGx86b\")"), 1},
		"a call with names for literals":              {result("c = getConnection(url, user, PASSWORD1)"), 0},
		"a call that another follows":                 {result("a.login(\"Kq7!vGx86b\"); b(\"x\", \"Tr0ub4d%r\")"), 0},
		"an element behind the key of a list":         {result("<key>Password</key>\n\t<string>Tr0ub4d%r</string>"), 1},
		"a sentence about another's password":         {result("the password for the VPN is Tr0ub4d%r"), 1},
		"a sentence about the rules for one":          {result("the password for the VPN is set in step 2 of chapter-4"), 0},
		"a password that Terraform drew":              {result(`{"type":"random_password","instances":[{"attributes":{"length":16,"result":"PL41fT!9FZTamF1G"}}]}`), 1},
		"a result of another thing":                   {result(`{"type":"random_pet","instances":[{"attributes":{"length":16,"result":"PL41fT!9FZTamF1G"}}]}`), 0},
		"an option behind such an option":             {result("app --admin-password --log-level2 --x"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := scanBody(t, "tools/call", SideResponse, c.body)
			require.Len(t, paths(r, "credential"), c.want)
		})
	}
	body := result("Cookie: " + cookie + "; a=b")
	_, r := scanBody(t, "tools/call", SideResponse, body)
	require.Len(t, r.Findings, 1)
	require.Equal(t, len(cookie)-len(".AspNetCore.Cookies="), r.Findings[0].End-r.Findings[0].Start, "the cookie is masked to its end")
}
