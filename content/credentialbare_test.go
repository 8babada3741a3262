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
		"the arguments of a function, with defaults":  {result("def create(self,\n    user, master_password,\n    port=3306, engine='MySQL5.1',\n    Size_5=3)"), 0},
		"arguments, each on its line":                 {result("f(x,\n  master_password,\n  Port3306!,\n  y)"), 0},
		"a list of packages":                          {result("base-files\tamd64\npasswd\tamd64\ng++-12\tamd64\nJinja2+x\tall\n"), 0},
		"program text under such a word":              {result("f(\"a\", \"password\", 1)\nf(\"b\", \"Kq7#b3xW\", 2)\n"), 0},
		"the cookie of a session, as a member":        {`{"content":[],"structuredContent":{"headers":{"Cookie":"a=b; sid=TGNnLO8iB9KZ6F7E9sG80mNU"}}}`, 1},
		"the cookie of another thing, as a member":    {`{"content":[],"structuredContent":{"headers":{"Cookie":"a=b; theme=TGNnLO8iB9KZ6F7E9sG80mNU"}}}`, 0},
		"a place in a list, as a member":              {`{"content":[],"structuredContent":{"nextPageToken":"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"}}`, 0},
		"what gives access to a list, as a member":    {`{"content":[],"structuredContent":{"accessToken":"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"}}`, 1},
		"a long cookie far behind others":             {result("Cookie: " + strings.Repeat("consent=all; ", 40) + cookie), 1},
		"an option whose name ends like a password's": {result("app --admin-password 'Kq7#b3xW' --x"), 1},
		"a password in an embedded document":          {result(`{"user":"anna","pass":"Kq7!vGx86b"}`), 1},
		"the number of tests that passed, in one":     {result(`{"suite":"Anna2","pass":"12 of 13"}`), 0},
		"what a case of a test passes":                {result("// Pass: dynamic=0, static=1"), 0},
		"a password with its name, behind pass":       {result("pass: password=hunter22 pw: db_password=hunter33!"), 2},
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

// TestCommandBehindAnother finds the password of a command that stands close behind one that has none.
func TestCommandBehindAnother(t *testing.T) {
	for text, want := range map[string]string{
		"etcdctl get x && curl -u kim:hunter22 https://example.org":          "hunter22",
		"psexec x\ncurl -u kim:hunter22 https://example.org":                 "hunter22",
		"the mongo shell: mysql -phunter22x":                                 "hunter22x",
		"7z a x.7z; machine example.org login kim password hunter22":         "hunter22",
		"skopeo inspect x; WIFI:T:WPA;S:name;P:hunter2222;;":                 "hunter2222",
		"curl https://example.org\ncurl -u kim:hunter22 https://example.org": "hunter22",
		"zip -r a.zip a\nzip -P hunter22 b.zip b":                            "hunter22",
	} {
		d, r := scanBody(t, "tools/call", SideResponse, result(text))
		require.Equal(t, []string{want}, secretsIn(d, r), text)
	}
}

// TestTableBehindNamesOfPasswords finds the numbers of a table behind lines that name a password and are no table.
func TestTableBehindNamesOfPasswords(t *testing.T) {
	r := scanText(t, "login, password, and mail2\nkim, none1, kim3: cpf;nome\n52998224725;Ana Maria de Souza\n11144477735;Joao da Silva e Souza\n")
	require.Len(t, paths(r, "national-id"), 2)
}

// TestOptionBehindMark finds the password behind a long option, whatever mark stands before it.
func TestOptionBehindMark(t *testing.T) {
	for _, before := range []string{"", " ", "(", "[", "{", "<code>", "run;", "a,", "x=", "|", "\r", "\\", "\u00a0", "“"} {
		text := before + "--password hunter22"
		d, r := scanBody(t, "tools/call", SideResponse, result(text))
		require.Equal(t, []string{"hunter22"}, secretsIn(d, r), text)
	}
}

// TestPasswordsAreMaskedWhole masks passwords with marks that separate other things to their end.
func TestPasswordsAreMaskedWhole(t *testing.T) {
	for text, want := range map[string]string{
		"echo 'kim:Zx7:R2Xpuj' | chpasswd":              "Zx7:R2Xpuj",
		"echo kim:Zx7:R2Xpuj | chpasswd":                "Zx7:R2Xpuj",
		"sqlplus kim/Zx7!R2@Xpuj@orcl":                  "Zx7!R2@Xpuj",
		"lftp -u kim,Zx7!R2,Xpuj sftp://h":              "Zx7!R2,Xpuj",
		"user,password\nkim,\"Zx7!R2,Xpuj\"":            "Zx7!R2,Xpuj",
		"alter user kim identified by 'Zx7!R2''Xpuj'":   "Zx7!R2''Xpuj",
		"create user kim with password 'Zx7!R2\\'Xpuj'": "Zx7!R2\\'Xpuj",
		"xfreerdp /u:kim /p:'Zx7!R2 Xpuj' /v:h":         "Zx7!R2 Xpuj",
		"app --password \"Zx7!R2 X,puj\" --x":           "Zx7!R2 X,puj",
		"c.login('kim', 'Zx7!R2\\'Xpuj')":               "Zx7!R2\\'Xpuj",
	} {
		d, r := scanBody(t, "tools/call", SideResponse, result(text))
		require.Equal(t, []string{want}, secretsIn(d, r), text)
	}
}

// secretsIn returns what the findings of a report mask.
func secretsIn(d *Document, r Report) (texts []string) {
	for _, f := range r.Findings {
		texts = append(texts, d.Strings()[f.String].Text[f.Start:f.End])
	}
	return texts
}
