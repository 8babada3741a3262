package content

import "strings"

// Command lines whose password stands at a fixed place, behind the name of a user, or is piped into them, and the settings of
// devices and servers that are written like commands.

// placedPasswords are the commands of which one word is a password: the first, second and so on behind the command, options not
// counted.
var placedPasswords = [...]struct {
	command string
	word    int
}{
	{"htpasswd -b ", 3}, {"htpasswd -cb ", 3}, {"htpasswd -bc ", 3}, {"net user ", 2}, {"rabbitmqctl add_user ", 2}, {"rabbitmqctl change_password ", 2},
	{"mc alias set ", 4}, {"configure set aws_secret_access_key ", 1}, {"config set npmauthtoken ", 1}, {"snmp-server community ", 1}, {"requirepass ", 1}, {"masterauth ", 1},
	{"plain-text-password-value ", 1}, {"password 7 ", 1},
}

// userPasswords are the commands of which an option takes a user and a password, and what stands between the two.
var userPasswords = [...]struct {
	command string
	options []string
	between byte
}{
	{"curl ", []string{"-u ", "--user ", "--user=", "--proxy-user "}, ':'}, {"etcdctl ", []string{"--user ", "--user="}, ':'}, {"smbclient ", []string{"-U "}, '%'}, {"rpcclient ", []string{"-U "}, '%'},
	{"lftp ", []string{"-u "}, ','}, {"skopeo ", []string{"--creds ", "--creds=", "--src-creds ", "--dest-creds "}, ':'},
}

func commandWordKeywords() []keyword {
	k := []keyword{
		{text: "| chpasswd", look: (*scan).chpasswd},
		{text: "sqlplus ", look: (*scan).sqlplus},
		{text: "@tcp(", look: (*scan).driverAddress},
		{text: "net use ", look: func(sc *scan, at int) { sc.netUse(at + len("net use ")) }},
	}
	for _, c := range placedPasswords {
		k = append(k, keyword{text: c.command, look: func(sc *scan, at int) { sc.placed(at+len(c.command), c.word) }})
	}
	for i, c := range userPasswords {
		k = append(k, keyword{text: c.command, look: func(sc *scan, at int) { sc.commandUser(at+len(c.command), firstUser+i, c.options, c.between) }})
	}
	return k
}

// placed looks at the n-th word from byte at on, options not counted.
func (sc *scan) placed(at, n int) {
	for range n + 4 {
		at = skip(sc.text, at, skipBlank)
		start, end := word(sc.text, at)
		if end == start {
			return
		}
		if sc.text[start] != '-' {
			if n--; n == 0 {
				if v := sc.text[start:end]; credentialPassword.accepts(v, false) && mixed(v) {
					sc.add(detCredential, start, end)
				}
				return
			}
		}
		if at = end; at < len(sc.text) && (sc.text[at] == '"' || sc.text[at] == '\'') {
			at++
		}
	}
}

// chpasswd looks at the password that is piped into the command at byte at: echo "user:password" | chpasswd.
func (sc *scan) chpasswd(at int) {
	text := sc.text
	end := at
	for end > 0 && strings.IndexByte(" \"'", text[end-1]) >= 0 && at-end < maxPhraseGap {
		end--
	}
	start := end
	for start > 0 && text[start-1] > ' ' {
		if start--; end-start > maxBare {
			return
		}
	}
	if mark := text[end]; mark == '"' || mark == '\'' {
		start += strings.LastIndexByte(text[start:end], mark) + 1
	}
	if user, _, ok := strings.Cut(text[start:end], ":"); ok && user != "" {
		sc.commandWord(start+len(user)+1, end)
	}
}

// sqlplus looks at the password in what a client of Oracle connects to: user/password@address.
func (sc *scan) sqlplus(at int) {
	start, end := word(sc.text, skip(sc.text, at+len("sqlplus "), skipBlank))
	v := sc.text[start:end]
	slash := strings.IndexByte(v, '/')
	if slash <= 0 {
		return
	}
	if n := strings.LastIndexByte(v[slash:], '@'); n > 1 && credentialPassword.accepts(v[slash+1:slash+n], false) {
		sc.add(detConnection, start+slash+1, start+slash+n)
	}
}

// driverAddress looks for the password in the address of a database as drivers of Go write it: user:password@tcp(host:port)/name.
// The password is not escaped, so that it has any mark, quotation marks too.
func (sc *scan) driverAddress(at int) {
	text := sc.text
	start, before := at, sc.driverTo
	sc.driverTo = at + len("@tcp(")
	for start > before && at-start < maxDriverAddress && text[start-1] > ' ' && !opensLiteral(text, start-1) {
		start--
	}
	user, password, ok := strings.Cut(text[start:at], ":")
	if !ok || strings.HasPrefix(password, "//") {
		return // an address with a scheme is looked at as one
	}
	if i := strings.LastIndexAny(user, "\"'`=/(),"); i >= 0 {
		user = user[i+1:]
	}
	if user != "" && len(password) >= 3 && password != user && !notLiteral(uncalled(password)) && !placeholder(password) && !docPassword[strings.ToLower(password)] && !variableName(password) {
		sc.add(detConnection, at-len(password), at)
	}
}

// uncalled returns a password without the brackets that are open in it: those of a call are closed.
func uncalled(v string) string {
	if strings.IndexByte(v, ')') >= 0 {
		return v
	}
	return strings.ReplaceAll(v, "(", "")
}

// maxDriverAddress bounds what stands before the host of such an address, in bytes.
const maxDriverAddress = 128

// opensLiteral reports whether the byte at i is the quotation mark that a literal begins with: one behind nothing that a word is made of.
func opensLiteral(text string, i int) bool {
	return strings.IndexByte("\"'`", text[i]) >= 0 && (i == 0 || text[i-1] <= ' ' || strings.IndexByte("=(,:[{+", text[i-1]) >= 0)
}
