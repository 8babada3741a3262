package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDriverAddress masks the password of an address all of it, whatever marks it has.
func TestDriverAddress(t *testing.T) {
	for text, want := range map[string][]string{
		"app:Kq7vGx86b@tcp(db1:3306)/shop":                        {"Kq7vGx86b"},
		`sql.Open("mysql", "app:Kq7(vG=x/86b@tcp(db1:3306)/s")`:   {"Kq7(vG=x/86b"},
		`sql.Open("mysql","app:Kq"7:vG'x86b@tcp(db1:3306)/s")`:    {`Kq"7:vG'x86b`},
		"DSN=app:a/b(c=d:e'f7@tcp(db1)/shop":                      {"a/b(c=d:e'f7"},
		"dsn: 'app:Kq7v:Gx86b@tcp(db1)/shop'":                     {"Kq7v:Gx86b"},
		"DSN=app:${DB_PASSWORD}@tcp(db1)/shop":                    nil,
		`fmt.Sprintf("%s:%s@tcp(%s)/%s", user, pass, host, name)`: nil,
		"app:getPass()@tcp(db1)/shop":                             nil,
		"root:root@tcp(localhost)/test":                           nil,
		"see user:password@tcp(host:port)/name":                   nil,
	} {
		t.Run(text, func(t *testing.T) {
			d, r := scanBody(t, "tools/call", SideResponse, result(text))
			require.Equal(t, want, secretsIn(d, r))
		})
	}
}
