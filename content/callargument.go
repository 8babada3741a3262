package content

// Calls in programs that take a password as a literal without its name.

// passwordCalls are the beginnings of such calls and which of their literals the password is, counted from one; 0 is the last.
var passwordCalls = [...]struct {
	text    string
	literal int
}{
	{"networkcredential(", 2}, {"getconnection(", 0}, {"mysqli_connect(", 3}, {"mysql_connect(", 3}, {"mysqli(", 3}, {"new pdo(", 3}, {"basicauth(", 2}, {"httpdigestauth(", 2}, {"auth=(", 2}, {"auth = (", 2},
	{".login(", 2}, {"setpassword(", 1}, {"set_password(", 0}, {"passwordauthentication(", 2}, {"plainauth(", 3}, {"pscredential(", 2},
}

func callKeywords() []keyword {
	k := make([]keyword, 0, len(passwordCalls))
	for _, c := range passwordCalls {
		k = append(k, keyword{text: c.text, look: func(sc *scan, at int) { sc.callArgument(at+len(c.text), c.literal) }})
	}
	return k
}

// Bounds of what is read of the arguments of a call: bytes, and literals.
const (
	maxCall     = 240
	maxLiterals = 4
)

// callArgument looks at a literal among the arguments from byte at on: the n-th, the last of two or more where n is 0.
func (sc *scan) callArgument(at, n int) {
	if at < sc.calledTo {
		return
	}
	text := sc.text
	limit := min(len(text), at+maxCall)
	count, start, end := 0, 0, 0
	i := at
	for i < limit && text[i] != ')' && text[i] != '\n' && text[i] != ';' && count < maxLiterals {
		c := text[i]
		if i++; c != '"' && c != '\'' {
			continue
		}
		stop := literalLen(text[i:limit], c)
		if stop < 0 {
			break
		}
		count++
		if start, end = i, i+stop; count == n {
			break
		}
		i = end + 1
	}
	sc.calledTo = i
	if count == 0 || n > 0 && count != n || n == 0 && count < 2 {
		return
	}
	if v := text[start:end]; len(v) >= minBare && strongPassword(v) && credentialPassword.accepts(v, false) {
		sc.add(detCredential, start, end)
	}
}
